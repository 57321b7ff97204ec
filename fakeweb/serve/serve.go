// Package serve serves a synthetic web: over HTTP, TLS and DNS on loopback addresses, or
// in memory.
//
// A [Server] sends the answers that package answer decides on, and package count records
// who requested what. It listens on loopback addresses ([Server.Listen]), with a DNS
// server for the names, or is reached in memory ([Server.Dial], [Server.Resolve]), where
// testing/synctest makes its waiting virtual. Its [count.Counter] holds what visitors
// did, and its Check reports which rules of politeness they broke.
package serve

import (
	"fmt"
	"net/http"
	"sync"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
)

// A Server answers for all sites of a web, by the Host of a request. What it answers can
// be asked of its World beforehand; what it was asked is in its Counter.
type Server struct {
	*answer.World
	count     *count.Counter
	ca        *authority
	memory    *memory
	setMemory sync.Once
}

// New returns a server for a web.
func New(w *fakeweb.Web, o answer.Options) (*Server, error) {
	world, err := answer.New(w, o)
	if err != nil {
		return nil, fmt.Errorf("serve the synthetic web: %w", err)
	}
	ca, err := newAuthority()
	if err != nil {
		return nil, fmt.Errorf("serve the synthetic web: certificate authority: %w", err)
	}
	return &Server{World: world, count: count.New(world), ca: ca}, nil
}

// Counter returns the record of what visitors did.
func (s *Server) Counter() *count.Counter { return s.count }

// ServeHTTP answers one request and counts it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	t, ok := s.Target(r.Host, r.URL)
	if !ok {
		s.count.UnknownHost()
		http.NotFound(w, r)
		return
	}
	v := s.count.Begin(r, &t)
	a := s.Answer(r, &t, v.State)
	defer func() {
		v.Finish(a)
		a.Close()
	}()
	(&sending{a, v, s.Options().Sleep}).send(w, r)
}
