package crawl

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

// recording is what the journal of the crawl says.
func (w *testWeb) recording(t *testing.T) *history.Recording {
	t.Helper()
	dir, _ := w.disk.open(layout.JournalDir)
	r, err := history.ReadRecording(dir)
	if err != nil {
		t.Fatal(err)
	}
	r.Path = "memory"
	return r
}

// The graph of a crawl is the truth about the web: every page that came has the links
// that the server gave it, by URL, and no other has any (W36).
func TestRecordedGraph(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 600, 40, answer.Mixed())
		sum := w.run(t)
		path := filepath.Join(t.TempDir(), "crawl.wg")
		_, err := graph.Import(t.Context(), graph.ImportOptions{Feed: w.recording(t).Feed(), WriteOptions: graph.WriteOptions{Path: path}})
		if err != nil {
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

// compareLinks holds the links of a page that came against those that the server shows.
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
		w.o.Config.Pages = 200
		w.run(t)
		w.o.Config.Pages = 0
		sum := w.run(t)
		x, err := w.recording(t).Trail()
		if err != nil {
			t.Fatal(err)
		}
		n := x.ByState()
		if n[history.PageFetched] != sum.Fetched || n[history.PageFailed] != sum.Failed || n[history.PageRefused] != sum.Refused || int64(len(x.Visits)) != sum.Fetched {
			t.Errorf("by state %v, %d visits; the crawl says %d fetched, %d failed, %d refused", n, len(x.Visits), sum.Fetched, sum.Failed, sum.Refused)
		}
		if x.Outcomes != sum.Outcomes || x.Bars != sum.Bars || x.Bytes != sum.Bytes {
			t.Errorf("outcomes %v, want %v; bars %v, want %v; %d bytes, want %d", x.Outcomes, sum.Outcomes, x.Bars, sum.Bars, x.Bytes, sum.Bytes)
		}
		w.checkSessions(t, x)
		for i, v := range x.Visits {
			if v.End < v.Start || i > 0 && v.End < x.Visits[i-1].Start {
				t.Fatalf("visit %d from %v to %v", i, v.Start, v.End)
			}
			if d := x.Depth[v.Page]; d > 200 || d == 0 && x.Listed == 0 && v.Page != 0 {
				t.Errorf("page %d has depth %d", v.Page, d)
			}
		}
	})
}

// The trail names the reason of each refusal, also of those that were decided when a page was
// about to be handed out.
func TestTrailOfTraps(t *testing.T) {
	long(t)
	synctest.Test(t, func(t *testing.T) {
		h := hostileCrawl{pages: 1500, sites: 30, seed: 25, serve: hostileServe()}
		w, sum := h.crawl(t)
		x, err := w.recording(t).Trail()
		if err != nil {
			t.Fatal(err)
		}
		if sum.Bars[event.BarNoNews] == 0 || x.Bars != sum.Bars {
			t.Errorf("refused pages by reason: %v, the crawl says %v", x.Bars, sum.Bars)
		}
	})
}

// Statistics count pages that are under way, and the bytes that this session archived,
// however long the files are.
func TestStatsWhileRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 300, 30, answer.Options{MinLatency: 100 * time.Millisecond, MaxLatency: 2 * time.Second})
		w.o.Machine.Sizes.Archive = 50_000
		var most, archived int64
		w.o.Progress = func(s *history.Stats) {
			most, archived = max(most, s.Acquired), s.Archive
			if n := s.Queued + s.Fetched + s.Failed + s.Refused; n != s.Known || s.Acquired > s.Queued {
				t.Errorf("%d pages by state, %d known, %d of %d waiting ones under way", n, s.Known, s.Acquired, s.Queued)
			}
		}
		sum := w.run(t)
		stored := int64(0)
		for name, size := range w.archiveFiles(t) {
			if strings.HasSuffix(name, ".warc.gz") {
				stored += size
			}
		}
		if most < 2 || archived == 0 || sum.Archive != stored {
			t.Errorf("%d pages under way at most; %d bytes archived, %d in the files", most, sum.Archive, stored)
		}
	})
}

// archiveFiles returns the sizes of the files of the archive by name.
func (w *testWeb) archiveFiles(t *testing.T) map[string]int64 {
	t.Helper()
	list, err := w.disk[layout.ArchiveDir].List()
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int64{}
	for _, e := range list {
		sizes[e.Name] = e.Size
	}
	return sizes
}

func (w *testWeb) checkSessions(t *testing.T, x *history.Trail) {
	t.Helper()
	if len(x.Sessions) != 2 || len(x.Seeds) != 1 || x.Seeds[0] != 0 {
		t.Fatalf("%d sessions, seeds %v", len(x.Sessions), x.Seeds)
	}
	c, err := x.Sessions[0].Config()
	if err != nil || c.Pages != 200 || x.Sessions[0].Policy != "opic" || x.Sessions[1].Now <= x.Sessions[0].Now {
		t.Errorf("first session: %d pages, %+v, %v", c.Pages, x.Sessions, err)
	}
}

// Times are those of the server: a plain web with fixed ones gives them back.
func TestTimings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const connect, first = 3 * time.Millisecond, 20 * time.Millisecond
		w := newTestWeb(t, 60, 5, answer.Options{Times: answer.Times{
			FirstByte: func(graph.Site, graph.Page, uint32) time.Duration { return first },
		}})
		w.o.Config.PerConnection = 4
		w.run(t)
		count := map[event.TaskKind]int{}
		err := w.recording(t).EachTiming(func(x *history.Timing) {
			count[x.Kind]++
			if x.Kind != event.Resolve && (x.FirstByte != first || x.Bytes == 0 || x.Connect+x.FirstByte+x.Body != x.Took && x.Connect > 0) {
				t.Errorf("%+v", x)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if count[event.Fetch] != 60 || count[event.Robots] != 5 || count[event.Resolve] != 5 {
			t.Errorf("timings by kind: %v", count)
		}
	})
}

// What a reader of a directory is told that has no crawl.
func TestOpenRecording(t *testing.T) {
	dir := t.TempDir()
	_, err := history.OpenRecording(dir)
	if err == nil || !strings.Contains(err.Error(), "is not a crawl") {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, layout.LockFile), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = history.OpenRecording(dir)
	if err == nil || !strings.Contains(err.Error(), "nothing was committed") {
		t.Error(err)
	}
}

// A page that came is one of these classes, and no other.
func TestArrivals(t *testing.T) {
	for c := range event.Class(9) {
		if came := c == event.OK || c == event.Redirect || c == event.Duplicate || c == event.NotHTML; came == c.Failed() {
			t.Errorf("class %v", c)
		}
	}
}
