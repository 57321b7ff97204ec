package gather

import (
	"sync"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/fetch"
)

// Places are where pages are parsed, so many at a time, and hold what is needed for that. Crawls that
// share processors share them.
type Places struct {
	Desks   archive.Desks
	Buffers fetch.Buffers // of bodies that are parsed there
	taken   chan struct{}
}

// NewPlaces returns places for so many pages.
func NewPlaces(n int) *Places { return &Places{taken: make(chan struct{}, n)} }

// A Pool lends gatherers with the same options, each for a place. They have buffers of some hundred
// kilobytes: the one that was used last is lent first.
type Pool struct {
	options *Options
	places  *Places
	mu      sync.Mutex
	idle    []*Gatherer
}

// NewPool returns a pool of gatherers, which are made when they are first needed.
func NewPool(o *Options, p *Places) *Pool { return &Pool{options: o, places: p} }

// Get waits for a place and returns a gatherer.
func (p *Pool) Get() *Gatherer {
	p.places.taken <- struct{}{}
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return New(p.options)
	}
	g := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return g
}

// Put gives a gatherer and its place back. A gatherer that is nil is not used again.
func (p *Pool) Put(g *Gatherer) {
	if g != nil {
		p.mu.Lock()
		p.idle = append(p.idle, g)
		p.mu.Unlock()
	}
	<-p.places.taken
}
