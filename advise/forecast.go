package advise

import (
	"math"
	"slices"
)

// A Budget is what a crawl spends.
type Budget int

// The budgets.
const (
	Pages Budget = iota
	Hours
	Bytes
	Budgets // their number
)

// String returns the name of the budget.
func (b Budget) String() string { return [Budgets]string{"pages", "hours", "bytes"}[b] }

// A Forecast says what a tenth more of a budget would bring.
type Forecast struct {
	Budget Budget
	More   float64 // of the budget: pages, hours or bytes
	Pages  int     // that are expected to be fetched with it
	// Gain is the importance that they are expected to have, as a share of that of all pages
	// fetched so far. It is between Low and High in four of five cases.
	Gain, Low, High float64
	// Last is what the last tenth of the budget brought, as a share of all before it, Before
	// the same for the tenth before that one.
	Last, Before float64
	// Hot is how many of the pages are expected to be about the topic, if the crawl has one.
	Hot Count
}

const (
	step     = 1.1 // from one moment of a budget to the next
	tests    = 8   // earlier moments at which the forecast is made again and compared
	windows  = 10  // earlier tenths whose spread counts
	first    = 20  // fetches before the first moment that counts
	tiny     = 1e-9
	fewTests = 0.5 // spread of a crawl with too few tenths
)

// MinPages is the number of fetches before which there is no forecast.
const MinPages = 100

// The model. With, for a tenth of a budget in which m more pages are expected after k,
//
//	last   how much the pages of the last tenth are worth, by the page, of all before
//	wait   how much the pages that wait are worth, by the page, of all fetched ones
//	bias   mean error of wait, alone, at earlier moments of this crawl
//	novel  known pages for each fetched one
//	spread standard deviation of what the last ten tenths brought
//	growth pages that became known for each fetched one since the earliest of these moments, plus 1
//
// all of them as logarithms but the spread, the logarithm of the gain is
//
//	log(m/k) + model.one + model.last last + model.wait wait + model.bias bias + model.novel novel
//
// and the ends of its interval lie scale.low and scale.high times the exponential of
//
//	scale.one + scale.spread log(spread + 0.05) + scale.bias |bias| + scale.bytes, if it is about bytes,
//	+ scale.growth max(0, growth - 0.55) + scale.novel max(0, novel - 0.7)
//
// away. The last two terms are for crawls that have seen a small part of a large web: PageRank
// of their pages depends on pages that they do not know. The numbers are from virtual crawls of
// twelve webs: see docs/advise.md.
func model() (one, last, wait, bias, novel float64) { return 0.439, 0.402, 0.833, 0.731, -0.441 }

// scale returns the numbers of the interval.
func scale() (one, spread, bias, bytes, growth, novel, low, high float64) {
	return -1.15, 0.54, 0.43, 0.11, 0.35, 0.67, -1.97, 1.75
}

// From where on growth and novel widen the interval.
const (
	muchGrowth = 0.55
	muchNovel  = 0.7
)

// clock returns what was spent of a budget after each fetch, nil if that is not known.
func (c *Course) clock(b Budget) []float64 {
	n := len(c.Order)
	if b == Hours && len(c.End) < n || b == Bytes && len(c.Bytes) < n {
		return nil
	}
	list, sum := make([]float64, n), 0.0
	for i := range list {
		switch b {
		case Pages:
			list[i] = float64(i + 1)
		case Hours:
			sum = max(sum, c.End[i].Hours())
			list[i] = sum
		case Bytes:
			sum += float64(c.Bytes[i])
			list[i] = sum
		}
	}
	return list
}

// cuts returns the numbers of fetches after which a clock had come to its end divided by 1,
// 1.1, 1.1² and so on.
func cuts(clock []float64, many int) []int {
	list, c := make([]int, many), clock[len(clock)-1]
	for i := range list {
		at, _ := slices.BinarySearch(clock, c)
		list[i] = min(at+1, len(clock))
		c /= step
	}
	return list
}

// A series is a budget over the past of a crawl.
type series struct {
	budget Budget
	clock  []float64
	cuts   []int
	wait   []float64 // what waiting pages were worth, by moment: see lookAt; NaN where none is
	known  []int     // pages, by moment
}

func newSeries(c *Course, b Budget) *series {
	clock := c.clock(b)
	if clock == nil || !(clock[len(clock)-1] > 0) {
		return nil
	}
	s := &series{budget: b, clock: clock, cuts: cuts(clock, windows+3), wait: make([]float64, tests+1), known: make([]int, tests+1)}
	for i := range s.wait {
		s.wait[i] = math.NaN()
	}
	return s
}

// valid reports whether the tenths before moment i are long enough to count.
func (s *series) valid(i int) bool {
	j, a, b := s.cuts[i], s.cuts[i+1], s.cuts[i+2]
	return j >= first && a < j && b < a && b >= 5
}

// more returns how many pages the tenth after moment i was expected to have.
func (s *series) more(i int) int {
	if s.budget == Hours {
		return max(1, s.cuts[i]-s.cuts[i+1])
	}
	return max(1, s.cuts[i]/10)
}

// lookAt notes what waiting pages are worth at moment i, where the walk is: the logarithm of
// the importance of as many as expected, of the mean ones, for each importance fetched.
func (s *series) lookAt(i int, v *view) {
	if s.valid(i) && v.waiting > 0 {
		m := min(s.more(i), v.waiting)
		s.wait[i] = math.Log(v.mass/float64(v.waiting)*float64(m)/v.fetched + tiny)
	}
}

// A view is what is to be seen at a moment.
type view struct {
	waiting   int     // pages
	promising int     // of these, those that promise to be about the topic
	mass      float64 // their importance
	fetched   float64 // importance of the pages fetched
}

func (w *walk) view() *view {
	v := &view{fetched: w.mass(0, w.done)}
	for _, p := range w.known {
		if w.waits(p) {
			v.waiting++
			if w.promises(p) {
				v.promising++
			}
			v.mass += w.rank.Score(p)
		}
	}
	return v
}

// forecast returns the forecast from the last moment, at which the walk is. ok is false if the
// crawl is too short. Some page must wait.
func (s *series) forecast(w *walk, v *view) (f Forecast, ok bool) {
	if !s.valid(0) || len(w.Order) < MinPages || v.waiting == 0 {
		return f, false
	}
	k, m := s.cuts[0], s.more(0)
	f = Forecast{Budget: s.budget, More: s.clock[k-1] / 10, Pages: min(m, v.waiting)}
	a, b := s.cuts[1], s.cuts[2]
	f.Last, f.Before = w.mass(a, k)/w.mass(0, a), w.mass(b, a)/w.mass(0, b)
	expected := math.Log(float64(m) / float64(k))
	last := math.Log(f.Last+tiny) - expected
	bias, spread := s.past(w)
	novel := math.Log(float64(len(w.known)) / float64(k))
	one, ofLast, ofWait, ofBias, ofNovel := model()
	y := expected + one + float64(ofLast*last) + float64(ofWait*(s.wait[0]-expected)) + float64(ofBias*bias) + float64(ofNovel*novel)
	one, ofSpread, ofBias, ofBytes, ofGrowth, ofNovel, low, high := scale()
	if s.budget != Bytes {
		ofBytes = 0
	}
	unit := math.Exp(one + float64(ofSpread*math.Log(spread+0.05)) + float64(ofBias*math.Abs(bias)) + ofBytes +
		float64(ofGrowth*max(0, s.growth()-muchGrowth)) + float64(ofNovel*max(0, novel-muchNovel)))
	f.Gain, f.Low, f.High = math.Exp(y), math.Exp(y+float64(low*unit)), math.Exp(y+float64(high*unit))
	return f, true
}

// growth returns the logarithm of one more than the number of pages that became known for each
// page fetched, since the earliest moment that counts.
func (s *series) growth() float64 {
	i := 0
	for i < tests && s.valid(i+1) {
		i++
	}
	return math.Log1p(float64(s.known[0]-s.known[i]) / float64(max(1, s.cuts[0]-s.cuts[i])))
}

// past returns the mean error of what waiting pages promised at earlier moments, and the spread
// of what the tenths after them brought, by the page.
func (s *series) past(w *walk) (bias, spread float64) {
	var errors, gains []float64
	for i := 1; i <= windows && s.valid(i) && s.cuts[i] < s.cuts[i-1]; i++ {
		came := math.Log(w.mass(s.cuts[i], s.cuts[i-1])/w.mass(0, s.cuts[i]) + tiny)
		gains = append(gains, came-math.Log(float64(s.more(i))/float64(s.cuts[i])))
		if i <= tests && !math.IsNaN(s.wait[i]) {
			errors = append(errors, came-s.wait[i])
		}
	}
	bias, _ = moments(errors)
	if _, spread = moments(gains); len(gains) <= 2 {
		spread = fewTests
	}
	return bias, spread
}

// moments returns mean and standard deviation, 0 for nothing.
func moments(x []float64) (mean, deviation float64) {
	if len(x) == 0 {
		return 0, 0
	}
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		deviation += float64((v-mean)*(v-mean)) / float64(len(x))
	}
	return mean, math.Sqrt(deviation)
}
