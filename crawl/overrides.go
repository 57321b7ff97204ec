package crawl

import (
	"net/http"
	"time"

	"github.com/winnow-crawler/winnow/crawl/page"
)

// overrides are the exceptions of a configuration, asked for by site. A crawl has few
// of them or none.
type overrides struct {
	c       *Config
	headers map[*Override]http.Header
}

func newOverrides(c *Config) overrides {
	o := overrides{c: c, headers: map[*Override]http.Header{}}
	for i := range c.Site {
		o.headers[&c.Site[i]] = c.Headers(&c.Site[i])
	}
	return o
}

// of is the override of a site, nil if there is none.
func (o *overrides) of(site []byte) *Override {
	if len(o.c.Site) == 0 {
		return nil
	}
	return o.c.OverrideFor(string(page.Host(site)))
}

func (o *overrides) header(site []byte) http.Header {
	if x := o.of(site); x != nil {
		return o.headers[x]
	}
	return nil
}

func (o *overrides) perConnection(site []byte) int {
	if x := o.of(site); x != nil {
		return x.PerConnection
	}
	return 0
}

func (o *overrides) pages(site []byte) int {
	if x := o.of(site); x != nil {
		return x.MaxPages
	}
	return 0
}

// delay is the delay of a site, and whether the configuration has one of its own for
// it.
func (o *overrides) delay(site []byte) (time.Duration, bool) {
	if x := o.of(site); x != nil && x.Delay != nil {
		return x.Delay.Duration, true
	}
	return 0, false
}
