package demo

import (
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/live"
)

// On real sockets the curve of a crawl lies within 3 points of that of a simulation of the
// same policy, in the world and with the times that the crawl recorded, at every tenth of
// the pages (L14, X34: figure 4.15 of the thesis). What the simulation does not know is
// how long the crawler itself takes; so the servers of this web take their time. The
// policy is the default one. Breadth-first lies within 3 points, too, on a machine that
// has nothing else to do, but not on every busy one: where pages are handed out in the
// order in which they came, that order depends on who was late by a millisecond.
func TestCurveOfRealCrawl(t *testing.T) {
	if testing.Short() {
		t.Skip("ten seconds of waiting for servers")
	}
	r := crawlForCurve(t, config.Default().Policy)
	defer r.Close()
	real, simulated := r.Real.Tenths(), r.Runs[0].Tenths()
	for i := range real {
		d := 100 * (real[i] - simulated[i])
		t.Logf("%3d %% of the pages: %.1f %% of the importance, simulated %.1f %%", 10*(i+1), 100*real[i], 100*simulated[i])
		if math.IsNaN(d) || math.Abs(d) > 3 {
			t.Errorf("at %d %%: %.1f points apart", 10*(i+1), d)
		}
	}
	if n := len(r.Real.Result.Order); n < 700 {
		t.Errorf("%d pages are no test", n)
	}
}

// crawlForCurve crawls a web with robots.txt, redirects and missing pages.
func crawlForCurve(t *testing.T, policy string) *live.Report {
	t.Helper()
	web, err := fakeweb.New(fakeweb.Spec{Pages: 900, Sites: 120, Links: 9000, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	server, err := serve.New(web, answer.Options{
		Agent: "winnow", MinLatency: 10 * time.Millisecond, MaxLatency: 60 * time.Millisecond,
		Pages:  answer.PageShares{Redirect: 0.03, NotFound: 0.03},
		Robots: answer.RobotsShares{Rules: 0.2, Missing: 0.2},
	})
	if err != nil {
		t.Fatal(err)
	}
	net, err := server.Listen(serve.Listen{HTTP: "127.0.0.1:0", DNS: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer net.Close()
	c := (&Options{}).Config()
	c.Resolver = net.Resolver()
	c.Policy, c.RandomSeed, c.Fetchers, c.Delay.Duration = policy, 1, 12, 40*time.Millisecond
	dir := filepath.Join(t.TempDir(), "curve.crawl")
	_, err = crawl.Run(t.Context(), crawl.RunOptions{Dir: dir, Config: c, Seeds: []string{server.URL(0)}, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := live.ReadReport(t.Context(), dir, live.ReportOptions{Progress: &show.Stages{Context: t.Context()}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
