package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	webdemo "github.com/winnow-crawler/winnow/lab/demo"
	"github.com/winnow-crawler/winnow/lab/live"

	"github.com/winnow-crawler/winnow/graph"
)

// winnow runs a command line in-process and gives what it printed.
func winnow(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, messages bytes.Buffer
	if code := run(t.Context(), args, strings.NewReader(""), &out, &messages); code != want {
		t.Fatalf("winnow %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), code, want, &out, &messages)
	}
	return out.String(), messages.String()
}

// object is the first JSON object of a text.
func object[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.NewDecoder(strings.NewReader(text)).Decode(&v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// The way from a crawl to the laboratory: a small demo over real sockets, which the server
// finds nothing wrong with, and its directory in every verb that takes one (W36).
func TestDemo(t *testing.T) {
	dir, pages := filepath.Join(t.TempDir(), "demo.crawl"), 300
	if testing.Short() {
		pages = 100
	}
	out, _ := winnow(t, 0, "demo", "--pages", fmt.Sprint(pages), "--dir", dir, "--json")
	demo := object[demoObject](t, out)
	if demo.Violations != 0 || demo.Server.MostOpen != 1 || demo.Crawl.Fetched < int64(pages*2/3) {
		t.Errorf("%d violations, %d connections at once, %d pages", demo.Violations, demo.Server.MostOpen, demo.Crawl.Fetched)
	}
	if n := len(demo.Crawl.Orders); n != 5 {
		t.Fatalf("%d orders are compared", n)
	}
	replay := demo.Crawl.Orders[1]
	for i, of := range demo.Crawl.Orders[0].Tenths { // over sockets, under the same policy
		crawled, _ := of.(float64)
		if again, ok := replay.Tenths[i].(float64); !ok || math.Abs(crawled-again) > 0.01 {
			t.Errorf("tenth %d: %s has %v of the importance, the crawl %v", i+1, replay.Policy, replay.Tenths[i], of)
		}
	}
	if index, _ := filepath.Glob(filepath.Join(dir, "warc", "*.cdxj")); len(index) == 0 {
		t.Error("no WARC file has an index")
	}
	for _, name := range []string{"report.html", "curves.csv", "summary.json"} {
		if info, err := os.Stat(filepath.Join(dir, "report", name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, messages := winnow(t, 1, "demo", "--dir", dir)
	if !inOrder(messages, "winnow: error: ", dir, "not empty") {
		t.Error(messages)
	}
	_, messages = winnow(t, 2, "demo", "--policy", "oqic")
	if !strings.Contains(messages, "winnow demo --policy opic") {
		t.Error(messages)
	}
	t.Run("report", func(t *testing.T) { testReport(t, dir, &demo) })
	t.Run("graph", func(t *testing.T) { testCrawlGraph(t, dir, &demo) })
	t.Run("sim", func(t *testing.T) { testCrawlSim(t, dir, &demo) })
}

// The report of a crawl that does not change is the same, whoever writes it and how often.
func testReport(t *testing.T, dir string, demo *demoObject) {
	whole, err := os.ReadFile(filepath.Join(dir, "report", "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "report")
	out, _ := winnow(t, 0, "report", dir, "--out", elsewhere, "--json")
	r := object[live.Summary](t, out)
	if r.Fetched != demo.Crawl.Fetched || r.HalfRank == nil || *r.HalfRank <= 0.5 || r.Indexes != 0 {
		t.Errorf("%+v", r)
	}
	again, err := os.ReadFile(filepath.Join(elsewhere, "summary.json"))
	if err != nil || !bytes.Equal(again, whole) {
		t.Errorf("the summary differs when it is written again: %v", err)
	}
	for _, title := range []string{"Figures", "Orders", "Crawled and simulated", "Importance by depth", "Outcomes", "Download times", "Largest sites", "Sessions"} {
		if !bytes.Contains(whole, fmt.Appendf(nil, "%q", title)) {
			t.Errorf("the summary has no section %q", title)
		}
	}
	out, _ = winnow(t, 0, "report", dir, "--out", elsewhere, "--policy", "none")
	if !strings.Contains(out, "this crawl") || strings.Contains(out, "breadth-first") {
		t.Error(out)
	}
	_, messages := winnow(t, 1, "report", dir, "--policy", "oqic")
	if !strings.Contains(messages, "oqic") {
		t.Error(messages)
	}
	winnow(t, 1, "report", elsewhere)
}

// Both ways to the graph, by the journal and by the WARC files, lead to the same pages and
// links, as far as pages are in the WARC files.
func testCrawlGraph(t *testing.T, dir string, demo *demoObject) {
	a, b := filepath.Join(t.TempDir(), "a.wg"), filepath.Join(t.TempDir(), "b.wg")
	winnow(t, 0, "graph", "import", "--crawl", dir, "-o", a)
	files, _ := filepath.Glob(filepath.Join(dir, "warc", "*.warc.gz"))
	winnow(t, 0, append([]string{"graph", "import", "-o", b, "--warc"}, files...)...)
	x, y := openTest(t, a), openTest(t, b)
	if int64(x.Pages()) != demo.Crawl.Known {
		t.Errorf("%d pages, want %d", x.Pages(), demo.Crawl.Known)
	}
	stored := 0
	for p := range graph.Page(y.Pages()) {
		if !y.Fetched(p) {
			continue
		}
		stored++
		url := string(y.AppendURL(nil, p))
		q, ok := x.Lookup(url)
		if !ok || !x.Fetched(q) {
			t.Errorf("%s is in the WARC files alone", url)
			continue
		}
		if got, want := linkedURLs(y, p), linkedURLs(x, q); !sameSet(got, want) {
			t.Errorf("%s links to %v, in the journal to %v", url, got, want)
		}
	}
	if int64(stored) < demo.Crawl.Fetched*9/10 {
		t.Errorf("%d pages in the WARC files, %d came", stored, demo.Crawl.Fetched)
	}
}

func openTest(t *testing.T, path string) *graph.Graph {
	t.Helper()
	g, err := graph.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	return g
}

// linkedURLs are the URLs that a page links to.
func linkedURLs(g *graph.Graph, p graph.Page) map[string]bool {
	urls := map[string]bool{}
	for _, q := range g.Forward().Reader().List(p) {
		urls[string(g.AppendURL(nil, q))] = true
	}
	return urls
}

func sameSet(a, b map[string]bool) bool {
	for x := range a {
		if !b[x] {
			return false
		}
	}
	return len(a) == len(b)
}

// crawlSim is what testCrawlSim reads of a simObject.
type crawlSim struct {
	simObject
	Config struct {
		Seeds     string
		Delay     float64
		Fetchers  int
		KeepAlive float64 `json:"keep_alive"`
	} `json:"config"`
}

// A crawl directory is a world, and has times.
func testCrawlSim(t *testing.T, dir string, demo *demoObject) {
	out, _ := winnow(t, 0, "sim", dir, "--policy", "opic", "--json")
	s := object[crawlSim](t, out)
	if int64(s.Pages) != demo.Crawl.Fetched || s.Reachable != s.Pages || !strings.HasPrefix(s.Config.Seeds, "those of the crawl") {
		t.Errorf("%d pages of %d from %s, %d came", s.Pages, s.Reachable, s.Config.Seeds, demo.Crawl.Fetched)
	}
	out, _ = winnow(t, 0, "sim", dir, "--time", dir, "--policy", "opic", "--json")
	s = object[crawlSim](t, out)
	if s.Config.Delay != webdemo.Delay.Seconds() || s.Config.Fetchers != 16 || s.Config.KeepAlive != 60 || s.VirtualSeconds <= 0 || s.VirtualSeconds > 2*demo.Crawl.Seconds {
		t.Errorf("delay %g, %d fetchers, %g virtual seconds for a crawl of %g", s.Config.Delay, s.Config.Fetchers, s.VirtualSeconds, demo.Crawl.Seconds)
	}
	if testing.Short() {
		return // lab/papers runs the experiments
	}
	out, _ = winnow(t, 0, "lab", "run", "castillo04-table1", "--graph", dir, "--json")
	if !strings.Contains(out, "demo.crawl") {
		t.Error(out)
	}
}
