package live

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// troubled is a web in which pages fail, move, and are forbidden.
func troubled() answer.Options {
	return answer.Options{Pages: answer.PageShares{NotFound: 0.1, Redirect: 0.1, Broken: 0.05}, Robots: answer.RobotsShares{Rules: 0.5}}
}

// The sentences are right for none, one and many.
func TestLead(t *testing.T) {
	for _, test := range []struct {
		status history.Status
		want   []string
	}{
		{history.Status{State: history.StateFinished, Known: 1, Fetched: 1, Bytes: 10},
			[]string{"The crawl gathered 1 page from 1 site in 2m00s of work; it received 10 B and is finished.", "It missed none of the pages that it knows."}},
		{history.Status{State: history.StatePaused, Known: 1, Waiting: 1, Down: 1},
			[]string{"The crawl gathered no page in 2m00s of work; it received 0 B and is paused.", "It missed the only page that it knows: 1 still waits (1 site cannot be reached).", "There is no order to judge."}},
		{history.Status{State: history.StateRunning, Known: 12345, Fetched: 12000, Failed: 1, Refused: 1, Waiting: 343, FailedBy: map[string]int64{"dns": 1}, RefusedBy: map[string]int64{"robots": 1}},
			[]string{"The crawl gathered 12,000 pages from 1 site in 2m00s of work; it received 0 B and is still running.",
				"It missed 345 of the 12,345 pages that it knows: 1 failed (dns 1), 1 was skipped (robots 1) and 343 still wait."}},
		{history.Status{State: history.StatePaused, Known: 9, Fetched: 5, Failed: 2, Refused: 2, FailedBy: map[string]int64{"dns": 2}, RefusedBy: map[string]int64{"robots": 2}},
			[]string{"The crawl gathered 5 pages from 1 site in 2m00s of work; it received 0 B and is paused.", "It missed 4 of the 9 pages that it knows: 2 failed (dns 2) and 2 were skipped (robots 2)."}},
		{history.Status{State: history.StateFinished, Known: 32, Fetched: 32, Redirects: 1, Withheld: 1},
			[]string{"The crawl gathered 31 pages and 1 redirect from 1 site in 2m00s of work; it received 0 B and is finished.",
				"It missed none of the pages that it knows. One fetched page is not stored, because it asks for that (noindex or noarchive); --keep-noarchive stores such pages."}},
	} {
		trail := &history.Trail{Duration: 3 * time.Minute, Stopped: time.Minute, Sites: []history.SiteTrail{{Fetched: test.status.Fetched}, {}}}
		if test.status.Fetched > 0 {
			trail.Visits = make([]history.Visit, 3)
		}
		r := &Report{status: &test.status, w: &World{Trail: trail}, state: &state.State{}}
		for i, want := range test.want {
			if got := r.lead()[i]; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		}
	}
}

// An order is judged beside each of the others: one that equals breadth-first and beats random
// made a difference.
func TestJudged(t *testing.T) {
	for want, own := range map[string]float64{
		"worth it": 0.75, "about as good as breadth-first, better than random": 0.735,
		"worse than breadth-first, about as good as random": 0.66, "worse than breadth-first and random": 0.5,
	} {
		if got := judged(own, []rival{{"breadth-first", 0.73}, {"random", 0.66}}); got != want {
			t.Errorf("%v: %s, want %s", own, got, want)
		}
	}
}

// A small crawl has few steps, so that its rates are not those between single pages.
func TestCoarser(t *testing.T) {
	for pages, want := range map[int]int{0: 5, 32: 6, 120: 20, 10_000: 60} {
		line := &history.Timeline{Width: time.Second, Steps: make([]history.Step, timeSteps)}
		for i := range pages {
			line.Steps[i*timeSteps/pages].Fetched++
		}
		got, sum := (&overTime{Timeline: line}).coarser(), 0
		for _, s := range got.Steps {
			sum += int(s.Fetched)
		}
		if len(got.Steps) != want || sum != pages || got.Width*time.Duration(want) != timeSteps*time.Second {
			t.Errorf("%d pages: %d steps of %v with %d pages, want %d", pages, len(got.Steps), got.Width, sum, want)
		}
	}
}

// Sessions with different options are named, unless only limits differ.
func TestChangedOptions(t *testing.T) {
	was, now := history.Session{Config: config.Default()}, history.Session{Config: config.Default()}
	now.Config.Pages, now.Config.Duration, now.Config.Contact = 100, config.Seconds(9), "b@example.org"
	if got := changedOptions(&now, &was); len(got) != 0 {
		t.Errorf("limits are a warning: %q", got)
	}
	now.Config.Delay = config.Seconds(9)
	if got := strings.Join(changedOptions(&now, &was), "; "); got != "delay: 9s, was 2s" {
		t.Error(got)
	}
}

// All numbers of a report are those of the status at the same record.
func TestReportAgreesWithStatus(t *testing.T) {
	for name, pages := range map[string]int64{"whole": 0, "part": 40} {
		t.Run(name, func(t *testing.T) {
			_, dir, _ := crawled(t, troubled(), pages)
			s, err := history.ReadStatus(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			r := mustRead(t, dir, NoPolicy)
			if got := r.status; got.Record != s.Record {
				t.Fatalf("the report is of record %d, the status of %d", got.Record, s.Record)
			}
			x := r.Summary()
			got := []int64{x.Known, x.Fetched, x.Failed, x.Refused, x.Waiting, int64(x.Sites), x.Bytes, x.Attempts}
			want := []int64{s.Known, s.Fetched, s.Failed, s.Refused, s.Waiting, s.Sites, s.Bytes, show.Total(s.Outcomes)}
			if !slices.Equal(got, want) {
				t.Errorf("summary %v, status %v", got, want)
			}
			for _, f := range r.key() {
				for name, n := range map[string]int64{"waiting": s.Waiting, "failed": s.Failed, "skipped": s.Refused, "pages fetched": s.Fetched, "sites known": s.Sites} {
					if f.Name == name && f.Value != show.Grouped(n) {
						t.Errorf("%s %s, in the status %d", f.Name, f.Value, n)
					}
				}
			}
			checkArrival(t, r, s, &x)
			checkTimeline(t, r, s)
		})
	}
}

// checkArrival compares when pages came with the visits of the journal.
func checkArrival(t *testing.T, r *Report, s *history.Status, x *Summary) {
	t.Helper()
	var when []float64
	for _, v := range r.w.Trail.Visits {
		when = append(when, v.Ran.Seconds())
	}
	mean, median := measure.Arrival(when)
	if math.Abs(s.Mean-mean) > 1e-6 || math.Abs(s.Median-median) > max(slices.Max(when)/128, 0.01) || *x.MeanSeconds != s.Mean || *x.MedianSeconds != s.Median || s.Mean == 0 {
		t.Errorf("mean %v, median %v; status %v, %v; report %v, %v", mean, median, s.Mean, s.Median, *x.MeanSeconds, *x.MedianSeconds)
	}
}

// checkTimeline compares the sums of a timeline with a status.
func checkTimeline(t *testing.T, r *Report, s *history.Status) {
	t.Helper()
	fetched, attempts, bytes, failures := int64(0), int64(0), int64(0), int64(0)
	for i := range r.timeline.Steps {
		x := &r.timeline.Steps[i]
		fetched, attempts, bytes, failures = fetched+x.Fetched, attempts+x.Attempts, bytes+x.Bytes, failures+x.Failures()
		if x.Waiting < 0 || x.Waiting > x.Known || i > 0 && x.Known < r.timeline.Steps[i-1].Known {
			t.Errorf("step %d: %+v", i, x)
		}
		if x.Active < 0 || x.Active > float64(r.config.Fetchers)+1e-9 {
			t.Errorf("step %d: %v requests at once", i, x.Active)
		}
	}
	failed := int64(0)
	for c := event.OK; c <= event.LastClass; c++ {
		if c.Failed() {
			failed += s.Outcomes[c.String()]
		}
	}
	last := r.timeline.Steps[len(r.timeline.Steps)-1]
	if fetched != s.Fetched || attempts != show.Total(s.Outcomes) || bytes != s.Bytes || failures != failed || last.Known != s.Known || last.Waiting != s.Waiting {
		t.Errorf("%d fetched, %d attempts, %d bytes, %d failures, %d known, %d waiting; status %+v", fetched, attempts, bytes, failures, last.Known, last.Waiting, s)
	}
}

// The most important pages are listed with the places that they have in the crawl, and the
// others with a rank that falls.
func TestTopPages(t *testing.T) {
	_, dir, sum := crawled(t, troubled(), 0)
	r := mustRead(t, dir, NoPolicy)
	if len(r.Top) != topPages {
		t.Fatalf("%d pages", len(r.Top))
	}
	for i, x := range r.Top {
		v := r.w.Trail.Visits[x.Fetched-1]
		if url := string(r.state.AppendURL(nil, v.Page)); url != x.URL || x.Seconds != v.Ran.Seconds() || x.Rank != i+1 {
			t.Errorf("%+v, but %s was fetched then", x, url)
		}
		if i > 0 && x.Importance > r.Top[i-1].Importance {
			t.Errorf("%+v after %+v", x, r.Top[i-1])
		}
	}
	if !slices.ContainsFunc(r.Top, func(x TopPage) bool { return x.Title != "" }) {
		t.Error("no page has a title")
	}
	failed := int64(0)
	for i, x := range r.Missed {
		if x.State == "failed" {
			failed++
		}
		if x.Why == "" || x.Rank < 1 || x.Rank > len(r.ranked())+1 || i > 0 && x.State == r.Missed[i-1].State && x.Rank < r.Missed[i-1].Rank {
			t.Errorf("%+v", x)
		}
	}
	if failed != min(sum.Failed, missedPages) || failed == 0 {
		t.Errorf("%d failed pages are listed of %d", failed, sum.Failed)
	}
	robots := "robots: " + event.BarRobots.Meaning()
	if list := r.otherMissed().Table; list == nil || !slices.ContainsFunc(list.Rows, func(row []show.Cell) bool { return row[2].String() == robots }) {
		t.Errorf("no page was skipped for %q: %+v", robots, list)
	}
}

// The page has everything in its place, runs nothing, loads nothing, and shows no number with an
// exponent.
func TestReportPage(t *testing.T) {
	_, dir, _ := crawled(t, troubled(), 0)
	r := mustRead(t, dir, "random", omniscient)
	var b bytes.Buffer
	if err := r.Full().WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, bad := range []string{"<script", "src=", "url(", "@import", "<link", "ZgotmplZ", "<img", "<iframe", "efused"} {
		if strings.Contains(page, bad) {
			t.Errorf("%s in the page", bad)
		}
	}
	if m := regexp.MustCompile(`>[-\d.]+e[-+]\d+<`).FindString(page); m != "" {
		t.Errorf("the number %s", m)
	}
	at := 0
	for _, part := range []string{"The crawl gathered ", "It missed ", "The order ", "Importance gathered", "Pages and failures over time", "The 50 most important pages", "Important pages that failed",
		"<details", "When the best pages came", "Frontier over time", "Connections over time", "Why fetchers were idle", "Yield", "Failures over time", "Download times", "Links of pages", "Pages per site", "Languages", "Media types", "Sizes", "HTTP statuses", "Sessions", "Settings"} {
		i := strings.Index(page[at:], part)
		if i < 0 {
			t.Fatalf("no %q in its place", part)
		}
		at += i
	}
	if n := strings.Count(page, "<details"); n < 20 || strings.Count(page, `<span class="fold">`) != n {
		t.Errorf("%d folded parts", n)
	}
	if strings.Contains(page, "1 attempts") || strings.Contains(page, "1 pages ") {
		t.Error("a plural of one")
	}
}

// The bars of the outcomes are as long as their numbers.
func TestOutcomeBarsAreLinear(t *testing.T) {
	_, dir, _ := crawled(t, troubled(), 0)
	chart := mustRead(t, dir, NoPolicy).outcomes().Bars
	most := 0.0
	for _, b := range chart.Bars {
		most = max(most, b.Value)
	}
	for i, l := range chart.Lengths() {
		if l != chart.Bars[i].Value/most {
			t.Errorf("%s: %v", chart.Bars[i].Label, l)
		}
	}
}

// The JSON object has the sentences and the lists of the page.
func TestSummaryHasTheLead(t *testing.T) {
	_, dir, _ := crawled(t, troubled(), 30)
	r := mustRead(t, dir)
	text, err := json.Marshal(r.Summary())
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Lead, Warnings []string
		Top, Missed    []struct{ URL string }
		Yield          float64 `json:"pages_per_attempt"`
		Mean           float64 `json:"mean_seconds"`
	}
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Lead) != 3 || s.Warnings == nil || len(s.Top) != min(topPages, len(r.w.Trail.Visits)) || len(s.Missed) == 0 || s.Yield <= 0 || s.Yield > 1 || s.Mean <= 0 {
		t.Errorf("%s", text)
	}
	brief := r.Brief(false).Text(show.TextOptions{Width: 1000})
	for _, want := range append(s.Lead, s.Top[0].URL) {
		if !strings.Contains(brief, want) {
			t.Errorf("no %q in\n%s", want, brief)
		}
	}
}

// A crawl without a page has a report that says so.
func TestReportOfNothing(t *testing.T) {
	_, dir, _ := crawled(t, answer.Options{DNS: answer.DNSShares{Missing: 1}}, 0)
	r := mustRead(t, dir)
	if r.Failed == nil || r.Real != nil || r.Summary().Fetched != 0 || r.Course().HalfRank != nil {
		t.Errorf("%+v", r.Summary())
	}
	var b bytes.Buffer
	if err := r.Full().WriteHTML(&b); err != nil || !strings.Contains(b.String(), "The crawl gathered no page") {
		t.Errorf("%v: %s", err, b.String())
	}
	if text := r.Brief(true).Text(show.TextOptions{}); !strings.Contains(text, "no page") {
		t.Error(text)
	}
}

// A single page has a report, too.
func TestReportOfOnePage(t *testing.T) {
	_, dir, _ := crawledAs(t, fakeweb.Spec{Pages: 1, Sites: 1, Seed: 3}, 1, answer.Options{}, func(*config.Config) {})
	r := mustRead(t, dir)
	var b bytes.Buffer
	if err := r.Full().WriteHTML(&b); err != nil || strings.Contains(b.String(), "NaN") {
		t.Errorf("%v: %s", err, b.String())
	}
	if lead := r.lead(); !strings.HasPrefix(lead[0], "The crawl gathered 1 page from 1 site ") || !strings.Contains(lead[2], "cannot be said of 1 page.") {
		t.Errorf("%q", lead)
	}
	if got := r.topSection().Title; got != "The most important page" {
		t.Error(got)
	}
}

// The languages are those that the pages declare.
func TestLanguages(t *testing.T) {
	_, dir, _ := crawled(t, answer.Options{}, 0)
	r := mustRead(t, dir, NoPolicy)
	if r.languages["en"] == 0 || show.Total(r.languages) != int64(len(r.samplePages())) {
		t.Errorf("%v of %s", r.languages, show.Counted(len(r.samplePages()), "page"))
	}
	if s := r.languagesSection(); !strings.HasPrefix(s.Fold, "en, ") {
		t.Errorf("%+v", s)
	}
}
