package live

import (
	"context"
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/advise"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/recut"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/journal"
)

// An Advised is the advice on a crawl, as winnow advise prints it.
type Advised struct {
	Dir        string   `json:"dir"`
	State      string   `json:"state"`
	Fetched    int      `json:"fetched"`
	Known      int      `json:"known"`
	Waiting    int      `json:"waiting"`
	Hot        *int     `json:"hot,omitempty"` // fetched pages about the topic, if there is one
	Importance float64  `json:"importance"`    // share of the PageRank of known pages that is fetched
	Certain    float64  `json:"certain"`       // share of personalised PageRank that is certainly fetched
	Next       []Next   `json:"next"`
	Wasted     []Wasted `json:"wasted"`
	Verdict    string   `json:"verdict"`
	Advice     string   `json:"advice"`
	Command    string   `json:"command,omitempty"`

	verdict advise.Verdict
}

// A Next is what a tenth more of a budget would buy.
type Next struct {
	Budget     string   `json:"budget"`
	More       float64  `json:"more"` // pages, hours or bytes
	Pages      int      `json:"pages"`
	Importance Gain     `json:"importance"`
	Hot        *HotGain `json:"hot,omitempty"` // nil without a topic
}

// A HotGain is how many pages about the topic are added, with its 80 % interval.
type HotGain struct {
	Pages float64 `json:"pages"`
	Low   int     `json:"low"`
	High  int     `json:"high"`
	Last  int     `json:"last_tenth"` // what the last tenth of the budget added
}

// A Gain is what is added to something, as a share of what there is, with its 80 % interval.
type Gain struct {
	Gain float64 `json:"gain"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
	Last float64 `json:"last_tenth"` // what the last tenth of the budget added
}

// A Wasted is a site that takes more than it brings.
type Wasted struct {
	Site       string  `json:"site"`
	Requests   float64 `json:"requests"`
	Importance float64 `json:"importance"`
}

// ReadAdvice reads a crawl, running or not, and says whether to go on with it.
func ReadAdvice(ctx context.Context, dir string) (*Advised, error) {
	c, err := recut.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	status := c.StatusFile()
	if status == nil {
		if status, err = c.Status(); err != nil {
			return nil, err
		}
	}
	course, err := courseSoFar(c)
	if err != nil {
		return nil, err
	}
	a, err := advise.Ask(course)
	if err != nil {
		return nil, err
	}
	names, err := c.SiteNames()
	if err != nil {
		return nil, err
	}
	x := newAdvised(a, names)
	x.Dir, x.State = dir, status.State
	conf, err := c.Config()
	if err != nil {
		return nil, err
	}
	x.advise(a, status, conf)
	return x, nil
}

func newAdvised(a *advise.Advice, names []string) *Advised {
	x := &Advised{
		Fetched: a.Fetched, Known: a.Known, Waiting: a.Waiting, Importance: a.Importance, Certain: a.Certain,
		Next: []Next{}, Wasted: []Wasted{}, Verdict: a.Verdict.String(), verdict: a.Verdict,
	}
	if a.Topic {
		x.Hot = &a.Hot
	}
	for _, f := range a.Next {
		n := Next{Budget: f.Budget.String(), More: f.More, Pages: f.Pages, Importance: Gain{f.Gain, f.Low, f.High, f.Last}}
		if h := f.Hot; a.Topic {
			n.Hot = &HotGain{h.Pages, int(h.Low), int(h.High), h.Last}
		}
		x.Next = append(x.Next, n)
	}
	for _, w := range a.Wasted {
		x.Wasted = append(x.Wasted, Wasted{names[w.Site], w.Requests, w.Importance})
	}
	return x
}

// advise sets the sentence and the command.
func (x *Advised) advise(a *advise.Advice, s *history.Status, c *config.Config) {
	gain := "a tenth more pages"
	if len(x.Next) > 0 {
		low, high := a.Gain()
		gain = fmt.Sprintf("a tenth more pages adds %s to %s %% of importance", percent(low), percent(high))
		if h := x.Next[0].Hot; h != nil {
			gain = fmt.Sprintf("a tenth more pages adds %d to %s about the topic, of which there are %s", h.Low, show.Counted(h.High, "page"), show.Grouped(a.Hot))
		}
	}
	more := tenthMore(s, c)
	switch a.Verdict {
	case advise.Early:
		x.Advice = fmt.Sprintf("Go on: fewer than %d pages are fetched, or all at once, so nothing can be foretold.", advise.MinPages)
	case advise.Over:
		x.Advice, more = "Stop: no page waits.", ""
	case advise.Stop:
		x.Advice, more = fmt.Sprintf("Stop: %s.", gain), ""
	case advise.GoOn:
		x.Advice = fmt.Sprintf("Go on: %s.", gain)
	default:
		x.Advice = fmt.Sprintf("Go on a little and ask again: %s, and whether that is worth it cannot be told yet.", gain)
	}
	if more != "" && s.State != history.StateRunning {
		x.Command = "winnow crawl --dir " + x.Dir + " " + more
	}
}

// tenthMore returns the flags with which a crawl goes on for a tenth more: of what it paused at,
// or else of its pages.
func tenthMore(s *history.Status, c *config.Config) string {
	switch s.Why {
	case "duration":
		return "--duration " + config.Duration{Duration: c.Duration.Duration * 11 / 10}.String()
	case "bytes":
		return "--bytes " + (c.Bytes * 11 / 10).String()
	}
	more := fmt.Sprintf("--pages %d", max(advise.MinPages, (s.Fetched-s.Redirects)*11/10))
	if s.Why == "stop-when" {
		more += " --stop-when " + config.StopOff
	}
	return more
}

func percent(share float64) string { return fmt.Sprintf("%.2g", 100*share) }

// courseSoFar reads the course of a crawl.
func courseSoFar(c *history.Crawl) (*advise.Course, error) {
	trail, err := c.Trail()
	if err != nil {
		return nil, err
	}
	s, err := c.State()
	if err != nil {
		return nil, err
	}
	links, err := readLinks(c)
	if err != nil {
		return nil, err
	}
	duplicate := make([]bool, c.Known())
	x := &advise.Course{
		Pages: c.Known(), Seeds: distinct(trail.Seeds), Out: links.of,
		Blind: func(p graph.Page) bool { return duplicate[p] }, Closed: func(p graph.Page) bool { return closed(s, p) },
		Site: s.Frontier.Site, Requests: make([]int64, len(trail.Sites)),
	}
	if _, _, ok := s.Frontier.Topical().Counts(); ok {
		x.Hot = func(p graph.Page) bool { _, hot := s.Frontier.Topical().Similarity(p); return hot }
	}
	for _, v := range trail.Visits {
		duplicate[v.Page] = v.Class == event.Duplicate
		x.Order, x.End, x.Bytes = append(x.Order, v.Page), append(x.End, v.Ran), append(x.Bytes, v.Bytes)
	}
	for i := range trail.Sites {
		x.Requests[i] = trail.Sites[i].Requests
	}
	x.Listed = unlinked(x)
	return x, nil
}

// unlinked returns the pages that no fetched page links to.
func unlinked(c *advise.Course) (list []graph.Page) {
	linked := make([]bool, c.Pages)
	for _, p := range c.Order {
		for _, q := range c.Out(p) {
			linked[q] = true
		}
	}
	for p := range graph.Page(c.Pages) {
		if !linked[p] {
			list = append(list, p)
		}
	}
	return list
}

// closed reports whether a page is not to be fetched.
func closed(s *state.State, p graph.Page) bool {
	switch s.Frontier.State(p) {
	case frontier.Failed, frontier.RefusedPage, frontier.Lost:
		return true
	}
	return false
}

func distinct(pages []graph.Page) []graph.Page {
	pages = slices.Clone(pages)
	slices.Sort(pages)
	return slices.Compact(pages)
}

// firstLinks holds the links of the first visits.
type firstLinks struct {
	to   []graph.Page
	from []uint64 // by page: where its links begin, plus 1; 0: it was not fetched
	many []uint32 // by page
}

func (l *firstLinks) of(p graph.Page) []graph.Page {
	if l.from[p] == 0 {
		return nil
	}
	at := l.from[p] - 1
	return l.to[at : at+uint64(l.many[p])]
}

func readLinks(c *history.Crawl) (*firstLinks, error) {
	l := &firstLinks{from: make([]uint64, c.Known()), many: make([]uint32, c.Known())}
	err := c.Each(func(r *journal.Record) error {
		e := &r.Event
		if e.Kind.Reads() && !r.Facts.Render && !e.Again && !e.Class.Failed() && l.from[e.Page] == 0 {
			l.from[e.Page], l.many[e.Page] = uint64(len(l.to))+1, uint32(len(e.Links))
			l.to = append(l.to, e.Links...)
		}
		return nil
	})
	return l, err
}
