package history

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/remote"
	"github.com/winnow-crawler/winnow/crawl/render"
	"github.com/winnow-crawler/winnow/crawl/requisite"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
)

// The states of a crawl. One that runs may also be stopping.
const (
	StateRunning  = "running"
	StatePaused   = "paused"
	StateFinished = "finished"
)

// A Status describes a crawl at one moment. winnow status prints its JSON form, and a crawl
// writes it into its directory.
type Status struct {
	State     string           `json:"state"`
	Why       string           `json:"why"`            // it paused: pages, duration, bytes, stopped, unreachable, disk, memory, cluster; "" while it runs
	Seconds   float64          `json:"seconds"`        // since the crawl began, stops included
	Worked    float64          `json:"work_seconds"`   // of these, in sessions
	Mean      float64          `json:"mean_seconds"`   // of work until a page was fetched
	Median    float64          `json:"median_seconds"` // the same, of half of the pages
	Known     int64            `json:"known"`          // pages of all states
	Waiting   int64            `json:"waiting"`        // of these, waiting or being fetched
	Fetched   int64            `json:"fetched"`        // redirects included
	Redirects int64            `json:"redirects"`
	Failed    int64            `json:"failed"`
	FailedBy  map[string]int64 `json:"failed_by"` // failed pages, by class
	Refused   int64            `json:"refused"`
	RefusedBy map[string]int64 `json:"refused_by"`        // refused pages, by reason
	Foreign   int64            `json:"foreign,omitempty"` // pages of other partitions to which links lead; they count nowhere else
	Sites     int64            `json:"sites"`
	Requests  int64            `json:"requests"` // pages, requisites, robots.txt, sitemaps
	Bytes     int64            `json:"bytes"`    // of all answers, before decoding
	state.Spared
	Withheld    int64            `json:"withheld"`             // fetched pages that are not stored, because they ask not to be indexed or archived
	Kept        int64            `json:"kept,omitempty"`       // pages in the archive, with --keep-pages
	Dropped     int64            `json:"dropped,omitempty"`    // pages that made room for others, each as often as it did
	Requisites  *requisite.Tally `json:"requisites,omitempty"` // what pages need to be shown; nil if none is known
	Rendering   *render.Tally    `json:"rendering,omitempty"`  // pages that a browser showed or is to show; nil if there are none
	Outcomes    map[string]int64 `json:"outcomes"`             // ends of attempts at pages, by class
	Links       int64            `json:"links"`                // found on fetched pages, to pages of all states
	Gathered    float64          `json:"gathered"`             // share of them that lead to fetched pages
	Rate        float64          `json:"pages_per_second"`     // over the last ten seconds
	Active      int              `json:"active_fetchers"`
	Fetchers    int              `json:"fetchers"`
	Waits       map[string]int   `json:"waits"`         // number of sites that wait, by reason
	Delays      map[string]int   `json:"delays"`        // of those that wait for politeness, by what decides: see frontier.DelayBy
	Wanting     int              `json:"wanting_sites"` // sites with something to request
	idle        int              // sites that are left idle for better pages
	Columns     map[string]int64 `json:"memory"`       // bytes by column
	Memory      int64            `json:"memory_total"` // bytes: columns, heap, and what snapshots need
	Largest     *SiteShare       `json:"largest_site,omitempty"`
	Traps       []Trap           `json:"traps,omitempty"` // those with most pages
	Held        int64            `json:"held"`            // refused pages that may be admitted later
	Mirrors     []state.MirrorOf `json:"mirrors,omitempty"`
	Mirrored    int64            `json:"mirror_sites"`
	Down        int64            `json:"unreachable_sites"`
	Unreachable []state.SiteDown `json:"unreachable,omitempty"` // those with most pages
	Caps        []state.Cap      `json:"limits,omitempty"`      // limits that left something out
	Remote      *remote.Status   `json:"remote,omitempty"`      // WARC files in a store; nil: none
	Topic       *TopicStatus     `json:"topic,omitempty"`       // nil if the crawl is about nothing in particular
	Record      uint64           `json:"record"`                // number of the next record of the journal
	Sample      int64            `json:"link_sample"`           // the policy looks at the links of one fetched page of how many; 1: of all
	Notes       []string         `json:"notes,omitempty"`       // what the policy has to tell, such as mistakes of a score

	NextTry     *time.Time `json:"next_try,omitempty"`     // of the first unreachable site
	Fetching    []string   `json:"fetching,omitempty"`     // some of what is requested at this moment
	LastFailure *Failure   `json:"last_failure,omitempty"` // of this session

	Ran time.Duration `json:"-"` // Worked, exactly

	// Only a running crawl knows these.
	Acquired  int64               `json:"-"` // pages being fetched
	Counts    frontier.Counts     `json:"-"` // why sites wait
	OffHeap   int64               `json:"-"` // the part of Memory outside the Go heap
	MemoryMax int64               `json:"-"` // 0: no limit
	Left      time.Duration       `json:"-"` // until the limit in force; 0: unknown
	DNS       fetch.ResolverStats `json:"-"`
	Commits   int64               `json:"-"`
	Committed time.Time           `json:"-"` // when the last of them was, or when the session began
	Measured  time.Time           `json:"-"` // when this status was made
	Archive   int64               `json:"-"` // bytes written to WARC files
	Journal   int64               `json:"-"` // bytes written to the journal
}

// A Failure is a page whose last attempt failed.
type Failure struct {
	URL    string    `json:"url"`
	Class  string    `json:"class"`
	Status int       `json:"status,omitempty"`
	Note   string    `json:"note,omitempty"`
	At     time.Time `json:"at"`
}

// Text says in a few words why the page failed.
func (f *Failure) Text() string {
	switch {
	case f.Status != 0:
		return fmt.Sprintf("status %d", f.Status)
	case f.Note != "":
		return f.Note
	}
	return f.Class
}

// A TopicStatus says how many pages are about the topic of a crawl.
type TopicStatus struct {
	Read    int64   `json:"pages_read"`
	Hot     int64   `json:"hot"`          // about the topic
	Harvest float64 `json:"harvest_rate"` // share of the pages read that are
}

// A SiteShare is the site with most known pages.
type SiteShare struct {
	Site  string  `json:"site"`
	Pages int64   `json:"known"`
	Share float64 `json:"share"` // of all known pages
	// Verdict describes how many of its pages were skipped as traps: "trap" (most of them),
	// "partly" (some) or "none".
	Verdict string `json:"verdict"`
	Trapped int64  `json:"trapped"` // its pages that were skipped as traps
}

// A Trap is a place that the crawl skips, and why.
type Trap struct {
	Reason  string `json:"reason"` // as in refused_by
	Site    string `json:"site"`
	Pattern string `json:"pattern,omitempty"` // of the paths; "": the whole site
	Pages   int64  `json:"pages"`             // that were skipped
}

// Now returns the time since the crawl began.
func (x *Status) Now() time.Duration { return time.Duration(x.Seconds * float64(time.Second)) }

// Fill sets the fields that follow from the state s at an instant. It makes new maps, so
// that copies of the old status do not change.
func (x *Status) Fill(s *state.State, now time.Duration) {
	states, bars, failed := s.Frontier.Census()
	mean, median := s.Came.Arrival()
	x.Ran, x.Mean, x.Median = s.Active(now), mean.Seconds(), median.Seconds()
	x.Worked = x.Ran.Seconds()
	x.Seconds, x.Known, x.Sites = now.Seconds(), int64(s.Frontier.Pages()), int64(s.Frontier.Sites())
	x.Fetched, x.Failed, x.Refused = states[frontier.Fetched]+states[frontier.Reacquired], states[frontier.Failed], states[frontier.RefusedPage]
	x.Waiting, x.Acquired = x.Known-x.Fetched-x.Failed-x.Refused, states[frontier.Acquired]
	x.FailedBy, x.Outcomes, x.RefusedBy = map[string]int64{}, map[string]int64{}, map[string]int64{}
	for c := event.OK; c <= event.LastClass; c++ {
		count(x.FailedBy, c.String(), failed[c])
		count(x.Outcomes, c.String(), s.Outcomes[c])
	}
	x.Foreign = bars[event.BarForeign]
	x.Known, x.Refused, x.Sites = x.Known-x.Foreign, x.Refused-x.Foreign, x.Sites-foreignSites(s)
	bars[event.BarForeign] = 0
	for b := range event.Bar(event.Bars()) {
		count(x.RefusedBy, b.String(), bars[b])
	}
	x.Redirects, x.Links, x.Bytes, x.Requests = s.Moved, s.Links, s.Bytes, 0
	for _, n := range s.Requests[event.Resolve+1:] {
		x.Requests += n
	}
	x.Spared, x.Withheld, x.Dropped = s.Spared, s.Withheld, s.Dropped
	if s.Kept != nil {
		x.Kept = int64(s.Kept.Len())
	}
	if x.Gathered = 0; s.Links > 0 {
		x.Gathered = float64(s.Gathered) / float64(s.Links)
	}
	x.Memory, x.Columns, x.Sample = s.Memory(), map[string]int64{}, int64(s.Frontier.Sample())
	x.Notes = s.Frontier.Notes()
	if read, hot, ok := s.Frontier.Topical().Counts(); ok {
		x.Topic = &TopicStatus{read, hot, float64(hot) / float64(max(1, read))}
	}
	if x.Requisites = nil; s.Requisites.Known+s.Requisites.LeftOut > 0 {
		t := s.Requisites.Tally
		x.Requisites = &t
	}
	if x.Rendering = nil; s.Renders.Used() {
		t := s.Renders.Tally
		x.Rendering = &t
	}
	x.Record = s.Next
	x.fillWaits(s)
}

// foreignSites returns the number of known sites that are those of other partitions.
func foreignSites(s *state.State) (n int64) {
	self, of := s.Self()
	if of == 0 {
		return 0
	}
	for i := range s.Frontier.Sites() {
		if s.Frontier.Partition(graph.Site(i)) != self {
			n++
		}
	}
	return n
}

// fillWaits sets the numbers of sites that wait.
func (x *Status) fillWaits(s *state.State) {
	x.Counts, x.Down, x.Waits, x.Delays, x.NextTry = s.Frontier.Counts(), s.Weather.CountDown(), map[string]int{}, map[string]int{}, nil
	x.Wanting, x.idle = s.Frontier.WantingSites(), s.Frontier.SitesBelowFloor(s.PagesLeft())
	s.Frontier.Waiting(func(site graph.Site, by string) {
		if _, down := s.Weather.WhyDown(site); !down {
			x.Delays[by]++
		}
	})
	if at, ok := s.Weather.FirstTry(); ok {
		next := s.Wall(at)
		x.NextTry = &next
	}
	for _, w := range x.WaitingSites() {
		count(x.Waits, w.Why, w.Sites)
	}
	count(x.Waits, "retry", x.Counts.Due)
	count(x.Waits, "sitemap-files", x.Counts.Files)
}

// count sets a number that is not 0.
func count[N int | int64](m map[string]N, name string, n N) {
	if n > 0 {
		m[name] = n
	}
}

// AddDetails sets what takes longer to compute: the memory by column, the largest site,
// traps, mirrors, and sites that cannot be reached.
func (x *Status) AddDetails(s *state.State) {
	rest := x.Memory
	x.Columns = map[string]int64{}
	s.Account(func(name string, bytes int64) { x.Columns[name] += bytes; rest -= bytes })
	count(x.Columns, "heap, buffers, snapshot", rest)
	x.Largest = largest(s)
	x.Traps, x.Held = trapList(s), int64(s.Traps.Guard.Holds())
	x.Mirrors, x.Mirrored = s.Mirrors.List()
	x.Unreachable = s.Weather.ListDown()
}

// ReadStatus returns the status of the crawl in a directory. A running crawl and one that
// was stopped have left it in a file; for others the state is restored.
func ReadStatus(ctx context.Context, dir string) (*Status, error) {
	if list, err := Dirs(dir); err == nil && len(list) > 1 {
		return readAll(ctx, dir)
	}
	c, err := Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if s := c.StatusFile(); s != nil {
		return s, nil
	}
	return c.Status()
}

// StatusFile returns the status that a crawl left in its directory, or nil. That of a running
// crawl is some seconds old; that of another counts if nothing was committed after it.
func (c *Crawl) StatusFile() *Status {
	b, err := os.ReadFile(filepath.Join(c.Path, layout.StatusFile))
	s := new(Status)
	switch {
	case err != nil || json.Unmarshal(b, s) != nil:
		return nil
	}
	s.Ran = time.Duration(s.Worked * float64(time.Second))
	if c.parts.Archive != nil { // nil: see readAll
		s.Remote = s.Remote.Recount("", c.parts.Archive)
	}
	switch {
	case c.Running:
		s.State, s.Why = StateRunning, ""
	case s.State != StatePaused && s.State != StateFinished: // it was killed
		return nil
	case s.Record != c.end.Next:
		return nil
	}
	return s
}

// Status returns the status according to the state: see State.
func (c *Crawl) Status() (*Status, error) {
	s, err := c.State()
	if err != nil {
		return nil, err
	}
	if c.Partitions != nil {
		x := Merge(c.Partitions)
		x.OfCluster(c.Path)
		return x, nil
	}
	x := &Status{State: StatePaused, Fetchers: c.config.Fetchers}
	x.Fill(s, s.Now)
	x.AddDetails(s)
	x.Caps, x.Remote = s.Caps(c.config), x.Remote.Recount(c.config.Archive, c.parts.Archive)
	switch {
	case c.Running:
		x.State = StateRunning
	case x.NothingLeft():
		x.State = StateFinished
	case c.all != nil:
		x.OfCluster(c.all.Path)
	}
	return x, nil
}

// NothingLeft reports whether no page and no requisite waits for a request.
func (x *Status) NothingLeft() bool {
	n := &x.Counts
	return n.Queued == 0 && n.Due == 0 && n.Flying == 0 && n.Hops == 0 && n.Requisites == 0
}

// trapList returns the traps with most pages.
func trapList(s *state.State) (list []Trap) {
	const each = 5 // of a reason, since a farm has many sites
	var of [event.MaxBar + 1]int
	for _, m := range s.Traps.Guard.Marks() {
		if of[m.Bar]++; of[m.Bar] <= each && len(list) < state.MaxListed {
			list = append(list, Trap{m.Bar.String(), string(s.Table.Name(m.Site)), m.Pattern, m.Pages})
		}
	}
	return list
}

// largest returns the site with most known pages, the first of several; nil without pages.
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

// A Wait is a number of sites that wait for the same reason.
type Wait struct {
	Why   string
	Sites int
}

// WaitingSites returns the reasons why sites that have pages are not requested. Sites that
// cannot be reached do not wait for politeness, although they have an instant, too.
func (x *Status) WaitingSites() []Wait {
	n := &x.Counts
	return []Wait{
		{"politeness", max(0, n.Polite-int(x.Down))}, {"unreachable", int(x.Down)}, {"address", n.Parked}, {"slow", n.Slow},
		{"commit", n.Held}, {"twin", n.Blocked}, {"robots-elsewhere", n.Hops}, {"better", x.idle},
	}
}
