package crawl

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
	texts *graph.Column[byte]   // per entry: two texts, each after its length
}

// textsPerPage is the room for texts, in bytes of address space a page.
const textsPerPage = 128

func newValidators(pages int) *validators {
	return &validators{
		at:    graph.NewColumn[uint64]("page validators", pages),
		texts: graph.NewColumn[byte]("validators", min(pages*textsPerPage, 1<<38)),
	}
}

func (v *validators) columns(each func(graph.AnyColumn)) {
	if v != nil {
		each(v.at)
		each(v.texts)
	}
}

// note keeps the validators of a page that came. Those of an earlier visit stay behind
// as waste; with 304 answers, which repeat them, there is none.
func (v *validators) note(p graph.Page, f *journal.Facts) {
	if v == nil || f.ETag == "" && f.Modified == "" {
		return
	}
	if etag, modified := v.of(p); etag == f.ETag && modified == f.Modified {
		return
	}
	var b []byte
	for _, text := range []string{f.ETag, f.Modified} {
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	if v.at.Len() <= int(p) {
		v.at.Grow(int(p) + 1)
	}
	at := v.texts.Len()
	v.texts.Grow(at + len(b))
	copy(v.texts.Slice()[at:], b)
	v.at.Set(int(p), uint64(at)+1)
}

// of is the validators of a page, "" for none.
func (v *validators) of(p graph.Page) (etag, modified string) {
	if v == nil || int(p) >= v.at.Len() || v.at.At(int(p)) == 0 {
		return "", ""
	}
	b := v.texts.Slice()[v.at.At(int(p))-1:]
	etag, b = text(b)
	modified, _ = text(b)
	return etag, modified
}

func text(b []byte) (string, []byte) {
	n, k := binary.Uvarint(b)
	return string(b[k : k+int(n)]), b[k+int(n):]
}
