package history

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/requisite"
	"github.com/winnow-crawler/winnow/crawl/state"
)

// Merge returns the status of a crawl, given those of its partitions. The status of a partition
// that is nil counts as empty.
func Merge(list []*Status) *Status {
	x := &Status{
		FailedBy: map[string]int64{}, RefusedBy: map[string]int64{}, Outcomes: map[string]int64{},
		Waits: map[string]int{}, Delays: map[string]int{}, Columns: map[string]int64{}, Sample: 1,
	}
	arrived, median, gathered := 0.0, 0.0, 0.0
	for _, s := range list {
		if s == nil {
			continue
		}
		x.sum(s)
		n := float64(s.Fetched - s.Redirects)
		arrived += n * s.Mean
		median += n * s.Median
		gathered += float64(s.Links) * s.Gathered
	}
	if n := float64(x.Fetched - x.Redirects); n > 0 {
		x.Mean, x.Median = arrived/n, median/n
	}
	if x.Links > 0 {
		x.Gathered = gathered / float64(x.Links)
	}
	x.Worked = x.Ran.Seconds()
	x.settle(list)
	return x
}

// sum adds the status of a partition: numbers to numbers, lists to lists.
func (x *Status) sum(s *Status) {
	to, from := reflect.ValueOf(x).Elem(), reflect.ValueOf(s).Elem()
	for _, name := range []string{
		"Known", "Waiting", "Fetched", "Redirects", "Failed", "Refused", "Foreign", "Sites", "Requests", "Bytes", "Withheld", "Kept", "Dropped",
		"Links", "Rate", "Active", "Wanting", "Memory", "Held", "Mirrored", "Down", "Record", "Acquired", "OffHeap", "Commits", "Archive", "Journal",
		"Counts", "DNS", "Spared",
	} {
		add(to.FieldByName(name), from.FieldByName(name))
	}
	x.idle += s.idle
	for to, from := range map[*map[string]int64]map[string]int64{&x.FailedBy: s.FailedBy, &x.RefusedBy: s.RefusedBy, &x.Outcomes: s.Outcomes, &x.Columns: s.Columns} {
		for k, n := range from {
			(*to)[k] += n
		}
	}
	for to, from := range map[*map[string]int]map[string]int{&x.Waits: s.Waits, &x.Delays: s.Delays} {
		for k, n := range from {
			(*to)[k] += n
		}
	}
	x.Seconds, x.Ran, x.MemoryMax, x.Fetchers = max(x.Seconds, s.Seconds), max(x.Ran, s.Ran), max(x.MemoryMax, s.MemoryMax), max(x.Fetchers, s.Fetchers)
	x.Sample, x.Left = max(x.Sample, s.Sample), max(x.Left, s.Left)
	x.Fetching = append(x.Fetching, s.Fetching...)
	x.Traps, x.Mirrors, x.Unreachable = append(x.Traps, s.Traps...), append(x.Mirrors, s.Mirrors...), append(x.Unreachable, s.Unreachable...)
	x.Caps = mergeCaps(x.Caps, s.Caps)
	for _, note := range s.Notes {
		if !slices.Contains(x.Notes, note) {
			x.Notes = append(x.Notes, note)
		}
	}
	if s.Requisites != nil {
		if x.Requisites == nil {
			x.Requisites = new(requisite.Tally)
		}
		add(reflect.ValueOf(x.Requisites).Elem(), reflect.ValueOf(s.Requisites).Elem())
	}
	x.Remote = x.Remote.Add(s.Remote)
	x.latest(s)
}

// latest takes over what is that of the last or of the largest partition.
func (x *Status) latest(s *Status) {
	if s.Topic != nil {
		t := *s.Topic
		if x.Topic != nil {
			t.Read, t.Hot = t.Read+x.Topic.Read, t.Hot+x.Topic.Hot
		}
		t.Harvest = float64(t.Hot) / float64(max(1, t.Read))
		x.Topic = &t
	}
	if s.Largest != nil && (x.Largest == nil || s.Largest.Pages > x.Largest.Pages) {
		x.Largest = s.Largest
	}
	if s.NextTry != nil && (x.NextTry == nil || s.NextTry.Before(*x.NextTry)) {
		x.NextTry = s.NextTry
	}
	if f := s.LastFailure; f != nil && (x.LastFailure == nil || f.At.After(x.LastFailure.At)) {
		x.LastFailure = f
	}
	for to, from := range map[*time.Time]time.Time{&x.Committed: s.Committed, &x.Measured: s.Measured} {
		if from.After(*to) {
			*to = from
		}
	}
}

// settle sets what follows from all partitions together: the state of the crawl, and the lists,
// which are cut to what one crawl shows.
func (x *Status) settle(list []*Status) {
	if l := x.Largest; l != nil {
		c := *l
		c.Share = float64(c.Pages) / float64(max(1, x.Known))
		x.Largest = &c
	}
	slices.SortStableFunc(x.Traps, func(a, b Trap) int { return cmp.Compare(b.Pages, a.Pages) })
	slices.SortStableFunc(x.Unreachable, func(a, b state.SiteDown) int { return cmp.Compare(b.Pages, a.Pages) })
	x.Traps = x.Traps[:min(len(x.Traps), state.MaxListed)]
	x.Mirrors = x.Mirrors[:min(len(x.Mirrors), state.MaxListed)]
	x.Unreachable = x.Unreachable[:min(len(x.Unreachable), state.MaxListed)]
	x.Fetching = x.Fetching[:min(len(x.Fetching), fetchingListed)]
	finished := 0
	for _, s := range list {
		switch {
		case s == nil:
		case s.State == StateFinished:
			finished++
		case x.State == "" || x.State == StatePaused:
			x.State, x.Why = s.State, s.Why
		}
	}
	if x.State == "" {
		x.State = StatePaused
	}
	if finished > 0 && finished == len(list) {
		x.State, x.Why = StateFinished, list[0].Why
	}
}

// fetchingListed is the number of requests under way that a status lists.
const fetchingListed = 8

// mergeCaps adds up what limits left out.
func mergeCaps(to, from []state.Cap) []state.Cap {
	for _, c := range from {
		i := slices.IndexFunc(to, func(d state.Cap) bool { return d.Key == c.Key && d.What == c.What && d.Value == c.Value })
		if i < 0 {
			to = append(to, c)
			continue
		}
		d := &to[i]
		d.Left += c.Left
		d.Where = slices.Concat(d.Where, c.Where)
		if len(c.Raise) > len(d.Raise) || len(c.Raise) == len(d.Raise) && c.Raise > d.Raise {
			d.Raise = c.Raise // numbers, the larger one
		}
	}
	return to
}

// add adds numbers, and the fields of structures.
func add(to, from reflect.Value) {
	switch to.Kind() {
	case reflect.Struct:
		for i := range to.NumField() {
			add(to.Field(i), from.Field(i))
		}
	case reflect.Int, reflect.Int64:
		to.SetInt(to.Int() + from.Int())
	case reflect.Uint64:
		to.SetUint(to.Uint() + from.Uint())
	case reflect.Float64:
		to.SetFloat(to.Float() + from.Float())
	}
}
