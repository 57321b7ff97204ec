package page

import "github.com/winnow-crawler/winnow/event"

// The scanner reads a page once, from left to right, and builds no tree: a crawler wants
// links, text and a digest, and a tree would cost more than fetching the page. It works on
// the rules of the HTML standard for tokens (WHATWG 13.2.5) with what little of tree
// construction changes them: raw text does not exist inside svg and math, CDATA exists only
// there. The reference in the tests is the tokenizer of golang.org/x/net/html, with the
// same two rules.
//
// Differences from a browser, on purpose:
//   - noscript is read as markup, because we run no scripts;
//   - an anchor ends at </a>, at the next <a> or at the end of the page, whatever
// was nested between;
//   - contents of template count as contents of the page.

// Kind is the element in which a link was found.
type Kind uint8

const (
	KindAnchor  Kind = iota // a href (in svg also xlink:href)
	KindArea                // area href; its anchor is the alt text
	KindLink                // link href; Rel has its purpose
	KindFrame               // frame src, iframe src
	KindRefresh             // meta refresh
)

// Rel is the set of words of a rel attribute that a crawler acts on.
type Rel uint16

const (
	RelNofollow Rel = 1 << iota
	RelSponsored
	RelUGC
	RelCanonical
	RelNext
	RelPrev
	RelAlternate
	RelStylesheet
	RelIcon
	RelResource // preload, prefetch, manifest..., or an alternate that is not HTML: no page
	RelGuide    // first, last, up, index, contents...: other pages of the same work
	RelFeed     // an alternate that is RSS or Atom
	RelSelf     // the URL of what is sent: the topic of a WebSub notice
)

// Span is a stretch of one of the buffers of a Page.
type Span struct{ Start, End uint32 }

// Link is one link as written: Href is unescaped but neither trimmed nor resolved.
// Page.Href and Page.Anchor return the bytes.
type Link struct {
	Kind   Kind
	Region event.Region // only with ScanOptions.Anchors
	Rel    Rel
	href   Span // of Page.store
	text   Span // of Page.Text for KindAnchor, else of Page.store
	title  Span // of Page.store: the title of an anchor without text, only with ScanOptions.Anchors
}

// Cut is the set of limits that a page exceeded; what was found before stays.
type Cut uint8

const (
	CutLinks  Cut = 1 << iota // more links than ScanOptions.Links
	CutHref                   // a link longer than ScanOptions.Href was dropped
	CutAnchor                 // an anchor was shortened
	CutText                   // Text ends early; the digest does not
	_                         // unused; journals of earlier versions may have it
	CutInput                  // the input was longer than MaxInput
)

// Page is the result of a scan. All slices are its own memory and not the input's:
// they are valid until the Page is scanned into again. A Page is reused without
// allocating once its buffers have grown.
type Page struct {
	Title []byte // first title with words outside svg, white space folded
	Base  []byte // href of the first base that has one
	Links []Link // in the order of the page
	Head  int    // Links[:Head] were found in the head: before its end, the body and any text
	// Text is the visible text: white space folded to one space, or to one line
	// break where a block begins or ends. It holds the alt text of images inside
	// anchors, and bytes that are not UTF-8 where the input has them.
	Text    []byte
	Robots  [][]byte // contents of the meta elements named robots or ScanOptions.Agent, as written
	Refresh int      // seconds of the first meta refresh, -1 if there is none
	Digest  Digest   // of the structural text
	Gist             // of Title and Text, only with ScanOptions.SimHash
	// Pictures is a hash of the sources of img and source elements as they are written, in
	// their order, 0 without any. Beside: one of them is relative to the page.
	Pictures uint64
	Beside   bool
	Dropped  int // links left out because of limits
	Cut      Cut
	// Scripts is the number of script elements.
	Scripts int
	// NeedsDropped is the number of requisites left out because of their number.
	NeedsDropped int

	needs   []Span  // of store: see EachNeed
	store   []byte  // hrefs, title and other values, one after the other
	asides  []aside // only with ScanOptions.Main
	content Span    // of Text: what is in the first main element; likewise
}

// Href returns the target of a link as written, unescaped.
func (p *Page) Href(l Link) []byte { return p.store[l.href.Start:l.href.End] }

// ScanOptions holds the limits and options of a scan. A zero limit means its default. For
// any input, a Page holds at most Links links, Links * (Href + Anchor) bytes in its store,
// and Text bytes of text. Nesting needs no limit.
type ScanOptions struct {
	Links   int    // links kept, 10,000
	Href    int    // bytes of a link, 4,096; longer ones are dropped, not cut
	Anchor  int    // bytes of an anchor text, 512
	Title   int    // bytes of the title and of each other value, 1,024
	Text    int    // bytes of text kept, 1 MiB
	Agent   string // name of the crawler in meta elements, as "winnow"
	SimHash bool   // compute Page.Gist
	Anchors bool   // find the regions of links, and titles of those without text
	Needs   int    // most requisites to find, repeats included; 0: they are not looked for
	Main    bool   // find the regions of the text, for Page.AppendMain; needs Anchors
}

// withDefaults fills in the limits that were not given.
func (o ScanOptions) withDefaults() ScanOptions {
	for _, d := range []struct {
		limit *int
		value int
	}{{&o.Links, 10_000}, {&o.Href, 4096}, {&o.Anchor, 512}, {&o.Title, 1024}, {&o.Text, 1 << 20}} {
		if *d.limit <= 0 {
			*d.limit = d.value
		}
	}
	o.Text = min(o.Text, MaxInput)
	return o
}

// MaxInput is the longest input that is read, so that a Span fits 32 bits even
// when every character reference in it grows.
const MaxInput = 1 << 30

// maxScratch is the most scratch memory that is kept from one page to the next.
const maxScratch = 64 << 10

// Scanner reads pages, one at a time. It holds no results, only options and
// scratch memory, and belongs to one goroutine.
type Scanner struct {
	opt ScanOptions

	html    []byte // the page being read
	pos     int    // next byte of html; never goes back
	page    *Page
	linked  bool // inside an anchor, also one that was dropped: the text must not depend on limits
	anchor  int  // index in Links of the open anchor, -1 if none or dropped
	title   Span // of html: the title of the open anchor
	section section
	aside   bool    // the text is in navigation or footer
	content section // the first main element, with a region while it is open
	body    bool    // the head is over
	foreign int     // depth of svg and math elements around pos
	outside int     // foreign as it was around an open foreignObject
	attrs   attributes
	needs   *needs            // nil: requisites are not looked for
	names   map[string]string // named character references met so far
	scratch []byte
	struc   structure // of the digest
	// examined counts bytes looked at, once for each look, so that tests can show
	// that the work is linear in the input without measuring time.
	examined int
}

// NewScanner returns a new scanner.
func NewScanner(opt ScanOptions) *Scanner {
	s := &Scanner{opt: opt.withDefaults(), names: map[string]string{}}
	if opt.Needs > 0 {
		s.needs = new(needs)
	}
	return s
}

// Scan reads a page in UTF-8 (see Decoder) into p, whose former contents are lost.
// It keeps no reference to html.
func (s *Scanner) Scan(html []byte, p *Page) {
	s.begin(html, p)
	for s.pos < len(s.html) {
		s.readText()
		if s.pos < len(s.html) {
			s.readMarkup()
		}
	}
	s.end()
}

func (s *Scanner) begin(html []byte, p *Page) {
	*p = Page{Links: p.Links[:0], Text: p.Text[:0], Robots: p.Robots[:0], needs: p.needs[:0], store: p.store[:0], asides: p.asides[:0], Refresh: -1}
	if len(html) > MaxInput {
		html = html[:MaxInput]
		p.Cut |= CutInput
	}
	s.html, s.pos, s.page = html, 0, p
	s.linked, s.body, s.anchor, s.foreign, s.outside = false, false, -1, 0, 0
	s.section, s.content, s.aside, s.examined = section{}, section{}, false, 0
	s.struc.reset()
}

func (s *Scanner) end() {
	s.closeAnchor()
	s.endHead()
	s.endMain()
	s.trimText()
	s.page.Digest = s.struc.sum(s.page, s.opt.Text)
	if len(s.page.Text) > s.opt.Text {
		s.page.Cut |= CutText
		s.page.Text = s.page.Text[:cutBefore(s.page.Text, 0, s.opt.Text)]
	}
	if s.opt.SimHash {
		s.page.Gist = GistOf(s.page.Title, s.page.Text)
	}
	if cap(s.scratch) > maxScratch {
		s.scratch = nil
	}
	s.html, s.page = nil, nil
}

// readText copies text up to the next '<' that begins markup, or to the end.
func (s *Scanner) readText() {
	for s.pos < len(s.html) {
		if s.html[s.pos] != '<' {
			s.pos += s.writeText(s.html[s.pos:], '&', '<')
			continue
		}
		if s.startsMarkup() {
			return
		}
		s.pos += s.writeText(s.html[s.pos:s.pos+1], 0, 0) // a '<' that is text
	}
}

// startsMarkup reports whether the '<' at pos begins a tag or a comment. "</" before
// the end of the page is text (WHATWG 13.2.5.7), "</" before anything else is a
// tag or a bogus comment.
func (s *Scanner) startsMarkup() bool {
	if s.pos+1 >= len(s.html) {
		return false
	}
	c := s.html[s.pos+1]
	return class[c]&(letter|opener) != 0 && (c != '/' || s.pos+2 < len(s.html))
}

// readMarkup reads one tag, comment or declaration with what follows from it.
func (s *Scanner) readMarkup() {
	switch c := s.html[s.pos+1]; c {
	case '/':
		s.readEndTag()
	case '!':
		s.readDeclaration()
	case '?':
		s.skipBogus(s.pos + 1)
	default:
		s.readStartTag()
	}
}
