package frontier

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/topic"
)

// Options configures the mechanism: politeness, connections, batches. The zero value is the
// pure ordering experiment: no delays, no addresses, no robots.txt, one page at a time from
// a site, no batches.
type Options struct {
	// Delay is the time from the end of an answer to the next request to the site. Sites
	// with fewer than SmallSite known pages have SmallDelay instead.
	Delay      time.Duration
	SmallDelay time.Duration
	SmallSite  int
	// Factor makes the delay at least Factor times the download time (10 in Mercator), up
	// to FactorMax, where 0 means no limit. A Factor of 0 has no effect.
	Factor    float64
	FactorMax time.Duration
	// BackOff is the delay after the first of several failures in a row. It doubles with
	// each, up to BackOffMax, where 0 means no limit, and is spread by up to a quarter. A
	// BackOff of 0 has no effect.
	BackOff    time.Duration
	BackOffMax time.Duration
	// PerConnection is the number of pages requested in one acquisition of a site; 0
	// means 1.
	PerConnection int
	// Requisites lets what pages need to be shown be handed out; otherwise it waits.
	Requisites bool
	// KeepAlive is the time for which a connection stays open without a request, so that
	// the next request to the site needs no new one; 0 closes it after each acquisition.
	// Such connections count towards AddressCap. See Lines.
	KeepAlive time.Duration

	// Resolve and Robots make a site need its address and its robots.txt before its
	// first page.
	Resolve bool
	Robots  bool
	// Allowed reports whether the robots.txt of its site allows a page. It is called when
	// the page would be handed out. If nil, all pages are allowed.
	Allowed func(graph.Page) bool
	// Barred, if not nil, is called at the same moment and returns another reason not to
	// fetch the page, or NoBar.
	Barred func(graph.Page) event.Bar
	// Spare, if not nil, is called with the best page of a site before the address or the
	// robots.txt of the site is requested. If it returns a bar, the page is refused, and
	// the request may be spared.
	Spare func(graph.Page) event.Bar
	// Forbid, if not nil, is called with the best page of a site before every task that
	// the site needs first: its address, its robots.txt, a sitemap file. If it returns a
	// bar, the page is refused before anything is requested.
	Forbid func(graph.Page) event.Bar
	// AddressCap is the number of simultaneous requests to one IP address; 0 means no
	// limit. AddressDelay is the time from the end of one to the start of the next.
	AddressCap   int
	AddressDelay time.Duration

	// SiteDelay, if not nil, returns the delay of a site that replaces Delay and
	// SmallDelay, and whether it has one.
	SiteDelay func(graph.Site) (d time.Duration, ok bool)
	// Twin is called once for each site when it becomes known. It returns the known site
	// of the same host with the other scheme, or NoSite. The two share one clock and are
	// never acquired at the same time. If nil, no site has a twin.
	Twin func(graph.Site) graph.Site
	// Hold keeps a site from being requested after each end of a task that its server has
	// seen (Ruled, Listed, Done), until Settle was called for each of them. A site that another
	// partition has told about (Linked, Asked) is kept from its first request in the same way.
	Hold bool
	// Slow is the time beyond which an answer is slow; 0 means that none is. With a
	// SlowFactor the limit is at least SlowFactor times what 95 of 100 answers take. After
	// SlowTimes slow answers in a row a site is requested for one page at a time, after
	// SlowDelay, which doubles with each further slow answer, up to SlowMax, where 0 means
	// no limit. A good answer that is not slow ends it.
	Slow       time.Duration
	SlowTimes  int
	SlowFactor float64
	SlowDelay  time.Duration
	SlowMax    time.Duration

	// Depths makes Depth exact: the links of all fetched pages are kept, and when a page
	// turns out to be nearer to a seed, so are the pages behind it. It costs 8 bytes a
	// page and 4 a link.
	Depths bool

	// Mode selects how batches work. Batch is the number of pages of one.
	Mode  Mode
	Batch int
	// MinActive ends a batch when fewer tasks are under way and nothing can be handed
	// out. The rest of the batch is carried over.
	MinActive int
	// Quiet, if not nil, ends a batch in the same way when it reports that the network is used
	// too little (thesis, 4.4).
	Quiet func() bool
	// BatchWait ends a batch of mode Thesis when nothing is under way and nothing of it can
	// be handed out for longer than that. Pages of sites that may not be requested for so long
	// are not chosen. 0 lets batches wait for all their pages.
	BatchWait time.Duration
	// SiteShare is the largest share of a batch that one site may have; 0 means all.
	SiteShare float64
	// Batched, if not nil, is called with the pages of each batch. The slice is reused.
	Batched func(now time.Duration, pages []graph.Page)

	// Scores makes the frontier know the scores of pages by the function of its environment, also
	// if no policy orders by them: see Worth.
	Scores bool

	// WaitForBetter is how long a site is left idle at most, rather than requested for a page that
	// is not among the best, if the number of pages is limited (Frontier.Limit); 0: not at all.
	WaitForBetter time.Duration

	// Topic is what the crawl is about, nil if it is about nothing in particular.
	Topic *topic.Topic

	// Partitions is the number of partitions into which the crawl is cut, and Self the one whose
	// pages are handed out here; 0 means that it is not cut. Owner is called once for each site
	// when it becomes known, and returns its partition. The driver bars the pages of others as
	// foreign, unless there is another reason not to fetch them.
	Partitions int
	Self       int
	Owner      func(graph.Site) int

	// Slice is the number of links that a policy may work on after each attempt at a page.
	// Pages are handed out before it has finished. 0 lets it finish.
	Slice int
	// Random is the seed of jitter.
	Random uint64
	// MaxPages and MaxSites are the most that will ever be known.
	MaxPages, MaxSites int
	// MaxAddresses is the most IP addresses that will ever be known; 0 means 1024 plus
	// four times MaxSites.
	MaxAddresses int
	// MaxLinks is the most links that will be kept for policies that read them again; 0
	// means 256 a page. It costs address space, not memory.
	MaxLinks int
}

// MaxPartitions is the largest number of partitions.
const MaxPartitions = 1 << 12

// verdict returns the reason not to hand out p, or NoBar.
func (o *Options) verdict(p graph.Page) event.Bar {
	switch {
	case o.Allowed != nil && !o.Allowed(p):
		return event.BarRobots
	case o.Barred != nil:
		return o.Barred(p)
	}
	return event.NoBar
}

// forbidden returns the reason not to request what a site needs for its page p, or NoBar.
// spare reports whether Spare is to be called.
func (o *Options) forbidden(p graph.Page, spare bool) (bar event.Bar) {
	if o.Forbid != nil {
		bar = o.Forbid(p)
	}
	if bar == event.NoBar && o.Spare != nil && spare {
		bar = o.Spare(p)
	}
	return bar
}

// Mode is a way to work in batches.
type Mode uint8

// The modes.
const (
	// Continuous hands out whatever is best now. Policies may rescore every K pages,
	// but no fetcher waits for it.
	Continuous Mode = iota
	// Thesis chooses K pages and hands out only those. When the last of them is done it
	// chooses the next K, as in section 4.4 of the thesis.
	Thesis
	// Ahead chooses the next K pages as soon as nothing of the batch can be handed out,
	// without waiting for those under way.
	Ahead
)

var modeNames = [...]string{"continuous", "thesis", "ahead"}

func (m Mode) String() string { return modeNames[m] }

// ModeNames returns the names of the modes.
func ModeNames() []string { return modeNames[:] }

// MarshalText writes the name of the mode.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Type names the kind of value in the help of flags.
func (m Mode) Type() string { return "string" }

// Set reads the name of a mode. It makes a Mode a flag.
func (m *Mode) Set(name string) error {
	i := slices.Index(modeNames[:], name)
	if i < 0 {
		return fmt.Errorf("unknown batch mode %q: it can be %v", name, modeNames)
	}
	*m = Mode(i)
	return nil
}

// Check returns an error if a value makes no sense.
func (o *Options) Check() error {
	delays := []struct {
		name string
		d    time.Duration
	}{{"delay", o.Delay}, {"delay of small sites", o.SmallDelay}, {"limit of the delay by download time", o.FactorMax},
		{"back-off", o.BackOff}, {"limit of back-off", o.BackOffMax},
		{"time of a slow answer", o.Slow}, {"delay of slow sites", o.SlowDelay}, {"limit of the delay of slow sites", o.SlowMax}, {"delay of addresses", o.AddressDelay}, {"time of an idle connection", o.KeepAlive}, {"time to wait for better pages", o.WaitForBetter}}
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
	case o.Partitions < 0 || o.Partitions > MaxPartitions || o.Partitions > 0 && (o.Self < 0 || o.Self >= o.Partitions || o.Owner == nil):
		return fmt.Errorf("there is no partition %d of %d", o.Self, o.Partitions)
	case !(o.SiteShare >= 0 && o.SiteShare <= 1):
		return fmt.Errorf("the share of a site in a batch (%v) is not between 0 and 1", o.SiteShare)
	}
	return nil
}
