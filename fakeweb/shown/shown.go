// Package shown describes what the pages of a synthetic web need to be shown: styles, fonts,
// scripts and pictures, on the site of a page and on another one, where many sites have theirs.
//
// A page has a style and a script of its site, and two pictures of its own. The style names another
// one and a picture, and that one a font. A third picture of each page does not exist. Everything
// is a function of the URL.
package shown

import (
	"fmt"
	"strconv"
	"strings"
)

// Dir is the directory of everything in this package, on every site.
const Dir = "/shown/"

// A Page is a page with requisites.
type Page struct {
	Own    string // scheme, host and port of its site
	Shared string // the same of the site that has what is shared
	Site   uint32 // number of its site
	Number uint32 // of the page
}

// Head appends what the head of a page has.
func (p *Page) Head(b []byte) []byte {
	return fmt.Appendf(b, "<link rel=\"stylesheet\" href=\"%ssite.css\">\n<script src=\"%s%ssite.js\"></script>\n", Dir, p.Shared, Dir)
}

// Body appends what the body of a page has.
func (p *Page) Body(b []byte) []byte {
	return fmt.Appendf(b, "<p><img src=\"%[1]s%[2]d.png\" srcset=\"%[3]s%[1]s%[2]d.png 2x\" alt=\"\"><img src=\"%[1]sgone-%[2]d.png\" alt=\"\">\n", Dir, p.Number, p.Shared)
}

// Needs returns the URLs of all requisites of a page that exist.
func (p *Page) Needs() []string {
	own, shared, n := p.Own+Dir, p.Shared+Dir, strconv.Itoa(int(p.Number))
	return []string{own + "site.css", shared + "site.js", own + n + ".png", shared + n + ".png",
		own + "more.css", own + "back.png", fmt.Sprintf("%sfont-%d.woff2", shared, p.Site)}
}

// Missing returns the URL of the requisite of a page that does not exist.
func (p *Page) Missing() string { return fmt.Sprintf("%s%sgone-%d.png", p.Own, Dir, p.Number) }

// Answer returns the type and the body of what is at a path of a site; ok is false if there is
// nothing. shared is where shared requisites are.
func Answer(path, shared string, site uint32) (media, body string, ok bool) {
	name, ok := strings.CutPrefix(path, Dir)
	switch {
	case !ok || strings.HasPrefix(name, "gone-"):
		return "", "", false
	case name == "site.css":
		return "text/css", "@import 'more.css'; /* url(comment.png) */\nbody { background: url(\"b\\61 ck.png\") }\n", true
	case name == "more.css":
		return "text/css", fmt.Sprintf("@font-face { font-family: a; src: url(%s%sfont-%d.woff2) }\n", shared, Dir, site), true
	case name == "site.js":
		return "text/javascript", "document.title += '';\n", true
	case strings.HasSuffix(name, ".woff2"):
		return "font/woff2", "wOF2", true
	case strings.HasSuffix(name, ".png"):
		return "image/png", "\x89PNG\r\n\x1a\n", true
	}
	return "", "", false
}
