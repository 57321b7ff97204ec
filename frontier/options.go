package frontier

import (
	"fmt"
	"math"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// Options are the mechanism: politeness, connections, batches. The zero value is the
// pure ordering experiment: no delays, no addresses, no robots.txt, one page at a time
// from a site, no batches.
type Options struct {
	// Delay is w: the time from the end of an answer to the next request to the site
	// (S1). Sites with fewer than SmallSite known pages have SmallDelay instead.
	Delay      time.Duration
	SmallDelay time.Duration
	SmallSite  int
	// Factor makes the delay at least so many times the download time (10 in Mercator),
	// up to FactorMax, where 0 is no limit; a Factor of 0 does not.
	Factor    float64
	FactorMax time.Duration
	// BackOff is the delay after the first of several failures in a row; it doubles
	// with each, up to BackOffMax, where 0 is no limit, and is spread by up to a quarter.
	// A BackOff of 0 is none.
	BackOff    time.Duration
	BackOffMax time.Duration
	// PerConnection is c: pages asked for in one acquisition of a site (S2); 0 means 1.
	PerConnection int

	// Resolve and Robots make a site need its address and its robots.txt before its
	// first page.
	Resolve bool
	Robots  bool
	// Allowed reports whether the robots.txt of its site allows a page; nil allows all.
	// It is asked when the page would be handed out.
	Allowed func(graph.Page) bool
	// Barred, if not nil, is asked at the same moment whether something else speaks
	// against the page by now; NoBar: nothing does.
	Barred func(graph.Page) event.Bar
	// Spare, if not nil, is asked what speaks against the best page of a site before the
	// site is asked for anything: its address and its robots.txt would be for nothing.
	Spare func(graph.Page) event.Bar
	// Forbid, if not nil, is asked before every work that a site needs for the sake of its
	// pages, whatever is known of the site: its address, its robots.txt, a sitemap file.
	// What it says against the best page is said before anything is asked.
	Forbid func(graph.Page) event.Bar
	// AddressCap is the number of requests at a time to one IP address, 0 any number;
	// AddressDelay the time from the end of one to the start of the next.
	AddressCap   int
	AddressDelay time.Duration

	// SiteDelay, if not nil, is asked for a delay of one site that stands in place of
	// Delay and SmallDelay; not ok: it has none of its own.
	SiteDelay func(graph.Site) (d time.Duration, ok bool)
	// Twin is asked once for each site, when it becomes known: it is the known site of
	// the same host under the other scheme, NoSite if there is none. The two share one
	// clock and are never acquired at the same time. Nil: no site has a twin.
	Twin func(graph.Site) graph.Site
	// Hold keeps a site, after each of its works that its server has seen (Ruled,
	// Listed, Done), from being asked until Settle was called for each of them.
	Hold bool
	// Slow is the time of an answer beyond which it is slow; 0 none is. With a SlowFactor it
	// is slow beyond so many times what 95 of 100 answers take, if that is longer. After SlowTimes
	// slow answers in a row a site is asked for one page at a time, after SlowDelay, and
	// after twice the time with each further slow one, up to SlowMax, where 0 is no
	// limit; a good answer that is not slow ends it (W17).
	Slow       time.Duration
	SlowTimes  int
	SlowFactor float64
	SlowDelay  time.Duration
	SlowMax    time.Duration

	// Depths makes Depth exact: the links of all pages that came are kept, and when a page
	// turns out to be nearer to a seed than it was, so are the pages behind it. It costs 8
	// bytes a page and 4 a link.
	Depths bool

	// Mode is how batches work, Batch the pages of one (K).
	Mode  Mode
	Batch int
	// MinActive ends a batch when fewer works are under way and nothing can be handed
	// out (S13); what is left is carried over.
	MinActive int
	// SiteShare is the largest share of a batch that one site may have (S12); 0 is all.
	SiteShare float64
	// Batched, if not nil, is told the pages of each batch. The slice is used again.
	Batched func(now time.Duration, pages []graph.Page)

	// Slice is the number of links that a policy may work on between two events; what
	// is left is done later, and pages are handed out in the meantime. 0 lets it
	// finish.
	Slice int
	// Random is the seed of jitter.
	Random uint64
	// MaxPages and MaxSites are the most that will ever be known.
	MaxPages, MaxSites int
	// MaxAddresses is the most IP addresses that will ever be known; 0 means 1024 and four
	// times MaxSites.
	MaxAddresses int
	// MaxLinks is the most links that will be kept for policies that read them again; 0
	// means 256 a page. It costs address space, not memory.
	MaxLinks int
}

// Mode is a way to work in batches.
type Mode uint8

// The modes.
const (
	// Continuous hands out whatever is best now. Policies may rescore every K pages,
	// but no fetcher waits for it.
	Continuous Mode = iota
	// Thesis works as the thesis does (4.4): K pages are chosen, only they are handed
	// out, and when the last of them has come the next K are chosen.
	Thesis
	// Ahead chooses the next K pages as soon as nothing of the batch can be handed
	// out, without waiting for those under way (S14).
	Ahead
)

var modeNames = [...]string{"continuous", "thesis", "ahead"}

func (m Mode) String() string { return modeNames[m] }

// ModeNames lists the names of the modes.
func ModeNames() []string { return modeNames[:] }

// ParseMode finds a mode by its name.
func ParseMode(name string) (Mode, error) {
	for m, n := range modeNames {
		if n == name {
			return Mode(m), nil
		}
	}
	return 0, fmt.Errorf("unknown batch mode %q: it can be %v", name, modeNames)
}

// Check finds values that make no sense.
func (o *Options) Check() error {
	delays := []struct {
		name string
		d    time.Duration
	}{{"delay", o.Delay}, {"delay of small sites", o.SmallDelay}, {"limit of the delay by download time", o.FactorMax},
		{"back-off", o.BackOff}, {"limit of back-off", o.BackOffMax},
		{"time of a slow answer", o.Slow}, {"delay of slow sites", o.SlowDelay}, {"limit of the delay of slow sites", o.SlowMax}, {"delay of addresses", o.AddressDelay}}
	for _, v := range delays {
		if v.d < 0 {
			return fmt.Errorf("the %s is negative (%v)", v.name, v.d)
		}
	}
	switch {
	case !(o.Factor >= 0) || math.IsInf(o.Factor, 1):
		return fmt.Errorf("the delay factor (%v) is negative or not a finite number", o.Factor)
	case o.PerConnection < 0:
		return fmt.Errorf("the number of pages per connection is negative (%d)", o.PerConnection)
	case o.Mode != Continuous && o.Batch < 1:
		return fmt.Errorf("a batch of %d pages has none", o.Batch)
	case o.AddressCap < 0:
		return fmt.Errorf("the number of requests at a time to an address is negative (%d)", o.AddressCap)
	case o.Slow > 0 && o.SlowTimes < 1:
		return fmt.Errorf("a site cannot be slow after %d slow answers", o.SlowTimes)
	case !(o.SlowFactor >= 0) || math.IsInf(o.SlowFactor, 1):
		return fmt.Errorf("the factor of slow answers (%v) is negative or not a finite number", o.SlowFactor)
	case o.MinActive < 0:
		return fmt.Errorf("the least number of active fetchers is negative (%d)", o.MinActive)
	case !(o.SiteShare >= 0 && o.SiteShare <= 1):
		return fmt.Errorf("the share of a site in a batch (%v) is not between 0 and 1", o.SiteShare)
	}
	return nil
}
