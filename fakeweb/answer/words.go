package answer

import (
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/language"
)

// charsets is the number of charsets in which sites are written.
const charsets = language.Charsets

var charsetNames = [charsets]string{"utf-8", "iso-8859-1", "windows-1251", "shift_jis"}

// Where the charset of a page is declared.
const (
	inHeader = iota
	inMeta
	nowhere
)

var declared = [...]string{"header", "meta", ""}

// charset returns the charset of a site.
func (r *pageRules) charset(s *fakeweb.Site) int {
	if !r.meets(r.opt.Charsets, s, streamCharset, 0) {
		return language.UTF8
	}
	return 1 + int(r.draw(s, streamCharset, 1)%(charsets-1))
}

// declared returns where a site declares its charset. UTF-8 is always declared.
func (r *pageRules) declared(s *fakeweb.Site) int {
	places := uint64(3)
	if r.charset(s) == language.UTF8 {
		places = 2
	}
	return int(r.draw(s, streamCharset, 2) % places)
}
