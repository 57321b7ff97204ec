package history

import (
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// Status is what `winnow status --json` prints: the statistics of a crawl with names.
type Status struct {
	State    string           `json:"state"`   // running, paused, finished
	Why      string           `json:"why"`     // it paused: pages, duration, bytes, stopped, unreachable, disk, memory; "" while it runs
	Seconds  float64          `json:"seconds"` // of the crawl, stops included
	Known    int64            `json:"known"`   // pages of all states
	Waiting  int64            `json:"waiting"` // of these, not asked for yet
	Fetched  int64            `json:"fetched"` // redirects included
	Moved    int64            `json:"redirects"`
	Failed   int64            `json:"failed"`
	FailedBy map[string]int64 `json:"failed_by"` // failed pages, by class
	Refused  int64            `json:"refused"`
	Reasons  map[string]int64 `json:"refused_by"` // refused pages, by reason
	Sites    int64            `json:"sites"`
	Requests int64            `json:"requests"` // pages, robots.txt, sitemaps
	Bytes    int64            `json:"bytes"`
	Outcomes map[string]int64 `json:"outcomes"` // ends of attempts at pages, by class
	Links    int64            `json:"links"`    // found on fetched pages, to pages of all states
	Gathered float64          `json:"gathered"` // share of them that lead to fetched pages
	Rate     float64          `json:"pages_per_second"`
	Active   int              `json:"active_fetchers"`
	Fetchers int              `json:"fetchers"`
	Waits    map[string]int   `json:"waits"`  // what waits for what, by reason
	Memory   map[string]int64 `json:"memory"` // bytes by column
	Total    int64            `json:"memory_total"`
	Largest  *SiteShare       `json:"largest_site,omitempty"`
	Traps    []Trap           `json:"traps,omitempty"` // those that met most pages
	Held     int64            `json:"held"`            // refused pages for which something may speak yet
	Mirrors  []state.MirrorOf `json:"mirrors,omitempty"`
	Mirrored int64            `json:"mirror_sites"`
	Down     int64            `json:"unreachable_sites"`
	DownList []state.SiteDown `json:"unreachable,omitempty"` // those with most pages
	Caps     []state.Cap      `json:"limits,omitempty"`      // limits that left something out
	Record   uint64           `json:"record"`                // number of the next record of the journal
}

// SiteShare is the site with most known pages (X38: on the Web of the papers one server
// had 45 % of the known URLs).
type SiteShare struct {
	Site  string  `json:"site"`
	Pages int64   `json:"known"`
	Share float64 `json:"share"` // of all known pages
	// Verdict says whether it looks like a trap: "trap" (most of its pages were left alone
	// for that), "partly" (some were), "none".
	Verdict string `json:"verdict"`
	Trapped int64  `json:"trapped"` // its pages that were left alone as traps
}

// A Trap is a place that the crawl leaves alone, and why.
type Trap struct {
	Reason  string `json:"reason"` // as in refused_by
	Site    string `json:"site"`
	Pattern string `json:"pattern,omitempty"` // of the paths; "": all of the site
	Pages   int64  `json:"pages"`             // that were left alone
}

// Status gives the statistics names.
func (s *Stats) Status() *Status {
	x := &Status{
		State: s.State, Seconds: s.Now.Seconds(), Known: s.Known, Waiting: s.Queued, Fetched: s.Fetched, Moved: s.Redirects, Failed: s.Failed,
		Refused: s.Refused, Sites: s.Sites, Requests: s.Requests, Bytes: s.Bytes, Links: s.Links, Gathered: s.Gathered, Rate: s.Rate,
		Active: s.Active, Fetchers: s.Fetchers, Total: s.Memory,
		Reasons: map[string]int64{}, Outcomes: map[string]int64{}, Waits: map[string]int{}, Memory: map[string]int64{},
	}
	for b, n := range s.Bars {
		if n > 0 {
			x.Reasons[event.Bar(b).String()] = n
		}
	}
	x.FailedBy = s.failedBy()
	for c, n := range s.Outcomes {
		if n > 0 {
			x.Outcomes[event.Class(c).String()] = n
		}
	}
	c := &s.Counts
	x.Down = s.Down
	for name, n := range map[string]int{"politeness": max(0, c.Polite-int(s.Down)), "unreachable": int(s.Down), "address": c.Parked, "retry": c.Due, "commit": c.Held, "twin": c.Blocked,
		"robots-elsewhere": c.Hops, "sitemap-files": c.Files, "slow": c.Slow} {
		if n > 0 {
			x.Waits[name] = n
		}
	}
	return x
}

// failedBy gives the classes of failed pages names (W29).
func (s *Stats) failedBy() map[string]int64 {
	by := map[string]int64{}
	for c, n := range s.FailedBy {
		if n > 0 {
			by[event.Class(c).String()] = n
		}
	}
	return by
}

// AddColumns adds the memory of a state, by column.
func (x *Status) AddColumns(s *state.State) {
	s.Account(func(name string, bytes int64) { x.Memory[name] += bytes })
	x.Record = s.Next
	x.Largest = largest(s)
	x.Traps, x.Held = trapList(s), int64(s.Traps.Guard.Holds())
	x.Mirrors, x.Mirrored = s.Mirrors.List()
	x.DownList = s.Weather.ListDown()
	rest := x.Total
	for _, n := range x.Memory {
		rest -= n
	}
	if rest > 0 {
		x.Memory[restOfMemory] = rest
	}
}

// restOfMemory names what is in no column: bodies on their way, buffers, what the collector
// has not cleared away yet, and the copy of the state that a snapshot needs.
const restOfMemory = "heap, buffers, snapshot"

// trapList names the traps that met most pages.
func trapList(s *state.State) (list []Trap) {
	const each = 5 // of a reason: a farm has many sites
	var of [event.MaxBar + 1]int
	for _, m := range s.Traps.Guard.Marks() {
		if of[m.Bar]++; of[m.Bar] <= each && len(list) < state.MaxListed {
			list = append(list, Trap{m.Bar.String(), string(s.Table.Name(m.Site)), m.Pattern, m.Pages})
		}
	}
	return list
}

// largest is the site with most known pages, the first of several; nil without pages.
func largest(s *state.State) *SiteShare {
	var best graph.Site
	most := 0
	for i := range s.Frontier.Sites() {
		if n := s.Frontier.SitePages(graph.Site(i)); n > most {
			best, most = graph.Site(i), n
		}
	}
	if most == 0 {
		return nil
	}
	x := &SiteShare{Site: string(s.Table.Name(best)), Pages: int64(most), Share: float64(most) / float64(s.Frontier.Pages()), Verdict: "none"}
	switch x.Trapped = s.Traps.Guard.BarredOn(best); {
	case 2*x.Trapped > x.Pages:
		x.Verdict = "trap"
	case x.Trapped > 0:
		x.Verdict = "partly"
	}
	return x
}
