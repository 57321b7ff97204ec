package state

import (
	"encoding/binary"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// validators are what pages that will be asked for again were labelled with, so that
// the server can answer "not modified" (W16). They are kept in crawls with --recrawl
// alone: 8 bytes a page and the texts.
type validators struct {
	at    *graph.Column[uint64] // by page: where its texts begin, plus 1; 0: it has none
	Texts *graph.Column[byte]   // per entry: two texts, each after its length
	room  int                   // bytes of texts at most
}

// textsPerPage is the room for texts, in bytes of address space a page.
const textsPerPage = 128

func NewValidators(set *graph.Set, pages int) *validators {
	room := min(pages*textsPerPage, 1<<38)
	return &validators{
		at:    graph.NewColumnIn[uint64](set, "page validators", pages),
		Texts: graph.NewColumnIn[byte](set, "validators", room),
		room:  room,
	}
}

// Note keeps the validators of a page that came. New ones take the place of those of an
// earlier visit where they fit, as they mostly do: else those stay behind as waste. When
// there is no room for more the page has none, and is asked for without conditions.
func (v *validators) Note(p graph.Page, f *journal.Facts) {
	if v == nil || f.ETag == "" && f.Modified == "" {
		return
	}
	etag, modified := v.Of(p)
	if etag == f.ETag && modified == f.Modified {
		return
	}
	old, fresh := appendTexts(nil, etag, modified), appendTexts(nil, f.ETag, f.Modified)
	v.at.Grow(int(p) + 1)
	at := v.Texts.Len()
	switch n := v.at.At(int(p)); {
	case n != 0 && len(fresh) <= len(old):
		at = int(n) - 1
	case at+len(fresh) > v.room:
		v.at.Set(int(p), 0)
		return
	}
	v.Texts.Grow(at + len(fresh))
	copy(v.Texts.Slice()[at:], fresh)
	v.at.Set(int(p), uint64(at)+1)
}

// appendTexts appends texts, each after its length.
func appendTexts(b []byte, texts ...string) []byte {
	for _, text := range texts {
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	return b
}

// Of is the validators of a page, "" for none.
func (v *validators) Of(p graph.Page) (etag, modified string) {
	if v == nil || int(p) >= v.at.Len() || v.at.At(int(p)) == 0 {
		return "", ""
	}
	b := v.Texts.Slice()[v.at.At(int(p))-1:]
	etag, b = text(b)
	modified, _ = text(b)
	return etag, modified
}

func text(b []byte) (string, []byte) {
	n, k := binary.Uvarint(b)
	return string(b[k : k+int(n)]), b[k+int(n):]
}
