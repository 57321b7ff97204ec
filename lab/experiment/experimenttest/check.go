package experimenttest

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// Named returns one of the experiments by its name.
func Named(t testing.TB, all []experiment.Experiment, name string) *experiment.Experiment {
	t.Helper()
	i := slices.IndexFunc(all, func(e experiment.Experiment) bool { return e.Name == name })
	if i < 0 {
		t.Fatalf("there is no experiment %q", name)
	}
	return &all[i]
}

// Everything returns a report in all its forms.
func Everything(t testing.TB, r *show.Report) string {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(r.Text(show.TextOptions{Charts: true}))
	for _, write := range []func(*show.Report) error{
		func(r *show.Report) error { return r.WriteHTML(&b) },
		func(r *show.Report) error { return r.WriteCSV(&b) },
		func(r *show.Report) error { return r.WriteJSON(&b) },
	} {
		if err := write(r); err != nil {
			t.Fatal(err)
		}
	}
	if s := b.String(); strings.Contains(s, "%!") {
		t.Errorf("verbs of a text do not fit their arguments: %s", s[strings.Index(s, "%!"):][:40])
	}
	return b.String()
}

// Baselines checks that every chart of what orders find, over the pages that they fetched, has the
// ideal crawler (P5), which is above all others, and the random one (P6). Where start sets are
// averaged each has another ideal, and where graphs are compared each curve is one.
func Baselines(t testing.TB, r *show.Report) {
	t.Helper()
	for _, s := range r.Sections {
		c := s.Chart
		if c == nil || !strings.HasPrefix(c.XLabel, "pages crawled") && c.YLabel != "share of PageRank" && !strings.Contains(c.YLabel, "in the buffer") {
			continue
		}
		ideal := c.Title == "PageRank of the best pages" || strings.HasSuffix(c.Title, "over start sets")
		random := false
		for _, line := range c.Series {
			ideal = ideal || line.Baseline && strings.HasPrefix(line.Name, "ideal")
			random = random || line.Baseline && (line.Name == "random" || line.Name == "diagonal")
		}
		if !ideal || !random {
			t.Errorf("%s: the ideal crawler %v, the random one %v", c.Title, ideal, random)
		}
	}
}

// Long leaves a test out of the short run, which is also that of the race
// detector: it takes long there and finds nothing that the others do not.
func Long(t *testing.T) {
	if testing.Short() {
		t.Skip("left to the run without -short")
	}
}

// Near compares a curve with a function of k up to rounding.
func Near(t testing.TB, what string, c measure.Curve, fetches int, want func(k int) float64) {
	t.Helper()
	if len(c.Y) != fetches {
		t.Fatalf("%s has %d values for %d fetches", what, len(c.Y), fetches)
	}
	for k := 1; k <= fetches; k++ {
		if !(math.Abs(c.Y[k-1]-want(k)) <= 1e-12) {
			t.Errorf("%s is %v, want %v", what, c.Y[k-1], want(k))
		}
	}
}

// Section returns a section by its title.
func Section(t testing.TB, r *show.Report, title string) show.Section {
	t.Helper()
	for _, s := range r.Sections {
		if s.Title == title {
			return s
		}
	}
	t.Fatalf("there is no section %q", title)
	return show.Section{}
}

// Prepared returns a comparison at a place by PageRank.
func Prepared(t testing.TB, p *experiment.Place) *lab.Comparison {
	t.Helper()
	truth, err := measure.PageRankTruth(p.World.Web(), measure.TruthOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := (&experiment.Bench{Random: 1}).Setting(p, truth).Prepare()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Crawled crawls under a policy.
func Crawled(t testing.TB, c *lab.Comparison, policy string) *lab.Run {
	t.Helper()
	r, err := c.Crawl(policy, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
