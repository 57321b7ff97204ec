package answer

import (
	"net/http"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/graph"
)

// A FateKind describes what becomes of a page in time.
type FateKind uint8

const (
	Stays    FateKind = iota
	Vanishes          // for good
	Returns           // vanishes for a time
	Moves             // for good, to another URL of its directory
)

var fateNames = [...]string{"stays", "vanishes", "returns", "moves"}

func (k FateKind) String() string { return fateNames[k] }

// A Fate describes what becomes of a page in time. Instants are those of Changes.Clock.
type Fate struct {
	Kind   FateKind
	Status int           // 404 or 410, or 301 or 308 if it moves
	From   time.Duration // it is no longer there from then on
	Until  time.Duration // if it returns: it is there again from then on
}

// Fate returns what becomes of page p.
func (w *World) Fate(p graph.Page) Fate {
	site, j := w.web.Locate(p)
	return w.rules.fate(&site, j)
}

// Gone returns the status with which page p says at an instant that it has vanished: 404,
// 410, or 0 if it is there. An outage of its site and what Truth says count for nothing.
func (w *World) Gone(p graph.Page, at time.Duration) (status int) {
	f := w.Fate(p)
	if f.Gone(at) {
		return f.Status
	}
	return 0
}

// Moved returns the URL to which page p has moved by an instant.
func (w *World) Moved(p graph.Page, at time.Duration) (url string, ok bool) {
	site, j := w.web.Locate(p)
	if f := w.rules.fate(&site, j); !f.moved(at) {
		return "", false
	}
	return string(appendMoved(w.appendOrigin(nil, &site), &site, j)), true
}

// Gone reports whether the page has vanished at an instant.
func (f *Fate) Gone(at time.Duration) bool {
	return f.Kind == Vanishes && at >= f.From || f.Kind == Returns && at >= f.From && at < f.Until
}

func (f *Fate) moved(at time.Duration) bool { return f.Kind == Moves && at >= f.From }

// fate returns what becomes of page j. Home and index pages stay.
func (r *pageRules) fate(s *fakeweb.Site, j uint32) (f Fate) {
	if r.fates[len(r.fates)-1] == 0 {
		return f
	}
	if _, k := s.Place(j); k == 0 {
		return f
	}
	h := r.draw(s, streamFate, uint64(j))
	if f.Kind = FateKind(draw.Pick(r.fates, h)); f.Kind == Stays || r.class(s, j) != OK {
		return Fate{}
	}
	h = draw.Mix(h)
	f.Status, f.From = [...]int{404, 404, 404, 410}[h&3], r.sometime(h)
	switch within := r.opt.Changes.Within; f.Kind {
	case Returns:
		f.Until = f.From + within/20 + time.Duration(draw.Below(draw.Mix(h), uint64(within/2)))
	case Moves:
		f.Status = [...]int{301, 308}[h&1]
	}
	return f
}

// sometime returns an instant in the last nine tenths of Within, so that a visitor can have
// seen how things were before.
func (r *dice) sometime(h uint64) time.Duration {
	within := r.opt.Changes.Within
	return within/10 + time.Duration(draw.Below(h, uint64(within-within/10)))
}

// outage returns when a site answers 404 to everything.
func (r *dice) outage(s *fakeweb.Site) (from, until time.Duration) {
	if !r.meets(r.opt.Changes.Outages, s, streamOutage, 0) {
		return 0, 0
	}
	from = r.sometime(r.draw(s, streamOutage, 1))
	return from, from + r.opt.Changes.OutageFor
}

// out reports whether a site answers 404 to everything at an instant.
func (r *dice) out(s *fakeweb.Site, at time.Duration) bool {
	from, until := r.outage(s)
	return at >= from && at < until
}

// appendMoved appends the path to which page j moves: /d3/m07.html for /d3/p07.html. It is in
// the same directory, so that relative links and the rules of robots.txt mean the same.
func appendMoved(b []byte, s *fakeweb.Site, j uint32) []byte {
	at := len(b)
	b = s.AppendPath(b, j)
	b[at+1+strings.IndexByte(string(b[at+1:]), '/')+1] = 'm'
	return b
}

// movedAt returns the page that moves to a path.
func (r *pageRules) movedAt(s *fakeweb.Site, path string) (j uint32, ok bool) {
	dir, name, found := strings.Cut(path, "/m")
	if !found || r.fates[len(r.fates)-1] == 0 {
		return 0, false
	}
	if j, ok = s.PageAt(dir + "/p" + name); !ok {
		return 0, false
	}
	return j, r.fate(s, j).Kind == Moves
}

// fated answers for a page that is no longer there. It reports whether that is so.
func (a *Answer) fated() bool {
	f := a.w.rules.fate(&a.of, a.j)
	switch {
	case f.Gone(a.At):
		a.missing(f.Status)
	case f.moved(a.At):
		a.setStatus(f.Status)
		a.location = appendMoved(nil, &a.of, a.j)
	default:
		return false
	}
	return true
}

// arrived answers under the URL to which a page moves: with its content from then on.
func (a *Answer) arrived(r *http.Request) {
	if f := a.w.rules.fate(&a.of, a.j); !f.moved(a.At) {
		a.missing(http.StatusNotFound)
		return
	}
	a.content(r, OK)
}
