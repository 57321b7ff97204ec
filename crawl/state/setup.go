package state

import (
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/trouble"
)

// Setup holds what a state is made with. The same setup and the same records give the
// same state.
type Setup struct {
	Crawl, secret      [16]byte
	Policy, SitePolicy *policy.Choice
	batch              int
	random             uint64
	Frontier           frontier.Options // MaxPages and MaxSites included
	limited            bool             // a policy takes only so many pages
	robots             bool             // robots.txt is obeyed
	trouble            trouble.Rules
	recrawl            bool // pages are visited again
	// SiteDelay returns the delay of a site that has one of its own; nil: none has one.
	SiteDelay func(site []byte) (time.Duration, bool)
}

// NewSetup returns the setup that a configuration asks for, with room for what fits into
// so many bytes of memory.
func NewSetup(c *config.Config, id layout.Identity, memory int64) (*Setup, error) {
	set := &Setup{Crawl: id.Crawl, secret: id.Secret, batch: c.Batch, random: c.RandomSeed, robots: c.Robots, recrawl: c.Recrawl.Duration > 0}
	set.trouble = trouble.Rules{Retries: c.Retries, Delay: c.RetryDelay.Duration, Random: c.RandomSeed}
	var err error
	if set.Policy, err = policy.Choose(c.Policy); err != nil {
		return nil, err
	}
	if c.SitePolicy != "" {
		if set.SitePolicy, err = policy.Choose(c.SitePolicy); err != nil {
			return nil, err
		}
	}
	pages := roomFor(memory)
	for _, p := range []*policy.Choice{set.Policy, set.SitePolicy} {
		if p != nil && p.Spec.MaxPages > 0 {
			pages, set.limited = min(pages, p.Spec.MaxPages), true // it takes its time for each page
		}
	}
	set.Frontier = frontier.Options{
		Delay: c.Delay.Duration, SmallDelay: c.SmallDelay.Duration, SmallSite: c.SmallSite,
		Factor: c.DelayFactor, FactorMax: c.DelayMax.Duration,
		BackOff: c.RetryDelay.Duration / 2, BackOffMax: trouble.MaxWait,
		PerConnection: c.PerConnection,
		Resolve:       c.Proxy == "", Robots: c.Robots,
		AddressCap: c.IPCap, AddressDelay: c.IPDelay.Duration,
		Slow: c.SlowAnswer.Duration, SlowFactor: c.SlowFactor, SlowTimes: c.SlowTimes, SlowDelay: c.SlowDelay.Duration, SlowMax: c.SlowMax.Duration,
		Slice: workSlice, Hold: true,
		Depths:   c.MaxDepth >= 0 || c.MaxDepthDynamic >= 0,
		MaxPages: pages, MaxSites: max(1<<10, pages/2),
	}
	return set, nil
}

// Fit makes room for what a journal has made known, and for more, whatever the ceiling of
// memory allows now. A ceiling pauses the crawl; it must not make it forget links.
func (set *Setup) Fit(c journal.Commit) {
	more := 2
	if set.limited {
		more = 1
	}
	f := &set.Frontier
	f.MaxPages, f.MaxSites = max(f.MaxPages, more*int(c.Pages)), max(f.MaxSites, more*int(c.Sites))
}

// workSlice is how many links a policy may work on between two events: some milliseconds.
const workSlice = 200_000

// A page takes from LeastPerPage to MostPerPage bytes, by the options, the policy and its
// links. MostPerSite is more than a site takes with its name.
const LeastPerPage, MostPerPage, MostPerSite = 40, 320, 640

// roomFor returns for how many pages to reserve address space under a ceiling of memory:
// more than will ever fit.
func roomFor(memory int64) int { return int(min(max(memory/LeastPerPage, 1<<16), 1<<31)) }
