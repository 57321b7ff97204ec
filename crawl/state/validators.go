package state

import (
	"encoding/binary"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// validators holds the ETag and Last-Modified headers of pages that will be requested again,
// so that the server can answer "not modified". Only crawls with --recrawl have it: 8 bytes
// a page and the texts.
type validators struct {
	at    *graph.Column[uint64] // by page: where its texts begin, plus 1; 0: it has none
	texts *graph.Column[byte]   // per entry: two texts, each after its length
	room  int                   // bytes of texts at most
}

// textsPerPage is the room for texts, in bytes of address space a page.
const textsPerPage = 128

func newValidators(set *graph.Set, pages int) *validators {
	room := min(pages*textsPerPage, 1<<38)
	return &validators{
		at:    graph.NewColumnIn[uint64](set, "page validators", pages),
		texts: graph.NewColumnIn[byte](set, "validators", room),
		room:  room,
	}
}

// note keeps the validators of a fetched page. They replace those of an earlier visit if
// they fit, as they mostly do; otherwise the old ones are wasted space. If there is no room
// for more, the page has none, and is requested without conditions.
func (v *validators) note(p graph.Page, f *journal.Facts) {
	if v == nil || f.ETag == "" && f.Modified == "" {
		return
	}
	etag, modified := v.Of(p)
	if etag == f.ETag && modified == f.Modified {
		return
	}
	old, fresh := appendTexts(nil, etag, modified), appendTexts(nil, f.ETag, f.Modified)
	v.at.Grow(int(p) + 1)
	at := v.texts.Len()
	switch n := v.at.At(int(p)); {
	case n != 0 && len(fresh) <= len(old):
		at = int(n) - 1
	case at+len(fresh) > v.room:
		v.at.Set(int(p), 0)
		return
	}
	v.texts.Grow(at + len(fresh))
	copy(v.texts.Slice()[at:], fresh)
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

// Of returns the validators of a page, "" for none.
func (v *validators) Of(p graph.Page) (etag, modified string) {
	if v == nil || int(p) >= v.at.Len() || v.at.At(int(p)) == 0 {
		return "", ""
	}
	b := v.texts.Slice()[v.at.At(int(p))-1:]
	etag, b = text(b)
	modified, _ = text(b)
	return etag, modified
}

// text returns the first text of b, and the rest of b.
func text(b []byte) (string, []byte) {
	n, k := binary.Uvarint(b)
	return string(b[k : k+int(n)]), b[k+int(n):]
}
