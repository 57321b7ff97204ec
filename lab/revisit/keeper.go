package revisit

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// A keeper holds the copies of a collection and measures how long they are out of date.
type keeper struct {
	*Collection
	lacks []int         // by page: the first change that its copy lacks
	from  time.Duration // measured from here
	width time.Duration // of a point of the curve
	sum   Result        // of weights times nanoseconds
	stale []float64     // by point of the curve: weights times nanoseconds out of date
	ages  []float64     // by point of the curve: weights times the integral of the age
}

func newKeeper(c *Collection) *keeper {
	k := &keeper{Collection: c, lacks: make([]int, c.Log.Pages()), from: c.Log.Length / 3}
	k.width = c.Log.Length/CurvePoints + 1
	k.stale, k.ages = make([]float64, CurvePoints), make([]float64, CurvePoints)
	return k
}

// visit replaces the copy of a page.
func (k *keeper) visit(now time.Duration, p graph.Page) {
	k.sum.Requests++
	k.count(p, now)
	n := k.Log.version(p, now)
	if n > k.lacks[p] {
		k.sum.Changed++
	}
	k.lacks[p] = n
}

// version returns a number that is another one for each version of the copy of a page.
func (k *keeper) version(p graph.Page) uint64 { return uint64(k.lacks[p]) }

// count counts the time until now during which the copy of a page was out of date.
func (k *keeper) count(p graph.Page, now time.Duration) {
	list, n := k.Log.Changes[p], k.lacks[p]
	if n == len(list) || list[n] >= now {
		return
	}
	since, w := list[n], k.Weight[p]
	if begin := max(since, k.from); begin < now {
		k.sum.Staleness += w * float64(now-begin)
		young, old := float64(begin-since), float64(now-since)
		k.sum.Age += w * (old*old - young*young) / 2
	}
	for at := since; at < now; {
		i := at / k.width
		end := min(now, (i+1)*k.width)
		k.stale[i] += w * float64(end-at)
		young, old := float64(at-since), float64(end-since)
		k.ages[i] += w * (old - young) * (old + young) / 2
		at = end
	}
}

// result returns the measures when the log has ended.
func (k *keeper) result() *Result {
	for p := range k.lacks {
		k.count(graph.Page(p), k.Log.Length)
	}
	r := k.sum
	r.Curve = slices.Clone(k.stale)
	for i := range r.Curve {
		r.Curve[i] /= float64(k.width)
	}
	if measured := float64(k.Log.Length - k.from); measured > 0 {
		r.Staleness /= measured
		r.Age /= measured * float64(day)
	}
	return &r
}

// A change is an entry of a log.
type change struct {
	at   time.Duration
	page graph.Page
}

// feed returns all changes in the order of time.
func (c *Collection) feed() (all []change) {
	for p, list := range c.Log.Changes {
		for _, at := range list {
			all = append(all, change{at, graph.Page(p)})
		}
	}
	slices.SortFunc(all, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.page, b.page)) })
	return all
}

// stale holds the pages whose copies are out of date, the heaviest first.
type stale struct {
	weight []float64
	pages  []graph.Page
	in     map[graph.Page]bool
}

func newStale(weight []float64) *stale { return &stale{weight: weight, in: map[graph.Page]bool{}} }

func (s *stale) add(p graph.Page) {
	if !s.in[p] {
		s.in[p] = true
		heap.Push(s, p)
	}
}

func (s *stale) next() (p graph.Page, ok bool) {
	if len(s.pages) == 0 {
		return graph.NoPage, false
	}
	p = heap.Pop(s).(graph.Page)
	delete(s.in, p)
	return p, true
}

func (s *stale) Len() int { return len(s.pages) }
func (s *stale) Less(i, j int) bool {
	a, b := s.pages[i], s.pages[j]
	return s.weight[a] > s.weight[b] || s.weight[a] == s.weight[b] && a < b
}
func (s *stale) Swap(i, j int) { s.pages[i], s.pages[j] = s.pages[j], s.pages[i] }
func (s *stale) Push(x any)    { s.pages = append(s.pages, x.(graph.Page)) }
func (s *stale) Pop() any {
	last := s.pages[len(s.pages)-1]
	s.pages = s.pages[:len(s.pages)-1]
	return last
}
