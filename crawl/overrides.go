package crawl

import (
	"time"

	"github.com/winnow-crawler/winnow/crawl/page"
)

// overrides are the exceptions of a configuration, asked for by site. A crawl has few
// of them or none.
type overrides struct {
	c       *Config
	headers *SiteHeaders
}

func newOverrides(c *Config) overrides { return overrides{c: c, headers: NewSiteHeaders(c)} }

// of is the override of a site, nil if there is none.
func (o *overrides) of(site []byte) *Override {
	if len(o.c.Site) == 0 {
		return nil
	}
	return o.c.OverrideFor(string(page.Host(site)))
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
