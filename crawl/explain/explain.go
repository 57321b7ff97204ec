// Package explain tells what a crawl knows about one URL: its state and visits, who links to
// it, its rank among the pages that wait, the clock it waits for, and in one sentence why it
// was not fetched yet. It reads a crawl, which may be running, and changes nothing.
package explain

import (
	"errors"
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/policy"
)

// The states of a page. They are those of a user: a page that is due again in some minutes
// waits.
const (
	Waiting   = "waiting"
	Requested = "requested" // a request is under way
	Fetched   = "fetched"
	Failed    = "failed"
	Refused   = "skipped"
	Lost      = "lost" // its record is damaged
	Unknown   = "unknown"
)

// A Page is what a crawl knows about a URL. winnow explain prints its JSON form.
type Page struct {
	URL      string    `json:"url"`             // in normal form
	Given    string    `json:"given,omitempty"` // as it was given, if that differs
	State    string    `json:"state"`
	Sentence string    `json:"sentence"`      // why it was not fetched yet, or what happened to it
	Why      string    `json:"why,omitempty"` // the reason of a refusal, or the class of a failure
	Crawl    string    `json:"crawl"`         // state of the crawl
	AsOf     time.Time `json:"as_of"`         // time of the last record that was read
	Age      float64   `json:"age_seconds"`   // since then

	*Facts         // nil if the page is unknown
	Similar string `json:"similar,omitempty"` // a known page with another spelling, if this one is unknown
	// Requisite is set if the URL is no page, but what pages need to be shown.
	Requisite *history.RequisiteInfo `json:"requisite,omitempty"`
}

// Facts are what is known of a page that the crawl knows.
type Facts struct {
	ID     graph.Page `json:"id"`
	Site   string     `json:"site"`
	Since  time.Time  `json:"since"`          // it is in its state
	To     string     `json:"to,omitempty"`   // where it redirects to
	Like   string     `json:"like,omitempty"` // a page with the same content, or nearly
	Rule   string     `json:"rule,omitempty"` // of robots.txt, that forbids it
	Depth  int        `json:"depth"`
	Found  Found      `json:"found"`
	Linked []string   `json:"linked_from"` // the first fetched pages that link to it
	Links  int64      `json:"links_in"`

	Attempts int     `json:"attempts"`
	Visits   []Visit `json:"visits"` // the last ones, in order

	Policy     string          `json:"policy"`
	Value      float64         `json:"value"` // on the first board
	Discounted bool            `json:"discounted,omitempty"`
	Ranks      []Rank          `json:"ranks,omitempty"` // by board, if it waits in the queues
	Clock      *Clock          `json:"clock,omitempty"` // if it waits, for its first visit or another
	Factors    []policy.Factor `json:"factors,omitempty"`
	// Score is what the page is worth by the expression of the crawl, if it has one.
	Score *policy.Appraisal `json:"score,omitempty"`
	Again *Again            `json:"again,omitempty"`
	Topic *Topic            `json:"topic,omitempty"` // nil if the crawl is about nothing in particular
	// Dropped is set if the page was fetched and made room for others.
	Dropped *Dropped `json:"dropped,omitempty"`
	// Withheld is what the page asks for, if it was fetched and not stored for that reason.
	Withheld string `json:"withheld,omitempty"`
	// Rendered says whether a browser has shown the page: waiting, yes with the number of passes, or
	// no with the reason. "": it was not to be shown.
	Rendered string `json:"rendered,omitempty"`
}

// A Dropped tells why a page is not in the archive any more.
type Dropped struct {
	At    time.Time `json:"at"`
	Value float64   `json:"value"`           // of the page now: links to it, or its score
	Least *float64  `json:"least,omitempty"` // the lowest value of a page that is kept
}

// Found tells how a page became known.
type Found struct {
	By string    `json:"by"`           // seed, link, redirect or sitemap
	On string    `json:"on,omitempty"` // the page that linked to it first
	At time.Time `json:"at"`
}

// A Visit is an attempt at a page.
type Visit struct {
	At     time.Time  `json:"at"`      // its end
	Took   float64    `json:"seconds"` // from the request on
	Status uint16     `json:"status,omitempty"`
	Class  string     `json:"class"`
	Bytes  int64      `json:"bytes"`
	Note   string     `json:"note,omitempty"`
	Again  *time.Time `json:"again,omitempty"` // it is to be tried again then
}

// A Rank is the place of a waiting page in the order of a board.
type Rank struct {
	Board   string  `json:"board,omitempty"` // the part of a policy that has several boards
	Value   float64 `json:"value"`
	InSite  int     `json:"in_site"` // 1 is the next page of the site
	OfSite  int     `json:"of_site"`
	Overall int     `json:"overall,omitempty"` // 1 is the first of all; 0 if the policy chooses sites first, or with Options.InSite
	Of      int     `json:"of"`
	Site    int     `json:"site,omitempty"` // place of its site, if the policy chooses sites first
}

// Options define what is explained, and when.
type Options struct {
	Now    time.Time
	Status *history.Status // of the crawl
	Reason string          // a clause that tells why the crawl does not run
	Visits int             // list at most this many
	Links  int             // and this many pages that link to it
	// InSite looks only at the pages of its site for the rank of a waiting page: that is
	// quicker where very many pages wait.
	InSite bool
}

// A Source is a crawl that is explained. About calls fn for the records that tell about a page, and
// maybe for others, in order.
type Source interface {
	State() (*state.State, error)
	Config() (*config.Config, error)
	About(p graph.Page, fn func(*journal.Record) error) error
}

// URL explains what the crawl knows about a URL, which may be written as people do. The error
// says what is wrong with it, or that the crawl cannot be read.
func URL(c Source, text string, o Options) (*Page, error) {
	forms, err := page.Forms(text)
	if err != nil {
		return nil, err
	}
	s, err := c.State()
	if err != nil {
		return nil, err
	}
	conf, err := c.Config()
	if err != nil {
		return nil, err
	}
	x := &explainer{Options: o, c: c, s: s, f: s.Frontier, conf: conf}
	x.now = max(s.Now, o.Now.Sub(time.Unix(0, s.Began)))
	x.Page = &Page{URL: forms[0], State: Unknown, Crawl: o.Status.State, AsOf: s.Wall(s.Now), Age: (x.now - s.Now).Seconds()}
	p, known := x.lookup(forms)
	if x.URL != text {
		x.Given = text
	}
	if !known {
		if err := x.explainRequisite(forms); err != nil || x.Requisite != nil {
			return x.Page, errors.Join(err, s.Err)
		}
		x.explainUnknown()
		return x.Page, s.Err
	}
	if err := x.explain(p); err != nil {
		return nil, err
	}
	return x.Page, s.Err
}

// An explainer fills in a Page.
type explainer struct {
	Options
	*Page
	c    Source
	s    *state.State
	f    *frontier.Frontier
	conf *config.Config
	p    graph.Page
	site graph.Site
	now  time.Duration // instant of the crawl

	story     story
	positions []frontier.Position
	clock     frontier.Clock
}

// lookup returns the first page that is known, and sets the URL: without such a page, to the
// first one whose site is known.
func (x *explainer) lookup(forms []string) (graph.Page, bool) {
	for _, url := range forms {
		if p, ok := x.s.Lookup(url); ok && int(p) < x.f.Pages() {
			x.URL = url
			return p, true
		}
	}
	for _, url := range forms {
		if _, ok := x.siteOf(url); ok {
			x.URL = url
			break
		}
	}
	return graph.NoPage, false
}

// siteOf returns the site of a URL, if it is known.
func (x *explainer) siteOf(url string) (graph.Site, bool) {
	name, _ := page.Site([]byte(url))
	site, ok := x.s.Table.LookupSite(x.s.Key.Site(name), name)
	return site, ok && int(site) < x.f.Sites()
}

// running reports whether a process crawls in the directory.
func (x *explainer) running() bool { return x.Status.State == history.StateRunning }

// explain fills in what is known of page p.
func (x *explainer) explain(p graph.Page) error {
	x.p, x.site = p, x.f.Site(p)
	x.story = story{page: p, site: x.site, most: x.Options.Links, linkers: map[graph.Page]bool{}, target: graph.NoPage, like: graph.NoPage}
	if err := x.c.About(p, func(r *journal.Record) error { x.story.read(x.s, r); return nil }); err != nil {
		return err
	}
	x.State = x.stateName()
	x.Facts = &Facts{
		ID: p, Site: string(x.s.Table.Name(x.site)), Since: x.s.Wall(x.story.since), Depth: x.f.Depth(p), Linked: []string{}, Links: x.s.LinksIn(p),
		Found: Found{By: x.story.foundBy, At: x.s.Wall(x.story.foundAt)}, Attempts: len(x.story.visits), Visits: []Visit{},
		Policy: x.s.Setup.Policy.Name, Value: x.f.Ranks().Score(p, 0), Discounted: x.f.Discounted(p), Factors: x.f.Ranks().Explain(p), Score: x.f.Ranks().Appraise(p),
	}
	if from := x.f.From(p); from != graph.NoPage {
		x.Found.On = x.url(from)
	}
	for _, q := range x.story.linked {
		x.Linked = append(x.Linked, x.url(q))
	}
	x.addVisits()
	x.addOutcome()
	x.addDropped()
	x.addAgain()
	x.addTopic()
	if _, _, due := x.f.Due(p); x.State == Waiting || due || x.f.Waits(p) {
		x.addRanks()
		x.addClock()
	}
	x.Sentence = x.sentence()
	return nil
}

// url returns the URL of a page.
func (x *explainer) url(p graph.Page) string { return string(x.s.AppendURL(nil, p)) }

// stateName returns the state of the page.
func (x *explainer) stateName() string { return stateOf(x.f, x.p) }

// stateOf returns the state of a page in the words of this package.
func stateOf(f *frontier.Frontier, p graph.Page) string {
	switch f.State(p) {
	case frontier.Acquired, frontier.Reacquired:
		return Requested
	case frontier.Fetched:
		return Fetched
	case frontier.Failed:
		return Failed
	case frontier.RefusedPage:
		return Refused
	case frontier.Lost:
		return Lost
	}
	return Waiting
}

// addVisits adds the last visits.
func (x *explainer) addVisits() {
	list := x.story.visits
	for _, v := range list[max(0, len(list)-x.Options.Visits):] {
		out := Visit{At: x.s.Wall(v.end), Took: (v.end - v.start).Seconds(), Status: v.status, Class: v.class.String(), Bytes: v.bytes, Note: v.note}
		if v.due > 0 {
			at := x.s.Wall(v.due)
			out.Again = &at
		}
		x.Page.Visits = append(x.Page.Visits, out)
	}
}

// addOutcome adds the reason of the state, and the pages that it leads to.
func (x *explainer) addOutcome() {
	if x.story.target != graph.NoPage {
		x.To = x.url(x.story.target)
	}
	if x.story.like != graph.NoPage {
		x.Like = x.url(x.story.like)
	}
	x.Withheld, x.Rendered = x.story.withheld, x.story.rendered
	if w := x.s.Renders.Of(x.p); w != nil {
		x.Rendered = fmt.Sprintf("waiting, after %s, for %s", passes(w.Pass), show.Counted(int64(w.Left), "requisite"))
	}
	switch x.State {
	case Refused:
		x.Why = x.f.Bar(x.p).String()
	case Failed:
		x.Why = x.f.FailedBy(x.p).String()
	}
	if site, rest, ok := x.s.Read(x.p); ok && x.conf.Robots && x.State != Fetched {
		x.addRule(site, rest)
	}
}

// addRule adds the rule of robots.txt that forbids the page, if one does.
func (x *explainer) addRule(site graph.Site, rest []byte) {
	if v := x.s.Robots.Of(site).Test(string(rest)); !v.Allowed {
		x.Rule = v.Rule
	}
}

// addRanks adds the place on each board.
func (x *explainer) addRanks() {
	if x.Options.InSite {
		x.positions = x.f.Ranks().PositionsInSite(x.p)
	} else {
		x.positions = x.f.Ranks().Positions(x.p)
	}
	for i, pos := range x.positions {
		r := Rank{Value: pos.Score, InSite: pos.InSite + 1, OfSite: pos.OfSite, Overall: max(0, pos.Overall+1), Of: pos.Of, Site: pos.Sites + 1}
		if len(x.positions) > 1 {
			r.Board = boardName(x.s.Setup.Policy, i)
		}
		x.Ranks = append(x.Ranks, r)
	}
}

// boardName names a board by the part of the policy that it belongs to.
func boardName(c *policy.Choice, board int) string {
	if board < len(c.Spec.Orders) {
		return c.Spec.Orders[board]
	}
	first := board
	for _, part := range c.Parts {
		n := part.Spec.Count(true)
		switch {
		case first < n && n == 1:
			return part.Name
		case first < n:
			return part.Name + " " + numbered(first)
		}
		first -= n
	}
	return "board " + numbered(board)
}

// willBeRefused returns why a waiting page will not be fetched when its turn comes, or NoBar.
func (x *explainer) willBeRefused() event.Bar {
	if x.Rule != "" {
		return event.BarRobots
	}
	return x.judge(x.URL, x.s.IsSeed(x.p))
}

// addDropped adds when and why the page was dropped, if it was.
func (x *explainer) addDropped() {
	k := x.s.Kept
	if x.story.dropped == 0 || k == nil || k.Holds(x.p) {
		return
	}
	x.Dropped = &Dropped{At: x.s.Wall(x.story.dropped), Value: k.Worth(x.p)}
	if k.Len() > 0 {
		slot, _ := k.Slot(k.Worst())
		least := k.Value(slot)
		x.Dropped.Least = &least
	}
}
