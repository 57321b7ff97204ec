package frontier

import (
	"math"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/score"
)

// A Frontier holds all known pages and hands out the next one. It has one owner and no
// lock.
type Frontier struct {
	parts
	tasks   dispatcher
	columns graph.Set     // of pages, sites, boards and policies
	layout  string        // see Layout
	outcome event.Outcome // scratch: that of the event being applied
}

// parts holds the parts of a frontier.
type parts struct {
	o        *Options
	policies *policies
	orders   *orders
	sites    *sites
	pages    *pages
	topical  *Topical // nil if the crawl has no topic
}

// New returns an empty frontier with the policy of the pages and, unless nil, another for
// the sites. env holds what the driver knows; the frontier adds the rest. The oracle is
// nil outside the laboratory.
func New(o Options, env policy.Env, page, site *policy.Choice, oracle policy.Oracle) (*Frontier, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	o.PerConnection = max(1, o.PerConnection)
	if o.MaxAddresses == 0 {
		o.MaxAddresses = 4*o.MaxSites + 1024
	}
	choices := []*policy.Choice{page}
	orders := &orders{sitesBy: -1}
	if site != nil {
		orders.sitesBy = page.Spec.Count(env.URL != nil)
		choices = append(choices, site)
	}
	links := o.Depths || slices.ContainsFunc(choices, func(c *policy.Choice) bool { return c.Spec.Links }) || o.Scores && env.Needs().Links()
	f := &Frontier{parts: parts{o: &o, orders: orders, policies: &policies{}}, layout: layoutOf(&o, links, choices)}
	f.makeParts(links)
	if err := f.adopt(env, choices, oracle); err != nil {
		f.Free()
		return nil, err
	}
	orders.mixer, _ = f.policies.all[0].(policy.Mixer)
	if site != nil {
		orders.sites, _ = f.policies.all[1].(policy.Mixer)
	}
	orders.chooseOffered()
	f.sites.addresses.groupSites()
	return f, nil
}

// makeParts makes pages, sites and tasks. Columns are made in the order in which they are
// saved.
func (f *Frontier) makeParts(keepLinks bool) {
	set, o := &f.columns, f.o
	f.pages = &pages{o: o, orders: f.orders, policies: f.policies, yielding: yielding{behind: map[graph.Site]instants{}}}
	f.pages.state = graph.NewColumnIn[uint8](set, "page state", o.MaxPages)
	f.pages.from = graph.NewColumnIn[graph.Page](set, "page from", o.MaxPages)
	f.pages.depth = graph.NewColumnIn[uint16](set, "page depth", o.MaxPages)
	f.orders.discounts = newDiscounts(set, o)
	if keepLinks {
		f.pages.links = newLinks(set, o)
	}
	f.topical = newTopical(set, o)
	f.pages.exchange = newExchange(set, o)
	f.sites = newSites(set, o, f.orders)
	f.pages.sites = f.sites
	f.sites.exchange = f.pages.exchange
	f.tasks = dispatcher{parts: f.parts, batches: batches{parts: f.parts}, floor: floor{parts: f.parts, left: -1}, patience: patience}
}

// adopt makes the policies, with boards of their own. The boards of all policies come
// before their columns.
func (f *Frontier) adopt(env policy.Env, choices []*policy.Choice, oracle policy.Oracle) error {
	env.Facts, env.Out, env.Discounted = f, f.Out, f.Discounted
	env.MaxPages, env.MaxSites = f.o.MaxPages, f.o.MaxSites
	if f.o.Partitions > 1 {
		env.Partitions, env.Self = f.o.Partitions, f.o.Self
		env.Foreign, env.Owe = f.Foreign, func(p graph.Page) { f.pages.note(p, 0) }
	}
	f.topical.prepare(&env)
	boards := make([][]*policy.Board, len(choices))
	for i, c := range choices {
		for range c.Spec.Count(env.URL != nil) {
			boards[i] = append(boards[i], f.orders.add(&f.columns, f.o))
		}
	}
	for i, c := range choices {
		own := env
		own.Boards = boards[i]
		p, err := c.New(&own, oracle)
		if err != nil {
			return err
		}
		policy.Adopt(&f.columns, p)
		f.policies.add(p)
		f.pages.exchange.adopt(p)
		if _, samples := p.(policy.Sampler); c.Spec.Links && !samples {
			f.policies.allLinks = true
		}
	}
	f.policies.allLinks = f.policies.allLinks || f.o.Depths
	return f.adoptScores(&env)
}

// adoptScores lets the frontier know the scores of pages, if that is wanted and no policy does.
func (f *Frontier) adoptScores(env *policy.Env) error {
	if !f.o.Scores || f.policies.valuer() != nil {
		return nil
	}
	p, err := policy.NewScores(env)
	if err != nil {
		return err
	}
	policy.Adopt(&f.columns, p)
	f.policies.add(p)
	return nil
}

// SetScore replaces the function by which pages are scored by another one over the terms that
// are kept: those of policy.Env. Values change in slices, or atOnce. As with DiscountSite, the
// driver must do so again on replay.
func (f *Frontier) SetScore(to *score.Function, atOnce bool) {
	f.LoadScore(to)
	for _, v := range f.policies.valuers {
		v.Rerank(atOnce)
	}
}

// LoadScore sets the function that was in force when the state was saved. Values stay as they
// are.
func (f *Frontier) LoadScore(to *score.Function) {
	for _, v := range f.policies.valuers {
		v.UseScore(to)
	}
}

// Worth returns the score of p, from 0 to 1, if pages are scored.
func (f *Frontier) Worth(p graph.Page) (float64, bool) {
	if v := f.policies.valuer(); v != nil {
		return v.Worth(p), true
	}
	return 0, false
}

// Next hands out the best task at now. If there is none, it returns the latest instant at
// which to call it again, or Never if only an event can change something. It may have
// chosen a batch then: see Polled. After many refusals it returns now, so that the owner
// can do other work before the next call: a site may have a million pages that are all
// barred.
func (f *Frontier) Next(now time.Duration) (w event.Task, ask time.Duration, ok bool) {
	return f.tasks.next(now)
}

// More hands out the next page of a site that is kept after Done, to the same fetcher and
// at once. If there is none, or if it has refused many, it releases the site.
func (f *Frontier) More(now time.Duration, s graph.Site) (w event.Task, ok bool) {
	return f.tasks.more(now, s)
}

// Limit sets the number of pages that may still be handed out, below 0 for any number: see
// Options.WaitForBetter. With 0, requisites are handed out only. A new session has no limit before
// the call.
func (f *Frontier) Limit(left int) { f.tasks.floor.limit(left) }

// NoTask is the limit of a simulation that waits for better pages because the crawl that it repeats
// waited.
const NoTask = math.MinInt

// Continues reports whether another page of s, which is acquired, may follow at once: see
// Options.WaitForBetter. The driver lets Event.Keep be false otherwise.
func (f *Frontier) Continues(s graph.Site) bool { return f.tasks.continues(s) }

// Refusals returns the pages that were refused since the last call, for the journal. The
// slice is valid until the next refusal.
func (f *Frontier) Refusals() []graph.Page { return drain(&f.tasks.refused) }

// Nearer returns the pages that were refused for their depth and whose depth has fallen
// since the last call. The driver may admit them. A page may be there more than once. The
// slice is valid until the next event.
func (f *Frontier) Nearer() []graph.Page { return drain(&f.pages.nearer) }

// drain empties a list and returns what was in it.
func drain(list *[]graph.Page) []graph.Page {
	all := *list
	*list = all[:0]
	return all
}

// Polled reports whether Next changed the state, for example by choosing a batch, without
// handing out a task. The driver then records the event Polled, because a later Took would
// not repeat the change: a batch depends on the values of the moment. Call it after
// Refusals, because the refusals precede it.
func (f *Frontier) Polled() bool {
	s := f.tasks.polled
	f.tasks.polled = false
	return s
}

// Settle reports that the record of the end of a task at s (Ruled, Listed, Done) is on
// disk. If the record gave rules to another site (Ruled with For), Settle is due for that
// site too, and after Linked and Asked for those of Told. It is to be called once for each record, in any order. After a session, calls
// for records from before it do nothing. When no record is left the site continues.
func (f *Frontier) Settle(now time.Duration, s graph.Site) { f.sites.settle(now, s) }

// DiscountSite makes all pages of s go later than their values say, for ever, also those
// that become known later: the site mirrors another. The cost grows with the number of
// waiting pages of s. Because the driver decides it, it must do so again on replay, after
// the same event.
func (f *Frontier) DiscountSite(s graph.Site) { f.orders.discountSite(s, f.Sites()) }
