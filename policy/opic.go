package policy

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/order"
)

// OPIC: Abiteboul, Preda, Cobena 2003; thesis 4.3.1, without the random link and
// without history.
//
//	value(p) = cash of p
//
// Seeds start with equal cash that sums to 1. A fetched page hands all its cash to its
// links in equal parts; a page without links, or one that failed, keeps it. Cash also
// goes to pages that were fetched before. It stays there until they are visited again, if
// ever, so the sum is constant.
//
// cash=all follows the wording of the thesis: every page has 1 of its own in addition, so a
// page that received c hands on (1 + c)/out to each link. The value of a page is what it
// received. The two differ by up to 0.18 of average cumulative PageRank.
//
// remote=S: if a page has R links to other sites and L to its own, each remote link gets
// S cash/R and each local one (1-S) cash/L. If it has links of one kind only, they get
// equal parts.
//
// It knows the links of fetched pages and, with remote, their sites. The cash is the
// value on the board, so it costs no memory. Cost per link: one addition and one move up
// in the heap of a site.
//
// Where it fails: far away from the seeds there is little cash, and what a fetched page
// receives later has no effect. So late pages of a large site are taken nearly in the
// order of discovery.

func opicSpec() *Spec {
	return &Spec{
		Name:   "opic",
		Source: "Abiteboul 2003",
		What:   "most cash first: pages hand theirs to their links",
		Params: []Param{
			{Name: "cash", Values: []string{"seeds", "all"}, Default: "seeds", What: "who starts with cash"},
			{Name: "remote", What: "share of a page's cash that goes to other sites, 0 to 1; without it all links are equal"},
		},
		New: newOpic,
	}
}

type opic struct {
	board  *Board
	facts  Facts
	own    float64 // cash of every page in addition to what it receives
	remote float64 // share of remote links; negative if all links are equal
}

func newOpic(e *Env, params Params) (Policy, error) {
	o := &opic{board: e.Boards[0], facts: e.Facts}
	if params["cash"] == "all" {
		o.own = 1
	}
	var err error
	o.remote, err = params.Share("remote", -1)
	return o, err
}

func (o *opic) Known(p, from graph.Page) {}

// Seeded divides 1 equally among the seeds, except with cash=all.
func (o *opic) Seeded(first, end graph.Page) {
	if o.own > 0 {
		return
	}
	part := 1 / float64(end-first)
	for p := first; p < end; p++ {
		o.board.Add(p, part)
	}
}

func (o *opic) Done(_ time.Duration, p graph.Page, outcome *event.Outcome, links []graph.Page) {
	if order.Brought(outcome) && len(links) > 0 {
		o.deal(p, o.own, links)
	}
}

// Revisited hands on the cash that p received since it was fetched. Its own part is spent.
func (o *opic) Revisited(_ time.Duration, p graph.Page, outcome *event.Outcome, links []graph.Page) {
	if order.Brought(outcome) && len(links) > 0 {
		o.deal(p, 0, links)
	}
}

// deal hands the cash of p, with its own part, to its links.
func (o *opic) deal(p graph.Page, own float64, links []graph.Page) {
	cash := own + o.board.Value(p)
	o.board.Set(p, 0)
	if o.remote >= 0 {
		o.split(p, cash, links)
		return
	}
	part := cash / float64(len(links))
	for _, q := range links {
		o.board.Add(q, part)
	}
}

// split hands out cash with a share for remote links.
func (o *opic) split(p graph.Page, cash float64, links []graph.Page) {
	site, remotes := o.facts.Site(p), 0
	for _, q := range links {
		if o.facts.Site(q) != site {
			remotes++
		}
	}
	locals := len(links) - remotes
	local := cash / float64(len(links))
	remote := local
	if remotes > 0 && locals > 0 {
		remote = float64(o.remote*cash) / float64(remotes)
		local = float64((1-o.remote)*cash) / float64(locals)
	}
	for _, q := range links {
		if o.facts.Site(q) != site {
			o.board.Add(q, remote)
		} else {
			o.board.Add(q, local)
		}
	}
}

func (o *opic) Columns(func(graph.AnyColumn)) {}

// Explain returns the cash of p.
func (o *opic) Explain(p graph.Page) []Factor { return order.Sole("cash", o.board.Value(p)) }
