package fakeweb

import (
	"errors"
	"fmt"
	"sort"

	"github.com/winnow-crawler/winnow/graph"
)

// A Spec describes a synthetic web completely.
type Spec struct {
	Pages int    // at least 1
	Sites int    // at least 1, at most Pages
	Links int64  // exact number of distinct links, at most Pages * (Pages-1)
	Seed  uint64 // any value
	// Topics says what pages are about; the zero value is a web without topics.
	Topics Topics
}

func (s Spec) check() error {
	switch {
	case s.Pages < 1:
		return fmt.Errorf("%d pages: a web has at least one", s.Pages)
	case int64(s.Pages) > graph.MaxPages:
		return fmt.Errorf("%d pages: a graph holds at most %d", s.Pages, int64(graph.MaxPages))
	case s.Sites < 1:
		return fmt.Errorf("%d sites: a web has at least one", s.Sites)
	case s.Sites > s.Pages:
		return fmt.Errorf("%d sites in %d pages: every site has at least its home page", s.Sites, s.Pages)
	case s.Links < 0:
		return errors.New("a negative number of links")
	case s.Links > 0 && (s.Links-1)/int64(s.Pages) >= int64(s.Pages-1):
		return fmt.Errorf("%d links: %d pages have at most %d distinct ones without self-links",
			s.Links, s.Pages, uint64(s.Pages)*uint64(s.Pages-1))
	}
	return s.Topics.check()
}

// A Web is a synthetic web. It never changes and may be used by several
// goroutines at once.
type Web struct {
	spec Spec

	// first[s] is the home page of site s, first[Sites] the number of pages.
	first []uint32

	deg    degrees
	topics *topics // nil without topics
}

// New lays out the sites and decides how many links each page gets. It takes time
// proportional to Pages (some tens of nanoseconds each) and memory proportional to Sites.
func New(spec Spec) (*Web, error) {
	if err := spec.check(); err != nil {
		return nil, fmt.Errorf("synthetic web: %w", err)
	}
	w := &Web{spec: spec, first: layout(spec)}
	w.deg = w.settle()
	w.topics = w.layTopics()
	return w, nil
}

// Spec returns what the web was made from.
func (w *Web) Spec() Spec { return w.spec }

// Sites returns the number of sites.
func (w *Web) Sites() int { return w.spec.Sites }

// Home returns the home page of site s. Its other pages follow it.
func (w *Web) Home(s graph.Site) graph.Page { return graph.Page(w.first[s]) }

// Size returns the number of pages of site s.
func (w *Web) Size(s graph.Site) int { return int(w.first[s+1] - w.first[s]) }

// SiteOf returns the site of page p.
func (w *Web) SiteOf(p graph.Page) graph.Site {
	n := sort.Search(w.spec.Sites, func(s int) bool { return w.first[s+1] > uint32(p) })
	return graph.Site(n)
}

// Locate returns the site of page p, and the number of p in it.
func (w *Web) Locate(p graph.Page) (s Site, j uint32) {
	s = w.Site(w.SiteOf(p))
	return s, uint32(p) - s.First
}

// Each calls fn for every page in ascending order with its links, ascending and
// distinct. The slice is only valid during the call. Each stops at the first error of
// fn and returns it.
func (w *Web) Each(fn func(p graph.Page, links []graph.Page) error) error {
	var list Lister
	for s := range w.spec.Sites {
		site := w.Site(graph.Site(s))
		for j := range site.Pages {
			p := graph.Page(site.First + j)
			if err := fn(p, list.Links(w, &site, j)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Links appends the links of page p, ascending and distinct, to dst: the same that
// Each passes to fn.
func (w *Web) Links(dst []graph.Page, p graph.Page) []graph.Page {
	var list Lister
	site, j := w.Locate(p)
	return append(dst, list.Links(w, &site, j)...)
}

// Streams of the graph. Renumbering them changes every generated graph.
const (
	streamSite    = iota + 1 // one seed per site
	streamOrder              // which site has which size
	streamDegree             // dangling or not, number of links
	streamMenu               // decisions shared by a directory
	streamLocal              // local slots and prototypes
	streamRemote             // remote slots and prototypes
	streamFill               // where the last resort begins
	streamLead               // which sites are about a topic
	streamDir                // and which directories
	streamShy                // and which of these do not say so
	streamSubject            // what pages are about
	streamURL                // words in URLs
	streamSteer              // links to pages of the same topic
)
