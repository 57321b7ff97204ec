package answer

import (
	"strings"

	"github.com/winnow-crawler/winnow/fakeweb"
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
		if e := r.opt.Encodings[(first+i)%n]; accepts(accept, e) {
			return e
		}
	}
	return ""
}

// accepts reads an Accept-Encoding: a coding counts unless its weight is 0.
func accepts(header, coding string) bool {
	for part := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(part, ";")
		if strings.EqualFold(strings.TrimSpace(name), coding) {
			q, _ := strings.CutPrefix(strings.ReplaceAll(weight, " ", ""), "q=")
			return q == "" || strings.Trim(q, "0.") != ""
		}
	}
	return false
}
