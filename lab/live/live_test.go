package live

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
)

// crawled crawls a web of 150 pages on 8 sites in virtual time, up to a number of pages,
// and returns its server and the directory.
func crawled(t *testing.T, so answer.Options, pages int64) (server *serve.Server, dir string, sum *crawl.Summary) {
	t.Helper()
	spec := fakeweb.Spec{Pages: 150, Sites: 8, Links: 1200, Seed: 7}
	return crawledAs(t, spec, spec.Sites, so, func(c *config.Config) { c.Pages, c.Commit = pages, config.Seconds(60) }) // fewer waits for the disk
}

// crawledAs crawls a web on a number of addresses in virtual time, with a configuration that
// set changes.
func crawledAs(t *testing.T, spec fakeweb.Spec, addresses int, so answer.Options, set func(*config.Config)) (server *serve.Server, dir string, sum *crawl.Summary) {
	t.Helper()
	return crawledWith(t, spec, addresses, so, func(o *crawl.RunOptions) { set(&o.Config) })
}

// A pause ends a session of a crawl some time after it began: the crawl is stopped, or its
// directory is copied there and then, as if it had been killed. The next one begins later.
type pause struct {
	after, off time.Duration
	kill       bool
}

// crawledWith does what crawledAs does, with options that set changes, in several sessions.
func crawledWith(t *testing.T, spec fakeweb.Spec, addresses int, so answer.Options, set func(*crawl.RunOptions), pauses ...pause) (server *serve.Server, dir string, sum *crawl.Summary) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "test.crawl")
	web, err := fakeweb.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		if server, err = serve.New(web, so); err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		server.SetAddresses(addresses)
		o := crawl.RunOptions{Dir: dir, Config: config.Default(), Seeds: []string{server.URL(0)}, Version: "test"}
		o.Config.Contact, o.Config.AllowPrivate, o.Config.MaxMemory = "test@example.org", true, 1<<30
		o.Config.Scope = config.ScopeAny
		o.Config.Policy, o.Config.Sync = "breadth-first", false
		o.Machine = crawl.Machine{Dial: server.Dial, TLS: server.ClientTLS(), Resolve: func(ctx context.Context, host string) (fetch.Names, error) {
			a, ttl, err := server.Resolve(ctx, host)
			if err != nil {
				return fetch.Names{}, err
			}
			return fetch.Names{Addrs: []netip.Addr{a}, TTL: max(ttl, 24*time.Hour)}, nil
		}}
		o.Machine.Sizes.Status = time.Hour // nobody reads it while virtual time flies
		set(&o)
		for _, p := range pauses {
			o.Dir, o.Seeds = p.end(t, o), nil
			time.Sleep(p.off)
		}
		dir = o.Dir
		if sum, err = crawl.Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	})
	return server, dir, sum
}

// end crawls until the pause, and returns where to continue.
func (p pause) end(t *testing.T, o crawl.RunOptions) (dir string) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	dir = o.Dir
	time.AfterFunc(p.after, func() {
		if p.kill {
			dir += ".killed"
			if err := os.CopyFS(dir, withoutTemporary{os.DirFS(o.Dir)}); err != nil {
				t.Error(err)
			}
		}
		cancel()
	})
	if _, err := crawl.Run(ctx, o); err != nil {
		t.Fatal(err)
	}
	return dir
}

// withoutTemporary has no files that are about to get another name: they may vanish while a
// directory is copied.
type withoutTemporary struct{ fs.FS }

func (f withoutTemporary) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := fs.ReadDir(f.FS, name)
	return slices.DeleteFunc(list, func(e fs.DirEntry) bool { return strings.HasSuffix(e.Name(), ".tmp") }), err
}

func mustRead(t *testing.T, dir string, policies ...string) *Report {
	t.Helper()
	r, err := ReadReport(t.Context(), dir, ReportOptions{Policies: policies, Progress: &show.Stages{Context: t.Context()}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// firstByte is how long all servers of TestCrawl take.
const firstByte = 20 * time.Millisecond

// A web with all kinds of answers.
func TestCrawl(t *testing.T) {
	so := answer.Mixed()
	so.Robots.Rules = 1
	so.Times.FirstByte = func(graph.Site, graph.Page, uint32) time.Duration { return firstByte }
	_, dir, sum := crawled(t, so, 0)
	t.Run("world", func(t *testing.T) { testWorld(t, dir, sum) })
	r := mustRead(t, dir, "opic", "breadth-first")
	t.Run("report", func(t *testing.T) { testReport(t, r, sum) })
	t.Run("tables", func(t *testing.T) { testTables(t, r, sum) })
}

// A world has all known pages of a crawl. The fetched ones are part of E, and can be reached
// from its seed; with FrontierPages all of them are.
func testWorld(t *testing.T, dir string, sum *crawl.Summary) {
	for _, all := range []bool{false, true} {
		w, err := OpenWorld(t.Context(), dir, WorldOptions{FrontierPages: all})
		if err != nil {
			t.Fatal(err)
		}
		want := sum.Fetched
		if all {
			want = sum.Known
		}
		out := lab.NewWorld("test", w.Graph, false, 0)
		seeds, _, name := w.Seeds(out.Sim.Out)
		reached := out.Reach(seeds...)
		if n := int64(len(reached.Order)); n != want || int64(w.Graph.Pages()) != sum.Known || sum.Known == sum.Fetched {
			t.Errorf("all %v: E has %d of %d pages, want %d", all, n, w.Graph.Pages(), want)
		}
		for _, v := range w.Trail.Visits {
			if p, ok := w.page(v.Page); !ok || !w.Graph.Fetched(p) || !slices.Contains(reached.Order, p) {
				t.Errorf("all %v: page %d was fetched and cannot be reached", all, v.Page)
			}
		}
		if name != "those of the crawl" || len(seeds) != 1 {
			t.Errorf("all %v: %d seeds, %s", all, len(seeds), name)
		}
		out.Free()
		w.Close()
		if _, err := os.Stat(w.temp); !os.IsNotExist(err) {
			t.Errorf("the file of the world is left: %v", err)
		}
	}
}

// Fetched pages that no link leads to are seeds, too, each only once for all that it leads
// to: 0 -> 1; 2 -> 3 -> 4; 4 -> 3, and 5 was not fetched.
func TestSeeds(t *testing.T) {
	dir := t.TempDir()
	edges, file := filepath.Join(dir, "edges"), filepath.Join(dir, "test.wg")
	if err := os.WriteFile(edges, []byte("0 1\n2 3\n3 4\n4 3\n5 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := graph.Import(t.Context(), graph.ImportOptions{Edges: edges, WriteOptions: graph.WriteOptions{Path: file}}); err != nil {
		t.Fatal(err)
	}
	g, err := graph.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	out := lab.NewWorld("test", g, false, 0)
	defer out.Free()
	w := &World{Graph: g, Trail: &history.Trail{Seeds: []graph.Page{0, 9}}} // the graph has no page 9
	for _, p := range []graph.Page{0, 2, 1, 4, 3} {
		w.Trail.Visits = append(w.Trail.Visits, history.Visit{Page: p})
	}
	seeds, given, name := w.Seeds(out.Sim.Out)
	if !slices.Equal(seeds, []graph.Page{0, 2}) || given != 1 || name != "those of the crawl (1) and what no link leads to (1)" {
		t.Errorf("the seeds are %v: %s", seeds, name)
	}
}

// Each site of a world answers after the time that it took in the crawl, and each page has
// the size that it had.
func TestTimesOfCrawl(t *testing.T) {
	first := func(s graph.Site) time.Duration { return time.Duration(s+1) * 10 * time.Millisecond }
	const connect = 7 * time.Millisecond
	server, dir, _ := crawled(t, answer.Options{NoKeepAlive: 0.5, Times: answer.Times{
		Connect:   func(context.Context, graph.Site, uint32) time.Duration { return connect },
		FirstByte: func(s graph.Site, _ graph.Page, _ uint32) time.Duration { return first(s) },
	}}, 0)
	w, err := OpenWorld(t.Context(), dir, WorldOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	x, err := Times(w.Crawl, w.Graph, 1, true)
	if err != nil {
		t.Fatal(err)
	}
	for p := range graph.Page(w.Graph.Pages()) {
		original, ok := server.Page(w.Graph.URL(p))
		if !ok {
			t.Fatalf("%s is no page of the web", w.Graph.URL(p))
		}
		want := first(server.Web().SiteOf(original))
		if got := x.FirstByte(w.Graph.Site(p), p, 0); (got - want).Abs() > time.Microsecond {
			t.Errorf("%s answers after %v, want %v", w.Graph.URL(p), got, want)
		}
		if got := x.Connect(w.Graph.Site(p), uint32(p)); (got - connect).Abs() > time.Microsecond {
			t.Errorf("%s is connected after %v, want %v", w.Graph.URL(p), got, connect)
		}
		keeps := server.SiteTruth(server.Web().SiteOf(original)).KeepAlive
		if got := x.Keeps(w.Graph.Site(p), p); got != keeps {
			t.Errorf("%s keeps its connection: %t, want %t", w.Graph.URL(p), got, keeps)
		}
	}
	for _, v := range w.Trail.Visits {
		if p, _ := w.page(v.Page); x.Size(p) != v.Bytes {
			t.Errorf("page %d has %d bytes, want %d", p, x.Size(p), v.Bytes)
		}
	}
}

// The simulations of a report fetch the pages that the crawl fetched, failed ones in vain,
// and the numbers of all runs are those of their orders.
func testReport(t *testing.T, r *Report, sum *crawl.Summary) {
	if len(r.Runs) != 2 || r.Runs[0].Policy != "breadth-first, simulated" || r.Runs[1].Policy != "opic" || r.Failed != nil {
		t.Fatalf("%d simulations, error %v", len(r.Runs), r.Failed)
	}
	fetched := slices.Sorted(slices.Values(r.Real.Result.Order))
	for _, run := range r.Runs {
		if !slices.Equal(slices.Sorted(slices.Values(run.Result.Order)), fetched) {
			t.Errorf("%s fetches %d pages, which are not the %d of the crawl", run.Policy, len(run.Result.Order), len(fetched))
		}
	}
	if res := r.Real.Result; res.Took != sum.Ran {
		t.Errorf("the crawl took %v, want %v", res.Took, sum.Ran)
	}
	for i, v := range r.w.Trail.Visits { // in one session the clock never stops
		if res := r.Real.Result; res.Start[i] != v.Start || res.End[i] != v.End || res.Bytes[i] != v.Bytes {
			t.Fatalf("fetch %d from %v to %v, want %+v", i, res.Start[i], res.End[i], v)
		}
	}
	s := r.Summary()
	if s.Fetched != sum.Fetched || s.Known != sum.Known || s.Failed != sum.Failed || s.Refused != sum.Refused || len(s.Orders) != 3 {
		t.Errorf("summary %+v of %+v", s, sum)
	}
	for i, run := range r.all() {
		c := courseOf(run, "")
		if last := s.Orders[i].Tenths[9].(float64); math.Abs(last-1) > 1e-9 || *c.HalfRank <= 0.5 {
			t.Errorf("%s: %v at the end, %v in the middle", run.Policy, last, *c.HalfRank)
		}
		k := slices.IndexFunc(run.Trial.Cumulative().Y, func(y float64) bool { return y >= 0.5 })
		if *c.For50 != run.Result.End[k].Seconds() || *c.For90 <= *c.For50 || *c.For90 > c.Seconds {
			t.Errorf("%s has half of the importance after %v s, want %v; 90 %% after %v s", run.Policy, *c.For50, run.Result.End[k], *c.For90)
		}
	}
	if r.Course().Policy != "breadth-first" || r.Simulated("breadth-first") == nil || r.Simulated("opic") == nil || r.Simulated("random") != nil {
		t.Error("courses are found by other names")
	}
}

// The tables of a report agree with what the crawl counted.
func testTables(t *testing.T, r *Report, sum *crawl.Summary) {
	attempts, classes := 0.0, 0
	for _, b := range r.outcomes().Bars.Bars {
		attempts, classes = attempts+b.Value, classes+1
	}
	for _, b := range r.statuses().Bars.Bars {
		attempts -= b.Value
	}
	if attempts != 0 || classes < 4 {
		t.Errorf("%v more attempts by %d classes than by status", attempts, classes)
	}
	refused := 0.0
	for _, row := range r.reasons().Table.Rows {
		refused += row[1].Value()
	}
	if int64(refused) != sum.Refused || sum.Refused == 0 {
		t.Errorf("%v pages refused by reason, want %d", refused, sum.Refused)
	}
	most := int64(0)
	for _, s := range r.w.Trail.Sites {
		most = max(most, s.Known)
	}
	row := r.sites().Table.Rows[0]
	if largest := r.status.Largest; int64(row[1].Value()) != most || row[0].String() != largest.Site || largest.Pages != most {
		t.Errorf("the largest site is %v with %v pages, in the status %+v; most are %d", row[0], row[1], largest, most)
	}
	times, ok := r.latencies()
	if !ok {
		t.Fatal("no times")
	}
	for _, row := range times.Table.Rows {
		if row[0].String() == "first byte" && (math.Abs(row[2].Value()-1e3*firstByte.Seconds()) > 1 || math.Abs(row[6].Value()-1e3*firstByte.Seconds()) > 1) {
			t.Errorf("the first byte took %v to %v ms, want %v", row[2], row[6], firstByte)
		}
	}
}

// A crawl that was stopped is compared over its own pages; an unknown policy is an error,
// and a crawl without a page is no world.
func TestReportOfPart(t *testing.T) {
	_, dir, sum := crawled(t, answer.Options{}, 60)
	r := mustRead(t, dir)
	if n := len(r.Runs[0].Result.Order); int64(n) != sum.Fetched || n < 60 || n > 100 {
		t.Errorf("%d pages are fetched in the simulation, %d in the crawl", n, sum.Fetched)
	}
	if r := mustRead(t, dir, "opic", NoPolicy); len(r.Runs) != 0 {
		t.Errorf("%d simulations, want none", len(r.Runs))
	}
	if _, err := ReadReport(t.Context(), dir, ReportOptions{Policies: []string{"oqic"}, Progress: &show.Stages{Context: t.Context()}}); err == nil {
		t.Error("there is a policy oqic")
	}
	_, dir, _ = crawled(t, answer.Options{DNS: answer.DNSShares{Missing: 1}}, 0)
	if _, err := OpenWorld(t.Context(), dir, WorldOptions{}); !errors.Is(err, lab.ErrNothing) {
		t.Errorf("no page was fetched: %v", err)
	}
}
