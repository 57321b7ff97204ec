package frontier

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
)

// An end is a fetch under way in the command crawl.
type end struct {
	at   time.Duration
	work event.Task
}

// crawl drives the frontier over the web of the script: r fetchers, each page takes
// took. It prints when what is begun.
func (s *script) crawl(a *arguments) {
	r, took, most := max(1, int(a.number("r"))), a.duration("took"), int(a.number("pages"))
	if most == 0 {
		most = math.MaxInt
	}
	a.finish()
	var ends []end
	start := func(w event.Task) {
		s.printf("%v %s", s.now, s.begin(w))
		ends = append(ends, end{s.now + took, w})
		most--
	}
	for {
		ask := event.Never
		for len(ends) < r && most > 0 {
			w, again, ok := s.f.Next(s.now)
			s.refusals()
			if ask = again; !ok {
				break
			}
			start(w)
		}
		slices.SortFunc(ends, func(a, b end) int {
			return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.work.Site, b.work.Site))
		})
		switch {
		case len(ends) == 0 && (ask == event.Never || most == 0):
			return
		case len(ends) == 0 || len(ends) < r && most > 0 && ask < ends[0].at:
			s.now = ask
			continue
		}
		e := ends[0]
		ends = ends[1:]
		s.now = e.at
		s.finishWork(e.work)
		if e.work.Kind == event.Fetch && most > 0 {
			if w, ok := s.f.More(s.now, e.work.Site); ok {
				start(w)
			}
			s.refusals()
		}
	}
}

func (s *script) finishWork(w event.Task) {
	site := s.sites.names[w.Site]
	switch w.Kind {
	case event.Resolve:
		s.resolved(&arguments{s: s, words: []string{site}, keys: map[string]string{"addr": "1"}})
	case event.Robots:
		s.ruled(&arguments{s: s, words: []string{site}})
	case event.Sitemap:
		s.listed(&arguments{s: s, words: []string{site}, keys: map[string]string{}})
	case event.Fetch:
		name := s.pages.names[w.Page]
		s.done(&arguments{s: s, words: []string{name}, links: s.web[name]}, false)
	}
}
