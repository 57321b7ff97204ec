package frontier

import (
	"fmt"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/queue"
)

// A Frontier is all known pages and the rules to hand one out. It has one owner and no
// lock.
type Frontier struct {
	o        Options
	columns  graph.Set       // of pages, sites, boards and policies
	policies []policy.Policy // that of the pages, then that of the sites if it is another
	tellers
	boards []board
	order  int            // the board that orders the sites; -1 when the one that orders the pages does
	asked  []*queue.Queue // queues in which sites are offered

	// By page.
	state  *graph.Column[uint8] // State, and Bar above it
	census [256]int64           // pages by what state holds of them
	from   *graph.Column[graph.Page]
	depth  *graph.Column[uint16]
	links  *links       // nil unless a policy wants to read them again, or depths are exact
	nearer []graph.Page // see Nearer
	relax  []graph.Page // scratch: pages whose links are to be looked at
	discounts

	sites
	now      time.Duration // of the last event
	due      instants      // pages that wait for an instant of their own
	yielding yielding      // and those that let others go first then
	queued   int           // pages that wait in the queues
	revisits int           // pages that came and are to be fetched again
	flying   int           // works handed out and not done
	batch    batches
	refused  []graph.Page // since Refusals was last called
	patience int          // of one call of Next or More: see patience
	inVain   int          // on replay: refusals so far of one call of More
	stirred  bool         // Next changed something and handed out nothing
	layout   string       // see Layout
	differs  int          // decisions on replay that the present code would not have made
}

// A board is one order: of the pages that may be handed out, and when there are
// batches, of the others. face is what the policy has of it.
type board struct {
	active, pool *queue.Queue
	face         *policy.Board
}

// tellers are the optional sides of the policies.
type tellers struct {
	seeders    []policy.Seeder
	takers     []policy.Taker
	workers    []policy.Worker
	drops      []policy.Dropper
	admitters  []policy.Admitter
	revisiters []policy.Revisiter
	mixer      policy.Mixer
}

// New makes an empty frontier with the policy of the pages and, unless nil, another
// for the sites. env is what the driver knows; the frontier adds the rest. The oracle
// is nil outside the laboratory.
func New(o Options, env policy.Env, page, site *policy.Choice, oracle policy.Oracle) (*Frontier, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	o.PerConnection = max(1, o.PerConnection)
	if o.MaxAddresses == 0 {
		o.MaxAddresses = 4*o.MaxSites + 1024
	}
	f := &Frontier{o: o, order: -1, patience: patience, yielding: yielding{behind: map[graph.Site]instants{}}}
	choices := []*policy.Choice{page}
	if site != nil {
		f.order = page.Spec.Count()
		choices = append(choices, site)
	}
	f.makeColumns(choices)
	if err := f.adopt(env, choices, oracle); err != nil {
		f.Free()
		return nil, err
	}
	f.chooseAsked()
	f.groupSites()
	f.layout = layoutOf(&f.o, f.links != nil, choices)
	return f, nil
}

// makeColumns makes the columns of pages and sites, in the order in which they are
// saved.
func (f *Frontier) makeColumns(choices []*policy.Choice) {
	f.state = graph.NewColumnIn[uint8](&f.columns, "page state", f.o.MaxPages)
	f.from = graph.NewColumnIn[graph.Page](&f.columns, "page from", f.o.MaxPages)
	f.depth = graph.NewColumnIn[uint16](&f.columns, "page depth", f.o.MaxPages)
	f.discounts = newDiscounts(&f.columns, &f.o)
	if f.o.Depths || slices.ContainsFunc(choices, func(c *policy.Choice) bool { return c.Spec.Links }) {
		f.links = newLinks(&f.columns, &f.o)
	}
	f.sites = newSites(&f.columns, &f.o)
}

// adopt makes the policies, with boards of their own. The boards of all policies come
// before their columns.
func (f *Frontier) adopt(env policy.Env, choices []*policy.Choice, oracle policy.Oracle) error {
	env.Facts, env.Out = f, f.Out
	env.MaxPages, env.MaxSites = f.o.MaxPages, f.o.MaxSites
	boards := make([][]*policy.Board, len(choices))
	for i, c := range choices {
		for range c.Spec.Count() {
			boards[i] = append(boards[i], f.newBoard())
		}
	}
	for i, c := range choices {
		own := env
		own.Boards = boards[i]
		p, err := c.New(&own, oracle)
		if err != nil {
			return err
		}
		p.Columns(func(c graph.AnyColumn) { graph.AddTo(&f.columns, c) })
		f.policies = append(f.policies, p)
		f.hear(p)
	}
	return nil
}

func (f *Frontier) newBoard() *policy.Board {
	name := fmt.Sprintf("board %d", len(f.boards))
	b := board{active: queue.New(name, f.o.MaxPages, f.o.MaxSites)}
	graph.AddTo(&f.columns, b.active)
	if f.o.Mode != Continuous {
		b.pool = queue.New(name+" pool", f.o.MaxPages, f.o.MaxSites)
		graph.AddTo(&f.columns, b.pool)
	}
	b.face = policy.NewBoard(b.active, b.pool)
	f.boards = append(f.boards, b)
	return b.face
}

func (f *Frontier) hear(p policy.Policy) {
	if s, ok := p.(policy.Seeder); ok {
		f.seeders = append(f.seeders, s)
	}
	if t, ok := p.(policy.Taker); ok {
		f.takers = append(f.takers, t)
	}
	if w, ok := p.(policy.Worker); ok {
		f.workers = append(f.workers, w)
	}
	if d, ok := p.(policy.Dropper); ok {
		f.drops = append(f.drops, d)
	}
	if a, ok := p.(policy.Admitter); ok {
		f.admitters = append(f.admitters, a)
	}
	if r, ok := p.(policy.Revisiter); ok {
		f.revisiters = append(f.revisiters, r)
	}
	if m, ok := p.(policy.Mixer); ok && f.order < 0 {
		f.mixer = m
	}
}

func (f *Frontier) chooseAsked() {
	if f.order >= 0 {
		f.asked = []*queue.Queue{f.boards[f.order].active}
		return
	}
	for _, b := range f.boards {
		f.asked = append(f.asked, b.active)
	}
}

// groupSites makes a group of the sites of each address.
func (f *Frontier) groupSites() {
	if f.limited {
		for _, q := range f.asked {
			q.Grouped(f.of, f.o.MaxAddresses+1)
		}
	}
}

// Pages is the number of known pages, which is the id of the next one.
func (f *Frontier) Pages() int { return f.state.Len() }

// Sites is the number of known sites, which is the id of the next one.
func (f *Frontier) Sites() int { return f.next.Len() }

// Site is the site of a page.
func (f *Frontier) Site(p graph.Page) graph.Site { return f.boards[0].active.SiteOf(p) }

// From is the page that linked to p first, NoPage for a seed.
func (f *Frontier) From(p graph.Page) graph.Page { return f.from.At(int(p)) }

// Depth is the number of links from a seed to p: along From, or with Options.Depths on
// the shortest way that is known. It is MaxDepth at most.
func (f *Frontier) Depth(p graph.Page) int { return int(f.depth.At(int(p))) }

// Value is the value of p on a board, which does not tell of discounts.
func (f *Frontier) Value(p graph.Page, board int) float64 {
	q := f.boards[board].active
	if q.Waits(p) && f.Discounted(p) {
		return policy.Raise(q.Value(p))
	}
	return q.Value(p)
}

// Out is the links of a page that came; nil when they are not kept.
func (f *Frontier) Out(p graph.Page) []graph.Page {
	if f.links == nil {
		return nil
	}
	return f.links.of(p)
}

// Differs is the number of decisions on replay that the present code would not have
// made, since New or Load: it says something of the replay, not of the crawl, and one
// that begins at a snapshot does not know which sites were held there.
func (f *Frontier) Differs() int { return f.differs }

// Refusals hands over the pages that were refused since it was last called, for the
// journal. The slice is used again.
func (f *Frontier) Refusals() []graph.Page {
	r := f.refused
	f.refused = f.refused[:0]
	return r
}

// Apply changes the state by what happened at now, which never goes back. Everything
// whose instant has come continues first, so that the state depends on the events
// alone, not on how often Next was asked in between.
func (f *Frontier) Apply(now time.Duration, e *event.Event) {
	f.now = now
	f.wake(now)
	switch e.Kind {
	case event.Seed:
		f.seed(e)
	case event.Took:
		f.took(now, e.Task)
		return
	case event.Refused:
		f.refusal(now, e.Page, e.Bar)
		return
	case event.Asked:
		f.nothing(now)
		return
	case event.Resolved:
		f.resolved(now, e)
	case event.Ruled:
		f.ruled(now, e)
	case event.Done:
		f.done(now, e)
	case event.Session:
		f.session(now)
	case event.Listed:
		f.listed(now, e)
	case event.Admitted:
		f.admit(e.Admit, MaxDepth)
	case event.Revisit:
		f.callBack(e.Admit)
	case event.Retried:
		f.retry(e.Admit)
	case event.Probed:
		f.probe(e.Site)
	case event.Withdrawn:
		f.withdrawn(now, e)
	case event.Denied: // the driver knows what it means
	}
	if f.o.Slice > 0 { // not after what Next and More do without Apply
		for _, w := range f.workers {
			w.Work(f.o.Slice)
		}
	}
}
