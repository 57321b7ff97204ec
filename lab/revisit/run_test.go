package revisit

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/freshness"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/input"
)

func readLog(t *testing.T, text string, ids []uint32, pages, most int) (*Log, error) {
	t.Helper()
	f, err := input.New("log.tsv", strings.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	return ReadLog(f, ids, pages, most)
}

func TestReadLog(t *testing.T) {
	l, err := readLog(t, "1000\t7\t1\n400\t3\t1\n500\t7\t300\n700\t9\t1\n900\t3\n", []uint32{3, 7}, 2, 200)
	if err != nil {
		t.Fatal(err)
	}
	if l.Count != 3 || l.Mass != 1 || l.Unknown != 1 || l.Length != 600*time.Second {
		t.Errorf("%+v", l)
	}
	if c := l.Changes[0]; len(c) != 2 || c[0] != 0 || c[1] != 500*time.Second {
		t.Errorf("changes of page 3 at %v", c)
	}
	for _, text := range []string{"", "x\t1\n", "1\n", "1\ty\n", "1\t1\tz\n", "1\t1\t1\t1\n", "0\t0\n99999999999\t0\n"} {
		if _, err := readLog(t, text, nil, 2, 0); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
	if _, err := readLog(t, "5\t1\nx\t1\n", nil, 2, 0); err == nil || !strings.Contains(err.Error(), "log.tsv:2") {
		t.Errorf("the error does not name the line: %v", err)
	}
}

// By hand: a page of weight 1 changes after 30, 50 and 80 of 90 days, and is visited after 40
// and 60. From day 30 on its copy is out of date from 30 to 40, 50 to 60 and 80 to 90: 30 of 60
// days. Each time the age grows from 0 to 10 days: its mean is 3 x 50 / 60.
func TestKeeper(t *testing.T) {
	c := &Collection{Weight: []float64{1}, Log: &Log{Length: 90 * day, Changes: [][]time.Duration{{30 * day, 50 * day, 80 * day}}}}
	k := newKeeper(c)
	k.visit(40*day, 0)
	k.visit(60*day, 0)
	r := k.result()
	if math.Abs(r.Staleness-0.5) > 1e-9 || math.Abs(r.Age-2.5) > 1e-9 || r.Requests != 2 || r.Changed != 2 {
		t.Errorf("%+v", r)
	}
	sum := 0.0
	for _, y := range r.Curve {
		sum += y
	}
	if math.Abs(sum/CurvePoints-30.0/90) > 1e-6 {
		t.Errorf("the curve has a mean of %v", sum/CurvePoints)
	}
}

// bursts returns a collection in which the pages of a directory change together.
func bursts() *Collection {
	const dirs, pages = 40, 20
	c := &Collection{Log: &Log{Length: 300 * day}}
	rates := make([]float64, dirs)
	for i := range rates {
		rates[i] = 1.0 / 60
	}
	together := Poisson(rates, 300*day, 1)
	for d := range dirs {
		c.Above = append(c.Above, -1)
		for range pages {
			c.Place = append(c.Place, d)
			c.Weight = append(c.Weight, 1.0/(dirs*pages))
			c.Log.Changes = append(c.Log.Changes, together.Changes[d])
		}
	}
	return c
}

func runAll(t *testing.T, c *Collection, rate float64) map[string]float64 {
	t.Helper()
	out := map[string]float64{}
	for _, a := range freshness.Allocations() {
		r, err := c.Run(context.Background(), a, rate)
		if err != nil {
			t.Fatal(err)
		}
		if want := rate * c.Log.Length.Hours() / 24; math.Abs(float64(r.Requests)-want) > 2 {
			t.Errorf("%s made %d visits, want %v", a.Name, r.Requests, want)
		}
		out[a.Name] = r.Staleness
	}
	r, err := c.Clairvoyant(context.Background(), rate)
	if err != nil {
		t.Fatal(err)
	}
	out["clairvoyant"] = r.Staleness
	return out
}

// Where pages of a directory change together contagion is far better than the others, and not
// even then better than knowing the changes.
func TestContagionPays(t *testing.T) {
	got := runAll(t, bursts(), 20)
	if got["contagion"] > 0.8*got["marginal"] || got["clairvoyant"] > got["contagion"] {
		t.Errorf("out of date: %v", got)
	}
}

// lively returns pages that change at random at rates and weights of their own.
func lively(pages int) *Collection {
	rates := make([]float64, pages)
	c := &Collection{}
	sum := 0.0
	for i := range pages {
		rates[i] = math.Exp(1.5*math.Sin(float64(i*i))) / 20
		c.Weight = append(c.Weight, math.Exp(1.5*math.Cos(float64(3*i))))
		sum += c.Weight[i]
	}
	for i := range c.Weight {
		c.Weight[i] /= sum
	}
	c.Log = Poisson(rates, 400*day, 3)
	return c
}

// On such pages the marginal gain is better than all simple rules, as theory has it, and contagion
// hardly worse.
func TestMarginalPays(t *testing.T) {
	got := runAll(t, lively(800), 40)
	for _, name := range []string{"uniform", "importance", "proportional", "adaptive", "wire-gain"} {
		if got["marginal"] >= got[name] || got["contagion"] >= got[name] {
			t.Errorf("%s leaves %.4f out of date, marginal %.4f, contagion %.4f", name, got[name], got["marginal"], got["contagion"])
		}
	}
	if got["contagion"] > 1.03*got["marginal"] || got["periodic"] > 1.03*got["marginal"] {
		t.Errorf("out of date: %v", got)
	}
}

// Estimates are right: of the visits at which a change was expected with some probability, as
// many find one, within 5 %.
func TestCalibrated(t *testing.T) {
	const pages = 2000
	rates := make([]float64, pages)
	for i := range rates {
		rates[i] = []float64{0.02, 0.05, 0.2}[i%3]
	}
	log := Poisson(rates, 600*day, 5)
	plan := freshness.New(freshness.Options{Allocation: uniform(t), Every: 10 * day, MaxPages: pages})
	defer plan.Free()
	for range 3 {
		plan.AddPlace(-1)
	}
	for p := range pages {
		plan.Fetched(0, graph.Page(p), p%3, 1, 0)
	}
	k := newKeeper(&Collection{Log: log, Weight: make([]float64, pages)})
	expected, found := make([]float64, 3), make([]float64, 3)
	for d := time.Duration(10); d < 600; d += 10 {
		for p := range pages {
			now := d*day + time.Duration(p%7)*time.Hour
			chance := 1 - plan.Freshness(now, graph.Page(p))
			before := k.sum.Changed
			k.visit(now, graph.Page(p))
			plan.Visited(now, graph.Page(p), freshness.Visit{Digest: k.version(graph.Page(p))})
			if d > 200 {
				expected[p%3] += chance
				found[p%3] += float64(k.sum.Changed - before)
			}
		}
	}
	for i := range found {
		if math.Abs(expected[i]/found[i]-1) > 0.05 {
			t.Errorf("at a rate of %v a day %.0f changes were expected, and %.0f found", rates[i], expected[i], found[i])
		}
	}
}

func uniform(t *testing.T) freshness.Allocation {
	a, err := freshness.Choose("uniform")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A collection that grows by WIRE's gain: no batch lowers its value, and with a small alpha
// pages are visited again sooner, at the cost of others.
func TestGrow(t *testing.T) {
	c := bursts()
	var revisits, volumes []float64
	for _, alpha := range []float64{0.25, 4} {
		g, err := c.Grow(context.Background(), alpha, 5, 50)
		if err != nil {
			t.Fatal(err)
		}
		for i := range g.Value {
			if g.Value[i] < g.Before[i] {
				t.Errorf("alpha %v, batch %d: value %v, before it %v", alpha, i, g.Value[i], g.Before[i])
			}
		}
		revisits, volumes = append(revisits, g.Revisits), append(volumes, g.Volume[len(g.Volume)/4])
	}
	if revisits[0] < revisits[1] || volumes[0] > volumes[1] {
		t.Errorf("share of revisits %v, volume at a quarter %v", revisits, volumes)
	}
}

// In a century a collection grows as in twenty days in which everything happens as much sooner.
func TestGrowLong(t *testing.T) {
	const century, batches = maxDays * day, 100
	short, long := Poisson([]float64{1, 2, 3, 4, 5}, 20*day, 1), &Log{Length: century}
	for _, list := range short.Changes {
		var slow []time.Duration
		for _, at := range list {
			slow = append(slow, at*(century/(20*day)))
		}
		long.Changes = append(long.Changes, slow)
	}
	var grown []*Growth
	for _, l := range []*Log{short, long} {
		c := &Collection{Log: l, Weight: []float64{0.1, 0.1, 0.2, 0.3, 0.3}}
		g, err := c.Grow(context.Background(), 1, 2*batches/(l.Length.Hours()/24), batches)
		if err != nil {
			t.Fatal(err)
		}
		grown = append(grown, g)
	}
	for i, day := range grown[1].Days {
		if i > 0 && day <= grown[1].Days[i-1] {
			t.Fatalf("batch %d ends on day %v, the one before on %v", i, day, grown[1].Days[i-1])
		}
	}
	if a, b := grown[0].Revisits, grown[1].Revisits; math.Abs(a-b) > 0.02 || b < 0.9 {
		t.Errorf("share of revisits %v, in a century %v", a, b)
	}
}

func TestDirectories(t *testing.T) {
	urls := []string{"http://a/", "http://a/x", "http://a/d/e/f.html", "http://a/d/g.html?q=/1/", "http://b/d/"}
	place, above := Directories(len(urls), func(b []byte, p graph.Page) []byte { return append(b, urls[p]...) })
	if place[0] != place[1] || above[place[2]] != place[3] || above[place[3]] != place[0] || above[place[0]] != -1 || place[4] == place[3] {
		t.Errorf("places %v, above %v", place, above)
	}
}
