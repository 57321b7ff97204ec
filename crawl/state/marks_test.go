package state

import (
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// A page is read if two pages with something new link to it. Links of copies do not count.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		links []bool // whether they vouch
		want  bool
	}{{nil, false}, {[]bool{true}, false}, {[]bool{true, false, false}, false}, {[]bool{false, true, true}, true}} {
		m := marks{graph.NewColumn[uint32]("test", 10)}
		m.in.Append(0)
		for _, vouches := range c.links {
			m.link(0, vouches)
		}
		if m.has(0, read) != c.want || m.LinksIn(0) != int64(len(c.links)) {
			t.Errorf("links %v: read is %v, with %d links", c.links, m.has(0, read), m.LinksIn(0))
		}
	}
}
