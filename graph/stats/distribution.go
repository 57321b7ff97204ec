package stats

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// A Distribution holds the number of pages with each value, ascending by value, without the
// values that no page has.
type Distribution []Count

// Count is the number of pages with one value.
type Count struct {
	Value uint64 `json:"value"`
	Pages int64  `json:"pages"`
}

// counter counts values: the many small ones in an array, the few large ones in a
// map.
type counter struct {
	small []int64
	large map[uint64]int64
}

const smallValues = 1 << 16

func (c *counter) add(v uint64) {
	switch {
	case v < uint64(len(c.small)):
		c.small[v]++
	case v < smallValues:
		c.small = append(c.small, make([]int64, v+1-uint64(len(c.small)))...)
		c.small[v]++
	default:
		if c.large == nil {
			c.large = map[uint64]int64{}
		}
		c.large[v]++
	}
}

func (c *counter) distribution() Distribution {
	var d Distribution
	for v, pages := range c.small {
		if pages > 0 {
			d = append(d, Count{uint64(v), pages})
		}
	}
	first := len(d)
	for v, pages := range c.large {
		d = append(d, Count{v, pages})
	}
	slices.SortFunc(d[first:], func(a, b Count) int { return cmp.Compare(a.Value, b.Value) })
	return d
}

// Pages returns the number of pages.
func (d Distribution) Pages() (n int64) {
	for _, c := range d {
		n += c.Pages
	}
	return n
}

// Below returns the number of pages with a value below v.
func (d Distribution) Below(v uint64) (n int64) {
	for _, c := range d {
		if c.Value < v {
			n += c.Pages
		}
	}
	return n
}

// Max returns the largest value, 0 if there is none.
func (d Distribution) Max() uint64 {
	if len(d) == 0 {
		return 0
	}
	return d[len(d)-1].Value
}

// Mean returns the mean value.
func (d Distribution) Mean() float64 {
	var sum float64
	for _, c := range d {
		sum += float64(c.Value) * float64(c.Pages)
	}
	if len(d) == 0 {
		return 0
	}
	return sum / float64(d.Pages())
}

// A Bin counts the pages with a value from Lo up to but without Hi.
type Bin struct {
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	Pages int64   `json:"pages"`
}

// Centre returns the place of the bin on a logarithmic axis: the geometric mean of its
// ends, or Lo itself if that is the only whole number in it.
func (b Bin) Centre() float64 {
	if b.Hi == b.Lo+1 {
		return b.Lo
	}
	return math.Sqrt(b.Lo * b.Hi)
}

// Density returns pages per unit of the value. For a power law it is a straight line in a
// log-log plot, for bins of any width.
func (b Bin) Density() float64 { return float64(b.Pages) / (b.Hi - b.Lo) }

// Log returns the distribution in bins whose ends are powers of 10^(1/perDecade),
// rounded up to whole numbers; 0 has a bin of its own.
func (d Distribution) Log(perDecade int) []Bin {
	edges := []uint64{0, 1}
	for k := 1; edges[len(edges)-1] <= d.Max(); k++ {
		e := math.Pow(10, float64(k)/float64(perDecade))
		if r := math.Round(e); math.Abs(e-r) < 1e-9*e {
			e = r // a power of ten, up to rounding
		}
		if v := uint64(math.Ceil(e)); v > edges[len(edges)-1] {
			edges = append(edges, v)
		}
	}
	return d.bins(edges)
}

func (d Distribution) bins(edges []uint64) []Bin {
	bins := make([]Bin, len(edges)-1)
	for i := range bins {
		bins[i].Lo, bins[i].Hi = float64(edges[i]), float64(edges[i+1])
	}
	i := 0
	for _, c := range d {
		for c.Value >= edges[i+1] {
			i++
		}
		bins[i].Pages += c.Pages
	}
	return bins
}

// Bands does the same as Log for values that are not whole numbers (ranks): it returns bins
// whose ends are powers of 10^(1/perDecade). Values that are not positive are left out.
func Bands(values []float64, perDecade int) []Bin {
	lo, hi := math.Inf(1), 0.0
	for _, v := range values {
		if v > 0 {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if hi == 0 || math.IsInf(hi, 1) {
		return nil
	}
	per := float64(perDecade)
	first := math.Floor(math.Log10(lo) * per)
	var bins []Bin
	for k := first; len(bins) == 0 || bins[len(bins)-1].Hi <= hi; k++ {
		bins = append(bins, Bin{Lo: math.Pow(10, k/per), Hi: math.Pow(10, (k+1)/per)})
	}
	bins[0].Lo = min(bins[0].Lo, lo) // up to rounding of the logarithm
	for _, v := range values {
		if v > 0 {
			bins[sort.Search(len(bins), func(i int) bool { return bins[i].Hi > v })].Pages++
		}
	}
	return bins
}
