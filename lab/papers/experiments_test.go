package papers

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/experiment/experimenttest"
)

// ofPaper returns the experiments of some papers.
func ofPaper(prefixes ...string) []*experiment.Experiment {
	var some []*experiment.Experiment
	for _, e := range Experiments() {
		if prefix, _, _ := strings.Cut(e.Name, "-"); slices.Contains(prefixes, prefix) {
			some = append(some, &e)
		}
	}
	return some
}

// TestTexts: every experiment has an introduction, and every text is used.
func TestTexts(t *testing.T) {
	named := map[string]bool{}
	for _, e := range Experiments() {
		room, rest, _ := strings.Cut(e.Name, "-")
		if room == "freshness" || rest == "" {
			room, rest = "../boards", e.Name
		}
		named[filepath.Join(room, "texts", rest+".txt")] = true
		if e.Intro == "" {
			t.Errorf("%s has no introduction", e.Name)
		}
	}
	for _, f := range glob(t, "*.go") {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`text\("([^"]+)"`).FindAllSubmatch(src, -1) {
			named[filepath.Join(filepath.Dir(f), "texts", string(m[1])+".txt")] = true
		}
	}
	for _, f := range glob(t, "texts/*.txt") {
		if !named[f] {
			t.Errorf("nothing shows %s", f)
		}
	}
}

// glob returns files of the rooms of experiments.
func glob(t *testing.T, pattern string) []string {
	t.Helper()
	papers, err := filepath.Glob("*/" + pattern)
	if err != nil {
		t.Fatal(err)
	}
	boards, err := filepath.Glob("../boards/" + pattern)
	if err != nil {
		t.Fatal(err)
	}
	return append(papers, boards...)
}

// TestPaperExperiments runs all of A and B: each has a verdict of one sentence, a chart
// or a table for each place where it applies, and the same bytes whatever the number of
// threads (L6).
func TestPaperExperiments(t *testing.T) {
	small := smallPlaces(t)
	for i, e := range ofPaper("cho98", "najork01") {
		t.Run(e.Name, func(t *testing.T) {
			var first string
			for _, threads := range []int{2, 1} {
				if threads == 1 && i%3 != 0 && os.Getenv("WINNOW_TORTURE") == "" {
					continue
				}
				b := experimenttest.Bench(t, 0, threads)
				if os.Getenv("WINNOW_TORTURE") == "" { // pagerank before each page takes nearly all of the time
					b.TextPages, b.Places = 300, slices.Clone(small)
					if slices.Contains([]string{"cho98-graph7", "cho98-graph8", "cho98-graph9", "cho98-graph10"}, e.Name) {
						b.Starts = 1 // of ten, the intervals take nearly all of the time
					}
				}
				r, err := e.Run(b)
				if err != nil {
					t.Fatal(err)
				}
				checkReport(t, e, r)
				if got := experimenttest.Everything(t, r); first == "" {
					first = got
				} else if got != first {
					t.Errorf("the report depends on the number of threads:\n%s", firstDifference([]byte(got), []byte(first)))
				}
			}
		})
	}
}

// smallPlaces returns a place with sites, of which one is large enough for graph 5, and one with links
// alone.
func smallPlaces(t *testing.T) []*experiment.Place {
	return []*experiment.Place{experimenttest.Fake(t, fakeweb.Spec{Pages: 600, Sites: 3, Links: 1800, Seed: 4}), experimenttest.Bench(t, 0, 1).Places[2]}
}

func checkReport(t *testing.T, e *experiment.Experiment, r *show.Report) {
	t.Helper()
	if r.Title != e.Name {
		t.Errorf("the title is %q", r.Title)
	}
	if !strings.HasSuffix(r.Verdict, ".") || strings.Contains(r.Verdict, "\n") || strings.Contains(r.Verdict, "NaN") {
		t.Errorf("the verdict is %q", r.Verdict)
	}
	if len(r.Sections) == 0 || len(r.Header) == 0 || len(r.Intro) == 0 {
		t.Errorf("the report has %d sections, %d fields, %d paragraphs", len(r.Sections), len(r.Header), len(r.Intro))
	}
	charts := 0
	for _, s := range r.Sections {
		if s.Chart != nil {
			charts++
		}
	}
	if charts == 0 {
		t.Error("there is no chart")
	}
	experimenttest.Baselines(t, r)
	if text := r.Text(show.TextOptions{}); strings.Contains(text, "NaN") {
		t.Error("a number in the report is none")
	}
}

// TestPaperBands: further start sets give graph 2 and figure 1 bands, and the first
// start set stays that of the place.
func TestPaperBands(t *testing.T) {
	experimenttest.Long(t)
	for _, name := range []string{"cho98-graph2", "najork01-fig1"} {
		e := experimenttest.Named(t, Experiments(), name)
		b := experimenttest.BenchOf(smallPlaces(t)...)
		b.Starts = 3
		r, err := e.Run(b)
		if err != nil {
			t.Fatal(err)
		}
		s := r.Sections[0].Chart.Series[0]
		if len(s.Low) != len(s.X) || len(s.High) != len(s.X) {
			t.Fatalf("%s: bands of %d and %d for %d points", name, len(s.Low), len(s.High), len(s.X))
		}
		for i := range s.Low {
			if s.Low[i] > s.Y[i]+1e-9 || s.High[i] < s.Y[i]-1e-9 {
				t.Errorf("%s: %v is outside of its band %v to %v", name, s.Y[i], s.Low[i], s.High[i])
			}
		}
	}
}

func TestPaperExperimentStops(t *testing.T) {
	small := smallPlaces(t)
	for _, e := range ofPaper("cho98", "najork01") {
		if e.Name == "cho98-graph6" {
			continue // it counts and crawls nothing
		}
		b := experimenttest.BenchOf(slices.Clone(small)...)
		b.TextPages = 300
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		b.Context = ctx
		if _, err := e.Run(b); err == nil {
			t.Errorf("%s goes on after its context ended", e.Name)
		}
	}
}
