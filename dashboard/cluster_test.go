package dashboard

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// A fakeCluster is what the test says it is.
type fakeCluster struct {
	mu      sync.Mutex
	state   *ClusterState
	changed chan struct{}
	did     []string
}

func newFakeCluster(s *ClusterState) *fakeCluster {
	return &fakeCluster{state: s, changed: make(chan struct{})}
}

func (f *fakeCluster) Look() (*ClusterState, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.state, f.changed
}

func (f *fakeCluster) set(s *ClusterState) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.state = s
	close(f.changed)
	f.changed = make(chan struct{})
}

func (f *fakeCluster) Do(_ context.Context, crawl, verb string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.did = append(f.did, verb+" "+crawl)
	if verb == "stop" {
		return &hint.Error{Text: "not <b>today</b>", Hint: "tomorrow", Err: errors.New("why")}
	}
	return nil
}

// threeNodes is a cluster of nodes a, b and c, of which c has been silent for a minute, and crawls
// that run, have ended and have never begun.
func threeNodes(fetched int64) *ClusterState {
	now := time.Now()
	return &ClusterState{
		Place: "a.example:7420", Answered: now,
		Nodes: []ClusterNode{
			{Name: "a", Address: "a.example:7420", Broker: true, Partitions: 3, Rate: 12, Memory: 1 << 30, MemoryMax: 4 << 30, Heard: now},
			{Name: "b", Address: "b.example:7420", Broker: true, BrokerOff: true, Partitions: 2, Rate: 3, Memory: 1 << 30, MemoryMax: 2 << 30, Heard: now, Notes: []string{"cannot take part in x: <script>"}},
			{Name: "c", Partitions: 3, Rate: 77, Heard: now.Add(-time.Minute)},
		},
		Crawls: []ClusterCrawl{
			{
				Name: "big", Partitions: 8, State: history.StateRunning, Silent: 3,
				Nodes: []CrawlNode{
					{Name: "a", Coordinator: true, Partitions: []int{0, 1, 2}, Fetched: fetched - 40, Rate: 12, Memory: 1 << 30, MemoryMax: 4 << 30},
					{Name: "b", Partitions: []int{4, 6}, Fetched: 40, Rate: 3, Memory: 1 << 30, MemoryMax: 2 << 30},
				},
				Free: []FreePartition{{3, "node c <does> not answer"}, {5, "node c <does> not answer"}, {7, "no node can"}},
				Status: &history.Status{
					State: history.StateRunning, Fetched: fetched, Known: 2 * fetched, Waiting: fetched, Rate: 15, Links: 100, Gathered: 0.5, Fetchers: 1000,
					FailedBy: map[string]int64{"dns": 3}, RefusedBy: map[string]int64{"robots": 4}, Notes: []string{evil}, Waits: map[string]int{"unreachable": 1},
				},
			},
			{Name: "new"},
			{Name: "old", Partitions: 2, State: "finished: nothing is left to fetch", Ended: "finished", Status: &history.Status{State: history.StateFinished, Fetched: 1234, Known: 1234}},
		},
	}
}

// has fails unless a text has all parts.
func has(t *testing.T, where, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%s lacks %q", where, p)
		}
	}
}

// lacks fails if a text has one of the parts.
func lacks(t *testing.T, where, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if strings.Contains(text, p) {
			t.Errorf("%s has %q", where, p)
		}
	}
}

// The pages of a cluster say what is known of nodes, crawls and partitions, and what is not.
func TestClusterPages(t *testing.T) {
	f := newFakeCluster(nil)
	_, h := start(t, Options{Cluster: f})
	page := func(where string, code int) string {
		t.Helper()
		got, text := get(t, h.URL+where)
		if check(t, where, text); got != code || strings.Contains(text, "ZgotmplZ") || strings.Contains(text, "<script>window.hit") {
			t.Errorf("%s: %d, want %d: %s", where, got, code, text)
		}
		return text
	}
	has(t, "before anything is known", page("/", 200), "listens to the cluster")
	f.set(threeNodes(100))
	text := page("/", 200)
	has(t, "the list", text, "2 of 3 nodes heard of", "crawls: 2 under way, 1 ended", "3 partitions without a node",
		`id="n-a-broker" data-label="broker">yes<`, ">OFF: make room", `id="n-a-partitions">3<`, `id="n-a-rate">12<`, ">1 GiB of 4 GiB<", `value="25"`,
		`id="n-a-heard">now<`, `id="n-c-heard">1m00s ago<`, `id="n-c-rate">-<`, "cannot take part in x: &lt;script&gt;", `href="/cluster/big/"`,
		`id="c-big-fetched">100<`, `id="c-big-free">3<`, ">not known yet<", "finished: nothing is left")
	text = page("/cluster/big/", 200)
	has(t, "a crawl", text, "It is running. 100 of 200 pages fetched", "Pages of 3 of 8 partitions are not counted",
		`id="n-a-partitions">0-2<`, `id="n-b-partitions">4, 6<`, ">coordinator<", "node c &lt;does&gt; not answer", `id="f0-partitions">3, 5<`, "no node can",
		`<li id="p-0" class="hue0">0</li>`, `<li id="p-4" class="hue1">4</li>`, `<li id="p-3" class="">3</li>`, ">dns<", "robots.txt forbids it", "Held by")
	lacks(t, "a crawl that nobody may command", text, "<button", "of links lead", "log in")
	text = page("/cluster/old/", 200)
	has(t, "an ended crawl", text, "It is finished: nothing is left to fetch. 1,234 of 1,234")
	lacks(t, "an ended crawl", text, "pages a second", "requests under way", "memory", "not counted", "cells", "<canvas")
	has(t, "a crawl that was not read", page("/cluster/new/", 200), "not known yet how")
	page("/cluster/none/", 404)
	if code, _ := get(t, h.URL+"/cluster/big/chart.svg?of=pages"); code != 200 {
		t.Errorf("a picture: %d", code)
	}

	lost := threeNodes(100)
	lost.Trouble = "no node answers at a.example:7420; start the nodes"
	f.set(lost)
	has(t, "the list of a lost cluster", page("/cluster/", 200), "The cluster does not answer since ", "start the nodes. What is shown is as it was then", ">was running<")
	text = page("/cluster/big/", 200)
	has(t, "a crawl of a lost cluster", text, "It was running when the cluster last answered", "does not answer since")
	lacks(t, "a crawl of a lost cluster", text, "pages a second.", "Held by")

	silent := threeNodes(100)
	c := &silent.Crawls[0]
	c.State, c.Silent, c.Nodes, c.Status = "waiting: no node runs", 8, nil, &history.Status{State: history.StateRunning}
	f.set(silent)
	text = page("/cluster/big/", 200)
	has(t, "a crawl without nodes", text, "It is waiting: no node runs.", "Pages of 8 of 8 partitions")
	lacks(t, "a crawl without nodes", text, "0 of 0", `id="v-fetched"`)
}

// Without a cluster there are no pages of one; with crawls besides, they are listed, too.
func TestClusterBeside(t *testing.T) {
	_, h := start(t, Options{})
	if code, _ := get(t, h.URL+"/cluster/"); code != http.StatusNotFound {
		t.Errorf("no cluster: %d", code)
	}
	for _, where := range []string{"/cluster/events", "/cluster/big/events"} {
		if code, _ := get(t, h.URL+where); code != http.StatusNotFound {
			t.Errorf("%s: %d", where, code)
		}
	}
	_, h = start(t, Options{Cluster: newFakeCluster(threeNodes(1)), Results: []string{"../docs/ordering.json"}})
	_, text := get(t, h.URL+"/")
	has(t, "the start", text, `href="/cluster/"`, `href="/lab`)
}

// messages reads what is sent to a page.
func messages(t *testing.T, address string) func() message {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	r, _ := http.NewRequestWithContext(ctx, "GET", address, nil)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Body.Close() })
	lines := bufio.NewScanner(a.Body)
	lines.Buffer(nil, 1<<20)
	return func() (m message) {
		t.Helper()
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				if err := json.Unmarshal([]byte(text), &m); err != nil {
					t.Fatal(err)
				}
				return m
			}
		}
		t.Fatalf("%s: the messages end: %v", address, lines.Err())
		return m
	}
}

// live returns where the numbers of a page come from.
func live(t *testing.T, base, where string) string {
	t.Helper()
	_, text := get(t, base+where)
	_, rest, ok := strings.Cut(text, `data-live="`)
	at, _, _ := strings.Cut(rest, `"`)
	if !ok {
		t.Fatalf("%s: nothing moves", where)
	}
	return base + strings.ReplaceAll(at, "&amp;", "&")
}

// What moves is sent, and a page whose rows are others is loaded again.
func TestClusterEvents(t *testing.T) {
	f := newFakeCluster(threeNodes(100))
	s, h := start(t, Options{Cluster: f})
	f.set(threeNodes(150))
	for range 2000 { // until there is something to draw
		if s.cluster.mu.Lock(); len(s.cluster.courses) > 0 {
			k := s.cluster.courses["big"]
			whole := *threeNodes(100).Crawls[0].Status
			k.Take(0, &whole, true)
			k.Take(2*time.Second, threeNodes(150).Crawls[0].Status, true)
			s.cluster.mu.Unlock()
			break
		}
		s.cluster.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
	list, crawl := messages(t, live(t, h.URL, "/cluster/")), messages(t, live(t, h.URL, "/cluster/big/"))
	if m := list(); m.Text["c-big-fetched"] != "150" || m.Text[".n-c"] != "bad" || m.Text["=n-b-full"] != "50.0" || m.Reload {
		t.Errorf("the list: %+v", m)
	}
	m := crawl()
	if m.Text["v-fetched"] != "150" || m.Text[".p-3"] != "" || m.Text[".p-4"] != "hue1" || m.Text["n-b-partitions"] != "4, 6" || m.Text["failed-dns"] != "3" {
		t.Errorf("the crawl: %+v", m)
	}
	if m.Course == nil || len(m.Course.Curves) == 0 || len(m.Course.Rows) != 3 || *m.Course.Rows[2][0] != 150 || *m.Course.Rows[1][2] != 25 {
		t.Errorf("the curves: %+v", m.Course)
	}
	next := threeNodes(160)
	next.Crawls[0].Nodes[0].Partitions = []int{0, 1, 2, 4}
	next.Crawls[0].Nodes[1].Partitions = []int{6}
	f.set(next)
	if m := list(); m.Text["c-big-fetched"] != "160" || m.Text["c-big-free"] != "" || m.Reload {
		t.Errorf("the list: %+v", m)
	}
	if m := crawl(); m.Text["v-fetched"] != "160" || m.Text[".p-4"] != "hue0" || m.Text["n-b-count"] != "1" || m.Reload {
		t.Errorf("the crawl: %+v", m)
	}
	other := threeNodes(160)
	other.Nodes = other.Nodes[:2]
	other.Crawls[0].Free = other.Crawls[0].Free[:2]
	f.set(other)
	if !list().Reload || !crawl().Reload {
		t.Error("a page with other rows is not loaded again")
	}
	_, text := get(t, h.URL+"/cluster/big/")
	has(t, "curves without scripts", text, `src="/cluster/big/chart.svg?of=rate"`, "The curves as a table")
	if _, text := get(t, h.URL+"/cluster/big/chart.svg?of=pages"); !strings.Contains(text, "seconds since") {
		t.Errorf("the picture: %s", text)
	}
}

// A crawl of a cluster is commanded by a POST that brings the token and comes from the dashboard
// itself; without a token there are no commands at all.
func TestClusterCommands(t *testing.T) {
	f := newFakeCluster(threeNodes(100))
	_, h := start(t, Options{Cluster: f})
	if a, err := http.Post(h.URL+"/cluster/big/pause", "", nil); err != nil || a.StatusCode != http.StatusNotFound {
		t.Errorf("a command where there is no token: %v %v", a, err)
	}
	_, h = start(t, Options{Cluster: f, Token: []byte(secret), Open: true})
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	post := func(path, origin string, form url.Values) int {
		t.Helper()
		r, _ := http.NewRequest("POST", h.URL+path, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Accept", "text/html")
		r.Header.Set("Origin", origin)
		a, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		return a.StatusCode
	}
	see := func() string {
		t.Helper()
		a, err := client.Get(h.URL + "/cluster/big/")
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		b, _ := io.ReadAll(a.Body)
		check(t, "the crawl", string(b))
		return string(b)
	}
	text := see()
	has(t, "before the login", text, "log in")
	lacks(t, "before the login", text, "<button id=")
	for path, want := range map[string]int{"/cluster/big/pause": http.StatusUnauthorized, "/cluster/big/pause?token=" + secret: http.StatusUnauthorized} {
		if code := post(path, h.URL, nil); code != want {
			t.Errorf("%s without the token: %d", path, code)
		}
	}
	if code := post("/login", h.URL, url.Values{"token": {secret}}); code != http.StatusSeeOther {
		t.Fatalf("a login: %d", code)
	}
	has(t, "after the login", see(), `formaction="/cluster/big/pause"`, `formaction="/cluster/big/stop"`)
	if code := post("/cluster/big/pause", "https://evil.example", nil); code != http.StatusForbidden {
		t.Errorf("a command from another site: %d", code)
	}
	for _, path := range []string{"/cluster/big/explode", "/cluster/none/pause"} {
		if code := post(path, h.URL, nil); code != http.StatusNotFound {
			t.Errorf("%s: %d", path, code)
		}
	}
	if len(f.did) > 0 {
		t.Errorf("done: %q", f.did)
	}
	if code := post("/cluster/big/pause", h.URL, nil); code != http.StatusSeeOther {
		t.Errorf("a command: %d", code)
	}
	has(t, "after a command", see(), "<code>pause</code> was told to all nodes")
	post("/cluster/big/stop", h.URL, nil)
	has(t, "after a refusal", see(), "<code>stop</code> was refused: not &lt;b&gt;today&lt;/b&gt;", "(tomorrow)")
	if got := strings.Join(f.did, ","); got != "pause big,stop big" {
		t.Errorf("done: %s", got)
	}
	paused := threeNodes(100)
	paused.Crawls[0].Paused = true
	f.set(paused)
	text = see()
	has(t, "a paused crawl", text, `formaction="/cluster/big/resume"`, `formaction="/cluster/big/stop"`)
	lacks(t, "a paused crawl", text, `formaction="/cluster/big/pause"`)
	lost := threeNodes(100)
	lost.Trouble = "no node answers"
	f.set(lost)
	lacks(t, "a lost cluster", see(), "<button id=")
	if text := see(); strings.Contains(text, secret) {
		t.Error("the page has the token")
	}
}

func TestRanges(t *testing.T) {
	for want, list := range map[string][]int{"": nil, "4": {4}, "0, 1": {0, 1}, "0-2": {0, 1, 2}, "0-3, 7, 9, 10": {0, 1, 2, 3, 7, 9, 10}} {
		if got := ranges(list); got != want {
			t.Errorf("%v: %q, want %q", list, got, want)
		}
	}
}
