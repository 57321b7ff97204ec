package answer

import (
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/fakeweb/internal/language"
	"github.com/winnow-crawler/winnow/fakeweb/scripted"
	"github.com/winnow-crawler/winnow/graph"
)

// composer writes pages. It holds the memory that is used again for every page.
//
// A page is a function of the web, the options, the ports and its version. It has a
// title and a heading, a part for navigation with its first links, and paragraphs with
// the other links between words, all links in ascending id as the graph has them; then
// words until it has its size.
type composer struct {
	w       *World
	site    *fakeweb.Site
	j       uint32
	secure  bool
	words   *language.Vocabulary
	random  uint64 // state of the word generator
	pending int    // clauses until the end of the sentence
	topic   theme
	lister  fakeweb.Lister
	links   []graph.Page // of the page
	buf     []byte
	pressed []byte
	visit   uint32 // number of the request, and its instant: what noise is made of
	at      time.Duration

	// Of a hostile web.
	key     uint64   // of the session in which the page is requested; 0: none
	session string   // what links inside the site have behind their path
	extra   []string // links in addition to those of the graph
	urls    []string // links of pages that are not of the graph
	marking bool     // seams are noted
	whole   bool     // all of a page, not only what its HTML has
	seams   []seam
	spare   []byte
}

const (
	navLinks   = 8  // links in the part for navigation, at most
	linkBytes  = 90 // a link with its text, roughly
	paragraph  = 5  // links in a paragraph
	footer     = "</body>\n</html>\n"
	titleWords = 4 // at most; at least 2
)

// page writes a version of page j and returns it, valid until the next call. It is size
// bytes long, or as long as its links make it.
func (c *composer) page(st *fakeweb.Site, j uint32, version uint32, size int) []byte {
	c.begin(st, j, c.w.rules.textVersion(version))
	links := c.lister.Links(c.w.web, st, j)
	c.links = links
	c.head()
	c.navigation(links[:min(navLinks, len(links))])
	if c.w.rules.opt.Shown {
		x := c.w.shown(st, j)
		c.buf = x.Body(c.buf)
	}
	c.news(version)
	c.noise()
	rest := links[min(navLinks, len(links)):]
	c.text(rest, size-len(footer))
	if c.w.rules.extras {
		c.aside(links)
	}
	c.pad(size - len(footer))
	c.buf = append(c.buf, footer...)
	c.buf = scripted.Shell(c.buf, c.w.rules.opt.Scripted && !c.whole)
	return c.buf
}

func (c *composer) begin(st *fakeweb.Site, j uint32, version uint32) {
	r := &c.w.rules
	c.site, c.j, c.secure = st, j, r.https(st)
	c.words = &c.w.words[r.charset(st)]
	c.random = r.draw(st, streamText, draw.Pair(j, version))
	c.pending = 0
	c.session = r.session(st, j, c.key)
	c.buf = c.buf[:0]
	c.topic = c.w.rules.theme(st, j)
}

func (c *composer) head() {
	r := &c.w.rules
	c.add("<!DOCTYPE html>\n<html lang=\"", c.words.Lang, "\">\n<head>\n")
	if r.declared(c.site) == inMeta {
		c.add(`<meta charset="`, charsetNames[r.charset(c.site)], "\">\n")
	}
	if tag := r.robotsTag(c.site, c.j); tag != "" && !r.tagInHeader(c.site, c.j) {
		c.add(`<meta name="robots" content="`, tag, "\">\n")
	}
	c.feedLink()
	if r.opt.Shown {
		x := c.w.shown(c.site, c.j)
		c.buf = x.Head(c.buf)
	}
	word := r.titleWord(c.site, c.j)
	c.add("<title>")
	c.name(c.site, c.j, word)
	c.add("</title>\n</head>\n<body>\n<h1>")
	c.name(c.site, c.j, word)
	c.add("</h1>\n")
}

// robotsTag returns the value of X-Robots-Tag, or of the meta element in its place.
func (r *pageRules) robotsTag(s *fakeweb.Site, j uint32) string {
	switch follow, archive := r.noFollow(s, j), r.noArchive(s, j); {
	case follow && archive:
		return "nofollow, noarchive"
	case follow:
		return "nofollow"
	case archive:
		return "noarchive"
	}
	return ""
}

func (r *pageRules) tagInHeader(s *fakeweb.Site, j uint32) bool {
	return r.draw(s, streamNoFollow, uint64(j))&1 != 0
}

func (c *composer) navigation(links []graph.Page) {
	if len(links) == 0 {
		return
	}
	c.add("<nav>\n<ul>\n")
	for i, q := range links {
		c.add("<li>")
		c.link(uint64(i), q)
		c.add("</li>\n")
	}
	c.add("</ul>\n</nav>\n")
}

// text writes the other links among words, spread evenly up to a length.
func (c *composer) text(links []graph.Page, size int) {
	start := len(c.buf)
	free := max(0, size-start-linkBytes*len(links))
	for i, q := range links {
		if i%paragraph == 0 {
			c.section(i > 0)
		}
		c.writeClauses(start + linkBytes*i + free/len(links)*i)
		c.add(c.words.Gap)
		c.link(uint64(navLinks+i), q)
	}
	if len(links) > 0 {
		c.add("</p>\n")
	}
}

// section begins a paragraph with a heading.
func (c *composer) section(open bool) {
	if open {
		c.add("</p>\n")
	}
	c.add("<h2>")
	c.word(true)
	c.add(c.words.Gap)
	c.word(false)
	c.add("</h2>\n<p>")
	c.pending = 0
}

// pad fills up to a length: sections of words, then blanks.
func (c *composer) pad(size int) {
	const least = 200 // shorter is not worth a section
	for len(c.buf)+least < size {
		c.section(false)
		c.writeClauses(min(len(c.buf)+1500, size-100))
		c.add("</p>\n")
	}
	for n := size - len(c.buf); n > 0; n-- {
		c.buf = append(c.buf, ' ')
	}
}

// writeClauses writes clauses until the page has a length. A sentence has two to five.
func (c *composer) writeClauses(length int) {
	v, b, pending := c.words, c.buf, c.pending
	for len(b) < length {
		c.random += draw.Golden
		if c.topic.words > 0 {
			if b = c.topic.append(b, draw.Mix(c.random^c.topic.seed)); c.topic.only {
				continue
			}
		}
		for h, n := draw.Mix(c.random), 0; n < 4; h, n = h>>16, n+1 {
			if pending == 0 {
				b = append(b, v.Openings[h%language.Clauses]...)
				pending = 1 + int(h>>14&3)
				continue
			}
			b = append(append(b, v.Gap...), v.Clauses[h%language.Clauses]...)
			if pending--; pending == 0 {
				b = append(b, v.End...)
			}
		}
	}
	c.buf, c.pending = b, pending
}

func (c *composer) word(capital bool) {
	c.random += draw.Golden
	k := c.words.Word(draw.Mix(c.random))
	if c.topic.only {
		c.add(c.topic.name())
	} else if capital {
		c.add(c.words.Capital[k])
	} else {
		c.add(c.words.Plain[k])
	}
}

// name writes the name of page j of a site, which is its title and the text of links to
// it, in the words of the page that is being written, with a word of a topic unless it is "".
func (c *composer) name(st *fakeweb.Site, j uint32, topical string) {
	if evil := c.w.rules.evilTitle(st, j); evil != nil {
		c.add(evil.written, " ")
	}
	at, n := c.w.rules.title(st, j, c.words)
	c.add(c.words.Capital[at[0]])
	for _, k := range at[1:n] {
		c.add(c.words.Gap, c.words.Plain[k])
	}
	if topical != "" {
		c.add(" ", topical)
	}
	c.buf = strconv.AppendUint(append(c.buf, ' '), uint64(st.First+j), 10)
}

// title returns the places of the n words of a title; the id of the page follows them.
func (r *pageRules) title(s *fakeweb.Site, j uint32, v *language.Vocabulary) (at [titleWords]int, n int) {
	h := r.draw(s, streamTitle, uint64(j))
	n = 2 + int(h>>60)%(titleWords-1)
	for i := range n {
		at[i] = v.Word(h >> (12 * i))
	}
	return at, n
}

// Title returns the title of page p, in UTF-8.
func (w *World) Title(p graph.Page) string {
	site, j := w.web.Locate(p)
	v := &w.words[w.rules.charset(&site)]
	at, n := w.rules.title(&site, j, v)
	words := []string{language.Upper(v.Decoded[at[0]])}
	if evil := w.rules.evilTitle(&site, j); evil != nil {
		words[0] = evil.read + " " + words[0]
	}
	for _, k := range at[1:n] {
		words = append(words, v.Decoded[k])
	}
	title := strings.Join(words, v.Gap)
	if word := w.rules.titleWord(&site, j); word != "" {
		title += " " + word
	}
	return title + " " + strconv.Itoa(int(p))
}

func (c *composer) add(parts ...string) {
	for _, p := range parts {
		c.buf = append(c.buf, p...)
	}
}

// other writes a body that is not HTML: a signature, then bytes by hash.
func (c *composer) other(st *fakeweb.Site, j, version uint32, size int, mime string) []byte {
	c.begin(st, j, version)
	switch mime {
	case "application/pdf":
		c.add("%PDF-1.4\n")
	case "image/png":
		c.add("\x89PNG\r\n\x1a\n")
	default:
		c.words = &c.w.words[language.UTF8]
		c.writeClauses(size)
		return c.buf[:size]
	}
	for len(c.buf) < size {
		c.random += draw.Golden
		h := draw.Mix(c.random)
		c.buf = append(c.buf, byte(h), byte(h>>8), byte(h>>16), byte(h>>24), byte(h>>32), byte(h>>40), byte(h>>48), byte(h>>56))
	}
	return c.buf[:max(size, 1)]
}

// evil is the beginning of a title that is written to harm programs that show it: as
// written in a page of any charset, and as it reads.
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
