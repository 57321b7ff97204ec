package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
)

// zeta is whole numbers with exactly the shares x^-a / sum over all, for x from
// least on, rounded to whole pages.
func zeta(a float64, least uint64, pages float64) Distribution {
	var d Distribution
	sum := 0.0
	for x := least + 1000000; x >= least; x-- {
		sum += math.Pow(float64(x), -a)
	}
	for x := least; ; x++ {
		n := int64(math.Round(pages * math.Pow(float64(x), -a) / sum))
		if n == 0 {
			return d
		}
		d = append(d, Count{x, n})
	}
}

// With shares by the definition of a discrete power law the exponent is found, and
// the tail begins about where the law does.
func TestPowerLawWhole(t *testing.T) {
	for _, a := range []float64{2.1, 2.5, 3} {
		d := zeta(a, 10, 1e7)
		f, ok := d.PowerLaw()
		if !ok || math.Abs(f.Exponent-a) > 0.03 || f.Least > 20 {
			t.Errorf("exponent %v: %+v", a, f)
		}
	}
}

// Below its beginning a distribution of another shape must not disturb.
func TestPowerLawFindsTail(t *testing.T) {
	d := Distribution{{0, 4000}}
	for x := uint64(1); x < 30; x++ {
		d = append(d, Count{x, 3000}) // flat
	}
	d = append(d, zeta(2.3, 30, 1e5)...)
	f, ok := d.PowerLaw()
	if !ok || math.Abs(f.Exponent-2.3) > 0.06 || f.Least < 25 || f.Least > 60 {
		t.Errorf("%+v", f)
	}
	if n := d.Pages() - d.Below(uint64(f.Least)); n != f.Tail {
		t.Errorf("tail of %d, want %d", f.Tail, n)
	}
}

// The bias of the approximation that the documentation speaks of: 2.5 from 1 on is
// 2.0 with it. The exact law is found from its beginning.
func TestPowerLawFromOne(t *testing.T) {
	d := zeta(2.5, 1, 1e8)
	pages, logs := d.tails()
	n := float64(pages[0])
	if all := 1 + n/(logs[0]-n*math.Log(0.5)); math.Abs(all-2.0) > 0.05 {
		t.Errorf("approximation from 1 on gives %v", all)
	}
	if f, ok := d.PowerLaw(); !ok || math.Abs(f.Exponent-2.5) > 0.001 || f.Least != 1 {
		t.Errorf("%+v", f)
	}
}

// By hand, all of it from zeta(2) = pi^2/6, zeta'(2) = -0.93754825431584 and
// zeta"(2) = 1.98928023429890: the mean of ln x under p(x) = x^-2/zeta(2) is
// -zeta'/zeta = 0.569961, which a share of 0.82228 = 0.569961/ln 2 of pages with
// value 2 gives, the others having 1. No tail can begin at 2, the largest value.
func TestPowerLawDiscreteByHand(t *testing.T) {
	f, ok := Distribution{{0, 77}, {1, 17772}, {2, 82228}}.PowerLaw()
	if !ok || math.Abs(f.Exponent-2) > 1e-5 || f.Least != 1 || f.Tail != 100000 {
		t.Errorf("%+v, want exponent 2", f)
	}
	z := math.Pi * math.Pi / 6
	m := 0.93754825431584 / z
	if want := 1 / math.Sqrt(100000*(1.98928023429890/z-m*m)); math.Abs(f.Error/want-1) > 1e-4 {
		t.Errorf("standard error %v, want %v", f.Error, want)
	}
	if want := 0.82228 - (1 - 1/z); math.Abs(f.Distance-want) > 1e-5 { // at 2
		t.Errorf("distance %v, want %v", f.Distance, want)
	}
}

// sampled draws pages from the discrete law by rejection (rand.Zipf), which knows
// nothing of zeta functions.
func sampled(a float64, least uint64, pages int, seed uint64) Distribution {
	z := rand.NewZipf(rand.New(rand.NewPCG(seed, least)), a, float64(least), 1<<50)
	var c counter
	for range pages {
		c.add(least + z.Uint64())
	}
	return c.distribution()
}

// Samples of the exact law: the exponent is recovered within three standard errors
// with the beginning of the tail known and with it sought, and the errors that are
// stated are the ones that are made (mean square of their ratio about 1).
func TestPowerLawSampled(t *testing.T) {
	var squares, n float64
	for _, least := range []uint64{1, 2, 5, 20} {
		for i, a := range []float64{1.7, 2.1, 2.7, 3.5} {
			for seed := range uint64(5) {
				d := sampled(a, least, 10000, 10*seed+uint64(i))
				pages, logs := d.tails()
				f := d.fit(pages[0], logs[0])
				miss := (f.Exponent - a) / f.Error
				squares, n = squares+miss*miss, n+1
				if math.Abs(miss) > 3 || f.Least != float64(least) {
					t.Errorf("exponent %v from %d: %+v", a, least, f)
				}
				if f, ok := d.PowerLaw(); !ok || math.Abs(f.Exponent-a) > 3*f.Error {
					t.Errorf("exponent %v from %d sought: %+v", a, least, f)
				}
			}
		}
	}
	// squares is chi-squared with n = 80 degrees of freedom: squares/n is 1 +- 0.16
	if ms := squares / n; ms < 0.5 || ms > 1.5 {
		t.Errorf("mean square of error over standard error %v", ms)
	}
}

// The likelihood by its definition is nowhere larger than at the fit.
func TestPowerLawMostLikely(t *testing.T) {
	for _, d := range []Distribution{
		{{1, 500}, {2, 90}, {3, 40}, {8, 9}},
		{{2, 50}, {1 << 40, 1}},
		{{3, 20}, {40, 20}, {90000, 20}},
		{{1000000, 900}, {1000001, 1}, {2000000, 99}},
	} {
		pages, logs := d.tails()
		f := d.fit(pages[0], logs[0])
		likely := func(s float64) float64 {
			return -float64(pages[0])*math.Log(hurwitz(s, f.Least, f.Least)) - s*(logs[0]-float64(pages[0])*math.Log(f.Least))
		}
		for _, by := range []float64{-0.3, -0.01, -0.001, 0.001, 0.01, 0.3} {
			if s := 1 + (f.Exponent-1)*(1+by); likely(s) >= likely(f.Exponent) {
				t.Errorf("%v: %v is likelier than %v", d, s, f.Exponent)
			}
		}
	}
}

// Values that fall off like an exponential or all but agree, and tails that hardly
// say anything, are no power laws.
func TestPowerLawMeaningless(t *testing.T) {
	var poisson Distribution // with mean 100: the tail is steeper and steeper
	p := 1e6 * math.Exp(-100)
	for x := uint64(1); x < 200; x++ {
		if p *= 100 / float64(x); p >= 0.5 {
			poisson = append(poisson, Count{x, int64(math.Round(p))})
		}
	}
	var steep []float64 // continuous: exponent 8
	for i := range 10000 {
		steep = append(steep, math.Pow((float64(i)+0.5)/10000, -1.0/7))
	}
	for name, ok := range map[string]bool{
		"poisson":       second(poisson.PowerLaw()),
		"nearly same":   second(Distribution{{7, 100000}, {8, 1}}.PowerLaw()),
		"large values":  second(Distribution{{1 << 63, 1000}, {1<<63 + 4096, 1}}.PowerLaw()),
		"few and steep": second(zeta(5, 5, 60).PowerLaw()),
		"ranks":         second(PowerLaw(steep)),
	} {
		if ok {
			t.Errorf("%s: a fit was found", name)
		}
	}
	if f, ok := zeta(5, 1, 1e6).PowerLaw(); !ok || math.Abs(f.Exponent-5) > 0.05 {
		t.Errorf("a steep law with many pages: %+v", f)
	}
}

// By hand: values 1 and 4, fifty times each: exponent 1 + 100 / (50 ln 4).
func TestPowerLawByHand(t *testing.T) {
	tail := []float64{}
	for range 50 {
		tail = append(tail, 1, 4)
	}
	f, ok := PowerLaw(tail)
	want := 1 + 100/(50*math.Log(4))
	if !ok || math.Abs(f.Exponent-want) > 1e-12 || f.Least != 1 || f.Tail != 100 {
		t.Errorf("%+v, want exponent %v", f, want)
	}
}

func TestPowerLawContinuous(t *testing.T) {
	for _, a := range []float64{2.1, 2.7} {
		x := []float64{0, -1}
		for i := range 100000 { // quantiles of the law from 0.4 on
			x = append(x, 0.4*math.Pow(1-(float64(i)+0.5)/100000, -1/(a-1)))
		}
		for i := range 50000 { // and a flat part below
			x = append(x, 0.1+0.3*float64(i)/50000)
		}
		before := slices.Clone(x)
		f, ok := PowerLaw(x)
		if !ok || math.Abs(f.Exponent-a) > 0.03 || f.Least < 0.35 || f.Least > 0.6 || f.Distance > 0.01 {
			t.Errorf("exponent %v: %+v", a, f)
		}
		if !slices.Equal(x, before) {
			t.Fatal("the values were changed")
		}
	}
}

func TestPowerLawNotOK(t *testing.T) {
	same := make([]float64, 100)
	for i := range same {
		same[i] = 3
	}
	for name, ok := range map[string]bool{
		"nothing":     second(PowerLaw(nil)),
		"few":         second(PowerLaw([]float64{1, 2, 3})),
		"one value":   second(PowerLaw(same)),
		"no pages":    second(Distribution{}.PowerLaw()),
		"few pages":   second(Distribution{{1, 5}, {2, 5}}.PowerLaw()),
		"one degree":  second(Distribution{{7, 500}}.PowerLaw()),
		"only zeroes": second(Distribution{{0, 500}}.PowerLaw()),
	} {
		if ok {
			t.Errorf("%s: a fit was found", name)
		}
	}
}

func second(_ Fit, ok bool) bool { return ok }

// TestPowerLawOfPageRank fits the PageRank of a web whose exponent is known (L11): a page with k links
// from pages that nobody links to has 1 + 0.9 k times their PageRank, so that PageRank has the
// exponent of the in-degrees.
func TestPowerLawOfPageRank(t *testing.T) {
	const hubs, least, exponent = 3000, 20, 2.6
	out := make([][]graph.Page, hubs)
	for i := range hubs {
		k := least * math.Pow((float64(i)+0.5)/hubs, -1/(exponent-1))
		for range int(k) {
			out = append(out, []graph.Page{graph.Page(i)})
		}
	}
	lists := graph.ListsOf(out)
	defer lists.Free()
	web := &rank.Web{In: rank.Transpose(lists)}
	defer web.In.Free()
	res, err := rank.PageRank(web, rank.Options{Follow: 0.9, Scale: rank.Mean})
	if err != nil {
		t.Fatal(err)
	}
	f, ok := PowerLaw(res.Score)
	if !ok || math.Abs(f.Exponent-exponent) > 0.1 || f.Tail > hubs {
		t.Errorf("%v, %v: want the exponent %v of at most %d pages", f, ok, exponent, hubs)
	}
	in := Take(len(out), lists, nil, 0).In
	if g, ok := in.PowerLaw(); !ok || math.Abs(g.Exponent-f.Exponent) > 0.1 {
		t.Errorf("in-degrees have %v, PageRank %v", g, f)
	}
}
