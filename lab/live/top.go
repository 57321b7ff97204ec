package live

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/show"
)

// Numbers of pages that are listed.
const (
	topPages    = 50
	missedPages = 20
)

// follow is that of the importance: see measure.TruthOptions.
const follow = 0.9

// A TopPage is one of the most important pages that were fetched.
type TopPage struct {
	Rank       int     `json:"rank"`
	URL        string  `json:"url"`
	Title      string  `json:"title,omitempty"`
	Fetched    int     `json:"fetched_as"` // its place in the order of the crawl, from 1
	Seconds    float64 `json:"seconds"`    // of running until it was fetched
	Importance float64 `json:"importance"` // of mean 1
	Redirect   bool    `json:"redirect,omitempty"`
	Withheld   string  `json:"withheld,omitempty"` // it is not stored, because it asks for this
}

// A MissedPage is an important page that was not fetched.
type MissedPage struct {
	Rank     int    `json:"rank"` // that it would have about, by the links to it
	URL      string `json:"url"`
	State    string `json:"state"`
	Why      string `json:"why"`
	Attempts int    `json:"attempts"`
	LinksIn  int64  `json:"links_in"`
}

// A missed is a page that was not fetched, by what the links to it are worth.
type missed struct {
	page  graph.Page // of the crawl
	value float64
	rank  int // that it would have
	state frontier.State
}

// ranked returns the fetched pages of the world, the most important first.
func (r *Report) ranked() []graph.Page {
	if r.c == nil {
		return nil
	}
	return r.c.Judge.Ranked()
}

// findMissed estimates the importance of the pages that were not fetched: what flows to each
// of them from the fetched pages if it alone is added to them.
func (r *Report) findMissed() {
	g, value, out := r.w.Graph, r.c.Truth.Value, r.world.Sim.Out
	inside := make([]float64, g.Pages())
	for p := range graph.Page(g.Pages()) {
		if !g.Fetched(p) {
			continue
		}
		n := 1 // for the page that is added
		for _, q := range out.List(p) {
			if q != p && g.Fetched(q) {
				n++
			}
		}
		inside[p] = float64(n)
	}
	ranked := r.ranked()
	for p := range graph.Page(g.Pages()) {
		id := graph.Page(g.ID(p))
		state := r.state.Frontier.State(id)
		if g.Fetched(p) || state == frontier.Lost {
			continue
		}
		v := (1 - follow) / float64(len(ranked))
		for _, q := range r.world.In.List(p) {
			if inside[q] > 0 {
				v += float64(follow * value[q] / inside[q])
			}
		}
		place := sort.Search(len(ranked), func(i int) bool { return value[ranked[i]] <= v })
		r.addMissed(missed{id, v, place + 1, state})
	}
}

// addMissed counts a page that was not fetched, and lists it if it is one of the best.
func (r *Report) addMissed(m missed) {
	if m.rank <= min(topPages, len(r.ranked())) {
		r.missedBest++
	}
	list := &r.missedOther
	if m.state == frontier.Failed {
		list = &r.missedFailed
	}
	at, _ := slices.BinarySearchFunc(*list, m, func(a, b missed) int { return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.page, b.page)) })
	if *list = slices.Insert(*list, at, m); len(*list) > missedPages {
		*list = (*list)[:missedPages]
	}
}

// sampled is the number of pages whose language is looked up.
const sampled = 400

// readPages reads what the journal has about the pages that are listed, and the languages of
// some of the fetched pages.
func (r *Report) readPages() error {
	ranked := r.ranked()
	var want []graph.Page
	for _, p := range ranked[:min(len(ranked), topPages)] {
		want = append(want, graph.Page(r.w.Graph.ID(p)))
	}
	for _, m := range slices.Concat(r.missedFailed, r.missedOther) {
		want = append(want, m.page)
	}
	listed := len(want)
	want = append(want, r.samplePages()...)
	all, err := r.w.Crawl.Courses(want)
	if err != nil {
		return err
	}
	r.setPages(all[:listed], min(len(ranked), topPages))
	r.setLanguages(all[listed:])
	return nil
}

// samplePages returns fetched pages at equal distances in the order of the crawl.
func (r *Report) samplePages() (list []graph.Page) {
	var all []graph.Page
	for _, v := range r.w.Trail.Visits {
		if v.Class == event.OK {
			all = append(all, v.Page)
		}
	}
	n := min(sampled, len(all))
	for i := range n {
		list = append(list, all[i*len(all)/n])
	}
	return list
}

// setPages sets the lists of pages. The first of all are fetched.
func (r *Report) setPages(all []history.PageCourse, fetched int) {
	place := map[graph.Page]int{}
	for i := range all[:fetched] {
		place[all[i].ID] = -1
	}
	for i, v := range r.w.Trail.Visits {
		if _, listed := place[v.Page]; listed {
			place[v.Page] = i
		}
	}
	scale := r.c.Truth.Scale()
	for i, x := range all[:fetched] {
		at := place[x.ID]
		r.Top = append(r.Top, TopPage{Rank: i + 1, URL: x.URL, Title: x.Title, Fetched: at + 1,
			Seconds: r.w.Trail.Visits[at].Ran.Seconds(), Importance: r.c.Truth.Value[r.ranked()[i]] * scale,
			Redirect: x.Class == event.Redirect.String(), Withheld: x.Withheld})
	}
	missed := slices.Concat(r.missedFailed, r.missedOther)
	for i, x := range all[fetched:] {
		r.Missed = append(r.Missed, MissedPage{Rank: missed[i].rank, URL: x.URL, State: x.State, Why: whyMissed(&x), Attempts: x.Attempts, LinksIn: x.LinksIn})
	}
}

// whyMissed returns why a page was not fetched.
func whyMissed(x *history.PageCourse) string {
	var parts []string
	if x.Why != "" {
		parts = append(parts, x.Why)
	}
	if x.Status != 0 {
		parts = append(parts, fmt.Sprintf("status %d", x.Status))
	}
	if note := strings.TrimPrefix(x.Note, x.Why+": "); note != "" {
		parts = append(parts, note)
	}
	if len(parts) == 0 && x.State == history.PageWaiting {
		return "its turn has not come"
	}
	return show.Clip(strings.Join(parts, ", "), 120)
}

// mostTitle is the number of characters of a title that are shown.
const mostTitle = 80

// titleText returns the title of a page, and what is unusual about it.
func (x *TopPage) titleText() string {
	var notes []string
	if x.Redirect {
		notes = append(notes, "redirect")
	}
	if x.Withheld != "" {
		notes = append(notes, "not stored: "+x.Withheld)
	}
	text := show.Clip(x.Title, mostTitle)
	if len(notes) > 0 {
		text = strings.TrimSpace(text + " (" + strings.Join(notes, "; ") + ")")
	}
	return text
}

// topSection lists the most important pages.
func (r *Report) topSection() show.Section {
	t := &show.Table{Columns: []show.Column{{Name: "rank"}, {Name: "page", Key: "url"}, {Name: "title"}, {Name: "place in the crawl", Key: "fetched_as"},
		{Name: "after", Key: "seconds"}, {Name: "importance"}}}
	for i := range r.Top {
		x := &r.Top[i]
		t.Add(x.Rank, show.Link(x.URL), x.titleText(), x.Fetched, show.Span(secondsOf(x.Seconds)), show.Num(x.Importance, 1))
	}
	return show.Section{Title: topTitle(len(r.Top)), Table: t,
		Text: "Importance is the PageRank of the fetched pages; the mean page has 1. A good order fetches these pages early: the table has the place of each in the order of the crawl, and the time of work before it."}
}

func topTitle(n int) string {
	if n == 1 {
		return "The most important page"
	}
	return fmt.Sprintf("The %d most important pages", n)
}

// failedSection lists the important pages that failed.
func (r *Report) failedSection() show.Section {
	s := r.missedSection("failed", func(x *MissedPage) bool { return x.State == history.PageFailed })
	if s.Title = "Important pages that failed"; s.Table == nil {
		s.Text = "No page failed."
	}
	return s
}

// otherMissed lists the important pages that were skipped or wait.
func (r *Report) otherMissed() show.Section {
	s := r.missedSection("skipped and waiting", func(x *MissedPage) bool { return x.State != history.PageFailed })
	s.Title, s.Fold = "Important pages not tried", "skipped or still waiting"
	if s.Table == nil {
		s.Text, s.Fold = "There are none.", "none"
	}
	return s
}

func (r *Report) missedSection(which string, is func(*MissedPage) bool) (s show.Section) {
	t := &show.Table{Columns: []show.Column{{Name: "would rank", Key: "rank"}, {Name: "page", Key: "url"}, {Name: "why"}, {Name: "attempts"}, {Name: "links to it", Key: "links_in"}}}
	for i := range r.Missed {
		if x := &r.Missed[i]; is(x) {
			why := x.Why
			if x.State == history.PageSkipped {
				why = barText(x.Why)
			}
			t.Add(x.Rank, show.Link(x.URL), why, x.Attempts, show.Count(x.LinksIn))
		}
	}
	if len(t.Rows) > 0 {
		s.Table = t
		s.Text = fmt.Sprintf("Of the %s pages, those to which the most important links lead, at most %d. The rank is that among the fetched pages, estimated from these links.", which, missedPages)
	}
	return s
}

// barText returns the reason why a page was skipped, in words.
func barText(name string) string {
	for b := range event.Bar(event.Bars()) {
		if b.String() == name && b.Meaning() != "" {
			return name + ": " + b.Meaning()
		}
	}
	return name
}
