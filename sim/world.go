package sim

import (
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// A World is what a virtual crawl can find, and how long that takes.
type World struct {
	Out *graph.Lists // links, each list ascending
	// SiteOf is the site of each page, Sites their number. With SiteOf nil every page
	// is a site of its own.
	SiteOf []graph.Site
	Sites  int
	// SelfLinks lets pages find their links to themselves; otherwise those do not
	// exist.
	SelfLinks bool
	// URL and SiteName are what is known of pages and sites. URL is nil when it is not
	// known; policies that go by names need SiteName.
	URL      func(b []byte, p graph.Page) []byte
	SiteName func(graph.Site) string
	// Times is the model of time; nil is a world where nothing takes any.
	Times *Times
	// Allowed tells which pages robots.txt allows: the others are known and wait in their
	// queues until they would be handed out. Class is how a fetch ends: pages of classes
	// that failed take their time, but bring nothing and are not in the order. Both are
	// for worlds that a real crawl recorded; nil is all pages, and OK.
	Allowed func(graph.Page) bool
	Class   func(graph.Page) event.Class
}

func (w *World) pages() int { return w.Out.Pages() }

func (w *World) sites() int {
	if w.SiteOf == nil {
		return w.pages()
	}
	return w.Sites
}

func (w *World) site(p graph.Page) graph.Site {
	if w.SiteOf == nil {
		return graph.Site(p)
	}
	return w.SiteOf[p]
}
