package history_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
)

// The sites add up to the status, are sorted and filtered, and the requests of the log to
// theirs.
func TestSiteList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 300, 12, answer.Mixed())
		dir := w.inDir(t)
		w.run(t, 150)
		want := readStatus(t, dir)
		c, err := history.Open(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		list := func(f history.SiteFilter) []history.SiteInfo {
			out, err := c.SiteList(&f, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		var sum history.SiteInfo
		for _, x := range list(history.SiteFilter{}) {
			sum.Known, sum.Waiting, sum.Fetched, sum.Failed, sum.Skipped = sum.Known+x.Known, sum.Waiting+x.Waiting, sum.Fetched+x.Fetched, sum.Failed+x.Failed, sum.Skipped+x.Skipped
			sum.Requests += x.Requests
			if x.Delay <= 0 || x.By == "" || x.Fetched > 0 && x.Robots != "ok" && x.Robots != "none" || (x.LastError == "") != (x.ErrorAt == nil) {
				t.Errorf("%+v", x)
			}
		}
		if sum.Known != want.Known || sum.Waiting != want.Waiting || sum.Fetched != want.Fetched || sum.Failed != want.Failed || sum.Skipped != want.Refused || sum.Requests != want.Requests {
			t.Errorf("%+v, want %+v", sum, want)
		}
		for _, order := range history.SiteOrders()[1:6] {
			sorted := list(history.SiteFilter{Sort: order, Limit: 5})
			if len(sorted) != 5 {
				t.Errorf("%s: %d sites", order, len(sorted))
			}
			if order == "waiting" && !slices.IsSortedFunc(sorted, func(a, b history.SiteInfo) int { return int(b.Waiting - a.Waiting) }) {
				t.Errorf("not by %s: %+v", order, sorted)
			}
		}
		for _, x := range list(history.SiteFilter{Failed: true, Name: "s0"}) {
			if x.Failed == 0 {
				t.Errorf("%+v", x)
			}
		}
		checkLog(t, c, want)
	})
}

// checkLog compares the log with the status, as a whole and in parts.
func checkLog(t *testing.T, c *history.Crawl, want *history.Status) {
	t.Helper()
	classes, kinds := map[string]int64{}, map[string]int64{}
	var times []time.Time
	read := func(f history.LogFilter) (n int64) {
		err := c.Log(&f, func(x *history.Request) error {
			n++
			if f.Since.IsZero() && f.Until.IsZero() && f.Limit == 0 {
				times = append(times, x.At)
				if kinds[x.Kind]++; x.Kind == "fetch" {
					classes[x.Class]++
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	all := read(history.LogFilter{})
	for class, n := range want.Outcomes {
		if classes[class] != n {
			t.Errorf("%d attempts of class %s, want %d", classes[class], class, n)
		}
	}
	if n := kinds["fetch"] + kinds["robots"] + kinds["sitemap"]; n != want.Requests {
		t.Errorf("%d requests, want %d", n, want.Requests)
	}
	slices.SortFunc(times, time.Time.Compare)
	middle := times[len(times)/2]
	late := read(history.LogFilter{Since: middle})
	early := read(history.LogFilter{Until: middle.Add(-time.Millisecond)})
	if late+early != all || late == 0 || early == 0 {
		t.Errorf("%d since, %d until, %d in all", late, early, all)
	}
	if n := read(history.LogFilter{Limit: 7}); n != 7 {
		t.Errorf("%d of 7", n)
	}
}
