package answer

import (
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
)

// evil is the beginning of a title that is written to harm whoever shows it: as it stands
// in a page of any charset, and as it reads.
type evil struct{ written, read string }

// evilTitles take over terminals, run as script, turn the text around, and are formulas
// to spreadsheets.
var evilTitles = [...]evil{
	{"\x1b[2J\x1b[1;31m\x1b]0;mine\a", "\x1b[2J\x1b[1;31m\x1b]0;mine\a"},
	{"&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;", "<script>alert(1)</script><img src=x onerror=alert(1)>"},
	{"&#x202E;&#x2066;exe.gnp", "\u202e\u2066exe.gnp"},
	{"=HYPERLINK(&quot;http://x.example&quot;)", `=HYPERLINK("http://x.example")`},
}

// evilTitle returns how the title of page j, and the text of links to it, begins; nil if it
// means no harm.
func (r *pageRules) evilTitle(s *fakeweb.Site, j uint32) *evil {
	if !r.meets(r.opt.Titles, s, streamEvil, uint64(j)) {
		return nil
	}
	return &evilTitles[draw.Mix(r.draw(s, streamEvil, uint64(j)))%uint64(len(evilTitles))]
}
