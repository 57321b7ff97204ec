package serve

import (
	"math"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/graph"
)

// freshness measures one page.
func (w *livingWeb) freshness(p graph.Page, from, to, step time.Duration) count.Freshness {
	one := func(q graph.Page) float64 {
		if q == p {
			return 3
		}
		return 0
	}
	return w.Counter().Freshness(one, from, to, step)
}

// near reports whether two durations differ by less than a microsecond.
func near(a, b time.Duration) bool { return (a - b).Abs() < time.Microsecond }

// TestFreshness computes by hand how fresh the copy of one page is: fetched before its first
// change, again between the second and the third, and with a 304 in between.
func TestFreshness(t *testing.T) {
	w := newLivingWeb(t, func(*answer.Options) {})
	const p = 9
	c := w.Changes(p, 0, 1000*day)
	w.now = c[0] / 2
	tag := ask(w.Server, w.URL(p)).Header().Get("Etag")
	w.now = c[0] * 3 / 4
	if got := ask(w.Server, w.URL(p), "If-None-Match", tag).Code; got != 304 {
		t.Fatal(got)
	}
	w.now = (c[1] + c[2]) / 2
	ask(w.Server, w.URL(p))
	ask(w.Server, w.URL(p))
	end := c[2] + day
	fresh := c[0]/2 + c[2] - w.now // from the first fetch to the change, from the second to the next
	square := func(d time.Duration) float64 { return d.Seconds() * d.Seconds() / 2 }
	age := square(c[0]/2) + square(w.now-c[0]) + square(day)
	got := w.freshness(p, 0, end, end/10)
	if got.Pages != 1 || math.Abs(got.Fresh-float64(fresh)/float64(end)) > 1e-9 || !near(got.Age, time.Duration(age/end.Seconds()*1e9)) {
		t.Errorf("%+v, want fresh %v, age %v s", got, float64(fresh)/float64(end), age/end.Seconds())
	}
	if got.Requests != 4 || got.New != 2 || got.Wasted != 2 {
		t.Errorf("%+v, want 4 requests, 2 of them for nothing", got)
	}
	if len(got.Series) < 10 {
		t.Errorf("%d samples", len(got.Series))
	}
	for i, share := range got.Series {
		at := time.Duration(i) * (end / 10)
		if want := at >= c[0]/2 && at < c[0] || at >= w.now && at < c[2]; (share == 1) != want {
			t.Errorf("sample %d: %v", i, share)
		}
	}
	if late := w.freshness(p, w.now+1, c[2], 0); late.Fresh != 1 || late.Age != 0 || late.Requests != 0 {
		t.Errorf("while it is fresh: %+v", late)
	}
}

// TestFreshnessOfFates: that a page has vanished is news, once; that it returns, too. What a
// site says while it is out, or by a false 304, is none. A page that moved is as fresh as its
// content.
func TestFreshnessOfFates(t *testing.T) {
	w := newLivingWeb(t, func(o *answer.Options) {
		o.Changes.Median, o.Changes.Outages = 1e5*day, 1 // hardly anything changes
		o.Changes.Fates = answer.FateShares{Return: 0.4, Move: 0.4}
	})
	done := map[answer.FateKind]bool{}
	for p := range graph.Page(smallWeb.Pages) {
		f, s := w.Fate(p), w.SiteTruth(w.Web().SiteOf(p))
		if done[f.Kind] || len(w.Changes(p, 0, 100*day)) > 0 || f.From < s.OutUntil {
			continue
		}
		done[f.Kind] = true
		for _, at := range []time.Duration{0, s.OutFrom, f.From, f.From + 1} {
			w.now = at
			ask(w.Server, w.URL(p))
		}
		switch got := w.freshness(p, 0, f.From+2, 0); f.Kind {
		case answer.Returns:
			w.now = f.Until + time.Hour
			ask(w.Server, w.URL(p))
			later := w.freshness(p, 0, f.Until+2*time.Hour, 0)
			want := 1 - float64(time.Hour)/float64(f.Until+2*time.Hour)
			if got.Fresh < 1-1e-9 || got.New != 2 || got.Wasted != 2 || math.Abs(later.Fresh-want) > 1e-9 || later.New != 3 {
				t.Errorf("page %d returns: %+v, later %+v, want %v", p, got, later, want)
			}
		case answer.Moves:
			url, _ := w.Moved(p, w.now)
			ask(w.Server, url)
			ask(w.Server, url)
			later := w.freshness(p, 0, 100*day, 0)
			if got.Fresh < 1-1e-9 || got.New != 2 || got.Wasted != 2 || later.Fresh < 1-1e-9 || later.New != 3 || later.Wasted != 3 {
				t.Errorf("page %d moves: %+v, later %+v", p, got, later)
			}
		}
	}
	if !done[answer.Returns] || !done[answer.Moves] {
		t.Errorf("tested %v", done)
	}
}

// TestFalse304: a visitor that believes a 304 is not fresh for that.
func TestFalse304(t *testing.T) {
	w := newLivingWeb(t, func(o *answer.Options) { o.Changes.Validators.Always = 1 })
	const p = 9
	c := w.Changes(p, 0, 1000*day)
	tag := ask(w.Server, w.URL(p)).Header().Get("Etag")
	w.now = c[0]
	ask(w.Server, w.URL(p), "If-None-Match", tag)
	if got := w.freshness(p, c[0], c[0]+day, 0); got.Fresh != 0 || got.Age != day/2 || got.Wasted != 1 {
		t.Errorf("%+v", got)
	}
}
