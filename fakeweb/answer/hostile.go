package answer

import "time"

// CopyShares are the shares of pages and sites whose content has more than one URL. Only
// what a crawl can fetch is copied, and whoever finds a copy finds the original beside it:
// a crawl needs no copy.
type CopyShares struct {
	Same      float64 // pages with exact copies on their site: /copy/d3/p07.html, ?print=1, /D3/, /d3/index.html
	Elsewhere float64 // pages with an exact copy on another site: /from/4711.html
	Near      float64 // long pages with a copy whose counter and date differ: /print/d3/p07.html
	Mirrors   float64 // sites whose pages stand on m042.example, too, a tenth of them with another text
}

// TrapShares are the shares of sites that have a trap: URLs without end behind a few links.
// What is there is a function of the URL; nothing is stored.
type TrapShares struct {
	Calendar         float64 // the next month, for ever; each page says the same, or the same but for the date
	GrowingPath      float64 // /shop/river/lantern/...: always deeper, always another word
	RepeatedSegments float64 // /browse/a/b/a/b/...: the same segments again and again
	GrowingQuery     float64 // /list?f=1&f=2&f=3...
	SessionQuery     float64 // all links inside the site carry an id that every page draws anew: ?PHPSESSID=, ?sid=, ;jsessionid=
	SessionUnknown   float64 // the same under a name that says nothing, ?zx=; no part of Hostile
	SessionPath      float64 // some links do, in the path: /s-0123456789abcdef/d3/p07.html
	SelfAppending    float64 // relative links without the slash that they need: /archive/more/more/back/...
	Soft404          float64 // any unknown path answers 200, "not found" and links to further ones
	CopyDirectory    float64 // /again/...: new names for the same three pages of the site
	Farm             float64 // the home page is the door to a link farm of its own: f042-0.example and so on
	Wildcard         float64 // every name below that of the site resolves, and leads to further ones

	FarmSites int // hosts of a link farm; 0 means 20
	FarmPages int // pages of each of them; 0 means 2,000
}

// ServerShares are the shares of sites whose servers misbehave as a whole. Refused and
// Silent exclude each other. The site of page 0 is spared.
type ServerShares struct {
	Storm      float64       // answers 429 or 503 to all but robots.txt once, for StormFor, with or without Retry-After
	StormAfter int           // the storm begins with one of the first so many requests; 0 means 20
	StormFor   time.Duration // 0 means 5 s
	Errors     float64       // answers 500 at once for nine of ten pages
	Refused    float64       // refuses connections
	Silent     float64       // never takes a connection: attempts time out
}

// list returns the shares in the order of Down.
func (s *ServerShares) list() []float64 { return []float64{s.Refused, s.Silent} }

// fill puts defaults in place of zeros.
func (s *ServerShares) fill() {
	set(&s.StormAfter, 20)
	set(&s.StormFor, 5*time.Second)
}

// fill puts defaults in place of zeros.
func (t *TrapShares) fill() {
	set(&t.FarmSites, 20)
	set(&t.FarmPages, 2000)
}

// any reports whether there are traps.
func (t *TrapShares) any() bool {
	return t.Calendar+t.GrowingPath+t.RepeatedSegments+t.GrowingQuery+t.SessionQuery+t.SessionUnknown+t.SessionPath+
		t.SelfAppending+t.Soft404+t.CopyDirectory+t.Farm+t.Wildcard > 0
}

// any reports whether there are copies.
func (c *CopyShares) any() bool { return c.Same+c.Elsewhere+c.Near+c.Mirrors > 0 }

// Hostile returns the options of a mixed web with everything that makes a web hostile:
// duplicates, traps, and servers that break the rules. Most of such a web can still be
// crawled, but for a crawler that walks into them the traps outnumber it by far.
func Hostile() Options {
	o := Mixed()
	p := &o.Pages
	p.Hang, p.Drip, p.CutHeader, p.CutBody = 0.001, 0.001, 0.005, 0.005
	p.EndlessHeader, p.EndlessBody, p.FalseLength = 0.001, 0.001, 0.002
	p.BrokenCoding, p.WrongCharset, p.BadUTF8 = 0.005, 0.01, 0.01
	p.Loop, p.Chain, p.Crowd, p.Bomb = 0.005, 0.005, 0.0002, 0.0005
	o.Titles = 0.01
	o.Robots.Changing, o.Robots.Endless, o.Robots.Hanging = 0.05, 0.01, 0.01
	o.Copies = CopyShares{Same: 0.03, Elsewhere: 0.02, Near: 0.03, Mirrors: 0.03}
	o.Traps = TrapShares{
		Calendar: 0.02, GrowingPath: 0.02, RepeatedSegments: 0.02, GrowingQuery: 0.02, SessionQuery: 0.03, SessionPath: 0.02,
		SelfAppending: 0.02, Soft404: 0.03, CopyDirectory: 0.02, Farm: 0.01, Wildcard: 0.01,
	}
	o.Servers = ServerShares{Storm: 0.05, Errors: 0.01, Refused: 0.04, Silent: 0.02}
	return o
}
