package answer

import (
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/press"
)

// bombCodings lists the content codings of bombs, which do not depend on what the visitor
// accepts.
var bombCodings = [...]string{"gzip", "br", "zstd"}

// coding returns the content coding of an answer: of those that the options offer and the
// client accepts, the one that the site prefers; "" for none.
func (r *pageRules) coding(s *fakeweb.Site, accept string) string {
	n := uint64(len(r.opt.Encodings))
	if n == 0 || accept == "" {
		return ""
	}
	first := r.draw(s, streamEncoding, 0) % n
	for i := range n {
		if e := r.opt.Encodings[(first+i)%n]; press.Accepts(accept, e) {
			return e
		}
	}
	return ""
}
