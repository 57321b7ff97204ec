package history_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// The graph of a crawl is the truth about the web: every page that was fetched has the links
// that the server gave it, by URL, and no other has any.
func TestRecordedGraph(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 600, 40, answer.Mixed())
		sum := w.run(t, 0)
		feed, err := w.crawl(t).Feed()
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "crawl.wg")
		if _, err := graph.Import(t.Context(), graph.ImportOptions{Feed: feed, WriteOptions: graph.WriteOptions{Path: path}}); err != nil {
			t.Fatal(err)
		}
		g, err := graph.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		if int64(g.Pages()) != sum.Known {
			t.Errorf("%d pages, the crawl knew %d", g.Pages(), sum.Known)
		}
		fetched := int64(0)
		for p := range graph.Page(g.Pages()) {
			if g.Fetched(p) {
				fetched++
				w.compareLinks(t, g, p)
			}
		}
		if fetched != sum.Fetched || fetched < 400 {
			t.Errorf("%d pages came, the crawl says %d", fetched, sum.Fetched)
		}
	})
}

// compareLinks holds the links of a page that was fetched against those that the server shows.
func (w *testWeb) compareLinks(t *testing.T, g *graph.Graph, p graph.Page) {
	t.Helper()
	home, ok := w.server.Page(string(g.AppendURL(nil, p)))
	if !ok {
		return // one of the paths that no link leads to
	}
	var got, want []string
	for _, q := range g.Forward().Reader().List(p) {
		got = append(got, string(g.AppendURL(nil, q)))
	}
	for _, q := range w.server.Seen(nil, home) {
		want = append(want, w.server.URL(q))
	}
	for _, url := range got {
		if !slices.Contains(want, url) {
			t.Errorf("page %s has a link to %s", g.AppendURL(nil, p), url)
		}
	}
	for _, url := range want {
		if !slices.Contains(got, url) {
			t.Errorf("page %s has no link to %s", g.AppendURL(nil, p), url)
		}
	}
}

// The trail of a crawl agrees with what the crawl counted itself.
func TestTrail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		so := answer.Mixed()
		so.DNS.Missing, so.Robots.Broken = 0.1, 0.1 // sites that are given up
		w := newTestWeb(t, 600, 40, so)
		w.run(t, 200)
		sum := w.run(t, 0)
		c := w.crawl(t)
		x, err := c.Trail()
		if err != nil {
			t.Fatal(err)
		}
		n := history.SiteTrail{}
		for _, s := range x.Sites {
			n.Known, n.Fetched, n.Failed, n.Refused, n.Bytes = n.Known+s.Known, n.Fetched+s.Fetched, n.Failed+s.Failed, n.Refused+s.Refused, n.Bytes+s.Bytes
			n.Requests += s.Requests
		}
		if n.Fetched != sum.Fetched || n.Failed != sum.Failed || n.Refused != sum.Refused || int64(len(x.Visits)) != sum.Fetched || n.Known != sum.Known {
			t.Errorf("by state %+v, %d visits; the crawl says %d fetched, %d failed, %d refused", n, len(x.Visits), sum.Fetched, sum.Failed, sum.Refused)
		}
		if n.Bytes != sum.Bytes || n.Requests != sum.Requests || x.Links != sum.Links || x.Duration-x.Stopped != sum.Ran {
			t.Errorf("%+v, %d links in %v, want %d bytes, %d requests, %d links in %v", n, x.Links, x.Duration-x.Stopped, sum.Bytes, sum.Requests, sum.Links, sum.Ran)
		}
		attempts := int64(0)
		for _, k := range x.Statuses {
			attempts += k
		}
		for _, k := range sum.Outcomes {
			attempts -= k
		}
		if attempts != 0 {
			t.Errorf("attempts by status %v, by class %v", x.Statuses, sum.Outcomes)
		}
		checkSessions(t, c, x)
		s, err := c.State()
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range x.Visits {
			if v.End < v.Start || i > 0 && v.End < x.Visits[i-1].Start {
				t.Fatalf("visit %d from %v to %v", i, v.Start, v.End)
			}
			if d := s.Frontier.State(v.Page); d != frontier.Fetched {
				t.Errorf("page %d was visited, and is %v", v.Page, d)
			}
		}
	})
}

func checkSessions(t *testing.T, c *history.Crawl, x *history.Trail) {
	t.Helper()
	list, err := c.Sessions()
	if err != nil || len(list) != 2 || len(x.Seeds) != 1 || x.Seeds[0] != 0 {
		t.Fatalf("%d sessions, seeds %v, %v", len(list), x.Seeds, err)
	}
	if list[0].Config.Pages != 200 || list[0].Policy != policy.Default || list[1].At <= list[0].At {
		t.Errorf("sessions %+v", list)
	}
	if last, err := c.Config(); err != nil || last.Pages != 0 {
		t.Errorf("the last configuration has %d pages, %v", last.Pages, err)
	}
}

// Times are those of the server: a plain web with fixed ones gives them back.
func TestTimings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const connect, first = 3 * time.Millisecond, 20 * time.Millisecond
		w := newTestWeb(t, 60, 5, answer.Options{Times: answer.Times{
			Connect:   func(context.Context, graph.Site, uint32) time.Duration { return connect },
			FirstByte: func(graph.Site, graph.Page, uint32) time.Duration { return first },
		}})
		w.o.Config.PerConnection = 4
		w.run(t, 30)
		w.run(t, 0)
		trail, err := w.crawl(t).Trail()
		if err != nil {
			t.Fatal(err)
		}
		count := map[event.TaskKind]int{}
		conns := int64(0)
		for _, x := range trail.Timings {
			count[x.Kind]++
			if x.Connect > 0 {
				conns++
			}
			if x.Kind != event.Resolve && (x.FirstByte != first || x.Bytes == 0 || x.Connect+x.FirstByte+x.Body != x.Took || x.Connect != 0 && x.Connect != connect) {
				t.Errorf("%+v", x)
			}
		}
		if count[event.Fetch] != 60 || count[event.Robots] != 5 || count[event.Resolve] != 5 {
			t.Errorf("timings by kind: %v", count)
		}
		if made := w.server.Counter().Summary().Connections; conns != made || made > 20 || made < 6 {
			t.Errorf("%d requests took time to connect, the server counted %d connections", conns, made)
		}
	})
}
