package dashboard

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
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
	"github.com/winnow-crawler/winnow/crawl/follow"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/partition"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"golang.org/x/net/html"
)

// crawlHostile crawls a hostile web, in virtual time, into a directory.
func crawlHostile(t *testing.T, dir string, pages int64) {
	t.Helper()
	crawlParts(t, dir, pages, 1)
}

// crawlParts does so with a number of partitions.
func crawlParts(t *testing.T, dir string, pages int64, partitions int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		web, err := fakeweb.New(fakeweb.Spec{Pages: 400, Sites: 15, Links: 4000, Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		server, err := serve.New(web, answer.Hostile())
		if err != nil {
			t.Fatal(err)
		}
		server.SetAddresses(8)
		defer server.Close()
		c := config.Default()
		c.Scope, c.Contact, c.AllowPrivate, c.MaxMemory, c.Pages = config.ScopeAny, "test@example.org", true, 1<<30, pages
		c.Recrawl.Duration, c.Partitions = time.Hour, partitions
		resolve := func(ctx context.Context, host string) (fetch.Names, error) {
			a, ttl, err := server.Resolve(ctx, host)
			return fetch.Names{Addrs: []netip.Addr{a}, TTL: max(ttl, 24*time.Hour)}, err
		}
		_, err = partition.Run(t.Context(), crawl.RunOptions{
			Dir: dir, Config: c, Seeds: []string{server.URL(0)}, Version: "test",
			Machine: crawl.Machine{Dial: server.Dial, Resolve: resolve, TLS: server.ClientTLS()},
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

// evil is what a page puts into its title and its links.
const evil = `"><script>window.hit=1</script><img src=x onerror=window.hit=1>' onmouseover='window.hit=1`

// evilSite serves a site whose titles, URLs and redirects try to inject something.
func evilSite(t *testing.T, pages int) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<title>%s</title><p>%s of %s</p>", html.EscapeString(evil), r.URL.Path, strings.Repeat("words ", 30))
		for i := range pages {
			fmt.Fprintf(w, `<a href="/p%d'%%22%%3E%%3Cscript%%3Ewindow.hit=1%%3C/script%%3E?q='onmouseover='window.hit=1&amp;x=javascript:hit()">x</a>`, i)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// crawlEvil crawls an evil site in real time.
func crawlEvil(ctx context.Context, site, dir string, delay time.Duration) error {
	c := config.Default()
	c.AllowPrivate, c.Contact, c.Delay.Duration, c.IPDelay.Duration, c.MaxMemory = true, "test@example.org", delay, 0, 1<<30
	_, err := crawl.Run(ctx, crawl.RunOptions{Dir: dir, Config: c, Seeds: []string{site + "/"}, Version: "test"})
	return err
}

// start serves the dashboard of some directories, and waits until they are read.
func start(t *testing.T, o Options) (*Server, *httptest.Server) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s, err := New(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	s.patience = time.Minute
	h := httptest.NewServer(s.Handler())
	t.Cleanup(func() {
		cancel()
		h.Close()
		s.Wait()
	})
	for _, c := range s.crawls {
		for g, changed := c.Glance(); g.Phase != follow.Following || g.Survey == nil; g, changed = c.Glance() {
			select {
			case <-changed:
			case <-time.After(20 * time.Second):
				t.Fatalf("%+v", g)
			}
		}
	}
	return s, h
}

// get returns the answer to a request.
func get(t *testing.T, address string) (int, string) {
	t.Helper()
	r, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	if !strict(r.Header.Get("Content-Security-Policy")) || r.Header.Get("X-Content-Type-Options") != "nosniff" || r.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("%s: headers %v", address, r.Header)
	}
	return r.StatusCode, string(b)
}

// strict reports whether a policy allows nothing but what comes from the dashboard itself; a picture
// has a style sheet in it.
func strict(policy string) bool {
	rest, ok := strings.CutPrefix(policy, "default-src 'none'; ")
	return ok && (rest == "style-src 'unsafe-inline'" || !strings.Contains(rest, "unsafe") && !strings.ContainsAny(rest, "*") && !strings.Contains(rest, "http"))
}

// outer returns an element as text.
func outer(n *html.Node) string {
	var b strings.Builder
	html.Render(&b, n) // writing to a Builder does not fail
	return b.String()
}

// check fails for what no page may have, and returns the links of the page within the dashboard.
func check(t *testing.T, where, text string) (links []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	ids, headings := map[string]bool{}, 0
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		attr := map[string]string{}
		for _, a := range n.Attr {
			attr[a.Key] = a.Val
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" {
				t.Errorf("%s: <%s %s=%q>", where, n.Data, a.Key, a.Val)
			}
			if address := a.Val; a.Key == "href" || a.Key == "src" || a.Key == "action" || a.Key == "data-live" {
				u, err := url.Parse(address)
				switch {
				case err != nil:
					t.Errorf("%s: <%s %s=%q>: %v", where, n.Data, a.Key, address, err)
				case u.Scheme == "data" && n.Data == "link", u.Scheme == "" && u.Host == "":
				case n.Data == "a" && (u.Scheme == "http" || u.Scheme == "https") && strings.Contains(text, `rel="noreferrer nofollow"`):
					continue
				default:
					t.Errorf("%s: leads outside: <%s %s=%q>", where, n.Data, a.Key, address)
				}
				if n.Data == "a" && a.Key == "href" && !strings.HasPrefix(address, "#") {
					links = append(links, address)
				}
			}
		}
		if id := attr["id"]; id != "" {
			if ids[id] {
				t.Errorf("%s: two elements have the id %q", where, id)
			}
			ids[id] = true
		}
		switch n.Data {
		case "script":
			if attr["src"] == "" || n.FirstChild != nil {
				t.Errorf("%s: a script that is not a file", where)
			}
		case "style", "iframe", "object", "embed":
			t.Errorf("%s: <%s>", where, n.Data)
		case "h1":
			headings++
		case "img":
			if attr["alt"] == "" {
				t.Errorf("%s: a picture without a text", where)
			}
			if attr["onerror"] != "" || attr["src"] == "x" {
				t.Errorf("%s: an injected picture", where)
			}
		case "table":
			if !strings.Contains(outer(n), "<caption>") {
				t.Errorf("%s: a table without a caption", where)
			}
		}
	}
	if headings != 1 {
		t.Errorf("%s: %d main headings", where, headings)
	}
	return links
}

// Every page of a crawl of a hostile web, and every page that they link to, some of each kind, is
// answered, is well-formed, and leads nowhere else.
func TestPages(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "hostile.crawl")
	crawlHostile(t, dir, 250)
	site := evilSite(t, 6)
	other := filepath.Join(t.TempDir(), "evil.crawl")
	if err := crawlEvil(t.Context(), site.URL, other, 0); err != nil {
		t.Fatal(err)
	}
	_, h := start(t, Options{Dirs: []string{dir, other}, Results: []string{"../docs/ordering.json"}})
	seen, kinds, slow := map[string]bool{}, map[string]int{}, time.Duration(0)
	for queue := []string{"/"}; len(queue) > 0; queue = queue[1:] {
		where := queue[0]
		kind, _, _ := strings.Cut(where, "?")
		if kinds[kind]++; kinds[kind] > 12 || strings.HasPrefix(where, "/static") {
			continue
		}
		begin := time.Now()
		code, text := get(t, h.URL+where)
		slow = max(slow, time.Since(begin))
		if code != 200 {
			t.Errorf("%s: status %d: %s", where, code, text)
		}
		if strings.Contains(text, "<script>window.hit") || strings.Contains(text, "ZgotmplZ") {
			t.Errorf("%s: something was injected, or a value does not fit its place", where)
		}
		at, _ := url.Parse(where)
		for _, l := range check(t, where, text) {
			to, err := at.Parse(l)
			if err != nil || to.Host != "" {
				continue
			}
			if next := to.RequestURI(); !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
	}
	t.Logf("%v; the slowest took %v", kinds, slow)
	for _, v := range views {
		where := "/crawl/hostile.crawl/" + strings.TrimSuffix(v.path, "{$}")
		if kinds[where] == 0 {
			t.Errorf("no page links to %s", where)
		}
	}
	if kinds["/lab/ordering.json"] == 0 {
		t.Error("no page links to the result of the laboratory")
	}
}

// TestPartitions: several partitions are shown as one crawl, with the numbers of its status, and pages,
// sites and stored copies of all of them.
func TestPartitions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "parts.crawl")
	crawlParts(t, dir, 60, 3)
	want, err := history.ReadStatus(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	s, h := start(t, Options{Dirs: []string{dir}})
	for _, v := range views {
		where := h.URL + "/crawl/parts.crawl/" + strings.TrimSuffix(v.path, "{$}")
		if v.path == "page" || v.path == "site" {
			continue // they are asked for one of these
		}
		if code, text := get(t, where); code != 200 {
			t.Errorf("%s: status %d: %s", where, code, text)
		}
	}
	g, _ := s.crawls[0].Glance()
	if g.Status.Fetched != want.Fetched || g.Status.Known != want.Known || g.Status.Sites != want.Sites || g.Status.Waiting != want.Waiting {
		t.Errorf("%+v, want %+v", g.Status, want)
	}
	all, err := history.OpenAll(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	for i, c := range all.Crawls {
		err := c.Pages(&history.PageFilter{State: history.PageFetched, Limit: 1}, func(x *history.PageInfo) error {
			if code, text := get(t, h.URL+"/crawl/parts.crawl/page?url="+url.QueryEscape(x.URL)); code != 200 || !strings.Contains(text, "fetched") {
				t.Errorf("%s of partition %d: status %d: %s", x.URL, i, code, text)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Questions that make no sense are answered with an error page, and unknown URLs with a sentence.
func TestWrong(t *testing.T) {
	site := evilSite(t, 3)
	dir := filepath.Join(t.TempDir(), "a b.crawl")
	if err := crawlEvil(t.Context(), site.URL, dir, 0); err != nil {
		t.Fatal(err)
	}
	_, h := start(t, Options{Dirs: []string{dir}})
	base := h.URL + "/crawl/a-b.crawl/"
	for path, want := range map[string]struct {
		code int
		text string
	}{
		"page?url=" + url.QueryEscape(site.URL+"/nothing"): {200, "The crawl does not know it"},
		"page?url=" + url.QueryEscape("http://[<script>"):  {404, "That did not work"},
		"page":                                     {404, "Which page?"},
		"site?name=%3Cscript%3E":                   {404, "The crawl knows no site &lt;script&gt;"},
		"log?site=x":                               {404, "knows no site"},
		"log?until=soon":                           {404, "is no time"},
		"log?until=2000-01-01":                     {200, "none"},
		"pages?status=999&q=zzz&state=x":           {200, "no page"},
		"pages?from=99999999999999999":             {200, "URL"},
		"sites?from=-5&sort=x&only=y":              {200, site.URL},
		"sites?name=nothing-is-like-that":          {200, "no site is like that"},
		"nothing":                                  {404, "There is no such page"},
		"../none/":                                 {404, "There is no such crawl"},
		"../../lab/none":                           {404, "There is no such result"},
		"pages?q=" + url.QueryEscape(site.URL+"/"): {200, "This is a URL that the crawl knows"},
	} {
		if code, text := get(t, base+path); code != want.code || !strings.Contains(text, want.text) {
			t.Errorf("%s: %d, want %d with %q:\n%s", path, code, want.code, want.text, text)
		}
	}
}

// Only known hosts are answered, nothing is changed, and where there is a token it is needed. It is
// never in an address.
func TestAccess(t *testing.T) {
	site := evilSite(t, 2)
	dir := filepath.Join(t.TempDir(), "x.crawl")
	if err := crawlEvil(t.Context(), site.URL, dir, 0); err != nil {
		t.Fatal(err)
	}
	token := "0123456789abcdef"
	_, h := start(t, Options{Dirs: []string{dir}, Token: []byte(token), Hosts: []string{"crawler.example.org"}})
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	do := func(method, path, body string, head ...string) *http.Response {
		t.Helper()
		r, _ := http.NewRequest(method, h.URL+path, strings.NewReader(body))
		for i := 0; i < len(head); i += 2 {
			if r.Header.Set(head[i], head[i+1]); head[i] == "Host" {
				r.Host = head[i+1]
			}
		}
		a, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		return a
	}
	bearer, form := "Bearer "+token, "application/x-www-form-urlencoded"
	page := "/crawl/x.crawl/"
	for _, c := range []struct {
		method, path, body string
		head               []string
		want               int
	}{
		{"GET", page, "", []string{"Authorization", bearer}, 200},
		{"HEAD", page, "", []string{"Authorization", bearer}, 200},
		{"POST", page, "", []string{"Authorization", bearer}, 404},
		{"DELETE", page, "", []string{"Authorization", bearer}, 404},
		{"POST", page + "control/pause", "", []string{"Authorization", bearer}, 404},
		{"GET", page, "", nil, 401},
		{"GET", page + "events?page=overview", "", nil, 401},
		{"GET", page + "chart.svg?of=pages", "", nil, 401},
		{"GET", page, "", []string{"Authorization", bearer + "x"}, 401},
		{"GET", page, "", []string{"Cookie", "winnow=" + token}, 401},
		{"GET", page + "?token=" + token, "", nil, 401},
		{"GET", page, "", []string{"Accept", "text/html"}, 303},
		{"GET", "/static/style.css", "", nil, 200},
		{"GET", "/static/..%2fserver.go", "", nil, 404},
		{"GET", "/static/nothing", "", nil, 404},
		{"GET", page, "", []string{"Authorization", bearer, "Host", "evil.example"}, 421},
		{"GET", page, "", []string{"Authorization", bearer, "Host", "localhost.evil.example:80"}, 421},
		{"GET", page, "", []string{"Authorization", bearer, "Host", "crawler.example.org:8800"}, 200},
		{"GET", page, "", []string{"Authorization", bearer, "Host", "localhost:1"}, 200},
		{"GET", page, "", []string{"Authorization", bearer, "Host", "[::1]:1"}, 200},
		{"POST", "/login", "token=wrong", []string{"Content-Type", form}, 403},
		{"POST", "/login", "token=" + token, []string{"Content-Type", form, "Origin", "http://evil.example"}, 403},
		{"POST", "/login", "token=" + token, []string{"Content-Type", form, "Sec-Fetch-Site", "cross-site"}, 403},
	} {
		if got := do(c.method, c.path, c.body, c.head...); got.StatusCode != c.want {
			t.Errorf("%s %s %v: %d, want %d", c.method, c.path, c.head, got.StatusCode, c.want)
		}
	}
	for next, want := range map[string]string{page + "sites?x=1": page + "sites?x=1", "//evil.example/": "/", "https://evil.example/": "/", `/\evil.example`: "/", "": "/"} {
		a := do("POST", "/login", url.Values{"token": {token}, "next": {next}}.Encode(), "Content-Type", form)
		if to := a.Header.Get("Location"); a.StatusCode != 303 || to != want {
			t.Errorf("next %q: %d, %q", next, a.StatusCode, to)
		}
		c := a.Cookies()[0]
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || strings.Contains(c.Value, token) {
			t.Errorf("cookie %+v", c)
		}
		if a := do("GET", page, "", "Cookie", c.Name+"="+c.Value); a.StatusCode != 200 {
			t.Errorf("with the cookie: %d", a.StatusCode)
		}
	}
	for addr, want := range map[string]error{"0.0.0.0:0": ErrToken, ":0": ErrToken, "example.org:0": ErrToken, "127.0.0.1:0": nil, "[::1]:0": nil, "localhost:0": nil} {
		l, err := Listen(addr, nil)
		if err == nil {
			l.Close()
		}
		if !errors.Is(err, want) && want != nil || want == nil && errors.Is(err, ErrToken) {
			t.Errorf("%s: %v", addr, err)
		}
	}
}

// A page that moves gets everything first, and then what changed.
func TestEvents(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x.crawl")
	crawlHostile(t, dir, 100)
	_, h := start(t, Options{Dirs: []string{dir}})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	r, _ := http.NewRequestWithContext(ctx, "GET", h.URL+"/crawl/x.crawl/events?page=overview&ready=1", nil)
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	for lines := bufio.NewReader(a.Body); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var m message
		if err := json.Unmarshal([]byte(data), &m); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(m.Text["state"], "It is paused: reached --pages 100. "+m.Text["v-fetched"]+" of ") || m.Text["r7-url"] == "" || m.Course == nil || len(m.Course.Rows) < 10 || len(m.Course.Curves) != len(m.Course.Rows[0]) {
			t.Errorf("%+v", m)
		}
		return
	}
}

// Results of the laboratory are read, and other files refused with a hint.
func TestResults(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	summary := write("summary.json", `{"title":"<b>x</b>","verdict":"it <i>holds</i>","sections":[{"title":"curves"},{"title":"t","columns":[{"key":"a","name":"a"}],"table":[{"a":1.5},{"a":"<script>"},{"a":null}],"bars":[{"label":"l","value":2}]}]}`)
	write("curves.csv", "section,series,x,y,low,high\ncurves,one,1,2,,\ncurves,one,2,3,,\ncurves,two,1,5,,\n")
	x, err := ReadResult(summary)
	if err != nil {
		t.Fatal(err)
	}
	part := x.Reports[0].Sections
	if len(part[0].Curves) != 2 || !slices.Equal(part[0].Curves[0].Y, []float64{2, 3}) || part[1].Rows()[0][0] != "1.5" || part[1].Rows()[2][0] != "-" {
		t.Errorf("%+v", part)
	}
	for _, text := range []string{"", "{}", "[1]", "no json"} {
		if _, err := ReadResult(write("bad.json", text)); err == nil {
			t.Errorf("%q is a result", text)
		}
	}
	_, h := start(t, Options{Results: []string{summary, "../docs/ordering.json"}})
	for _, path := range []string{"/", "/lab", "/lab/summary.json", "/lab/ordering.json"} {
		code, text := get(t, h.URL+path)
		if check(t, path, text); code != 200 {
			t.Errorf("%s: %d", path, code)
		}
		if strings.HasPrefix(path, "/lab") != strings.Contains(text, `src="/lab/summary.json?curve=0"`) && path != "/lab/ordering.json" {
			t.Errorf("%s: the curves are missing, or in the wrong place", path)
		}
	}
	if code, text := get(t, h.URL+"/lab/summary.json?curve=0"); code != 200 || !strings.HasPrefix(text, "<svg") {
		t.Errorf("%d %s", code, text)
	}
	if code, _ := get(t, h.URL+"/lab/summary.json?curve=9"); code != 404 {
		t.Errorf("a curve that is not there: %d", code)
	}
}

// Stored copies are linked, and shown at an origin of their own, without scripts.
func TestCopies(t *testing.T) {
	site := evilSite(t, 2)
	dir := filepath.Join(t.TempDir(), "x.crawl")
	if err := crawlEvil(t.Context(), site.URL, dir, 0); err != nil {
		t.Fatal(err)
	}
	s, h := start(t, Options{Dirs: []string{dir}, CopyPort: 1})
	_, text := get(t, h.URL+"/crawl/x.crawl/page?url="+url.QueryEscape(site.URL+"/"))
	if n := strings.Count(text, `href="http://127.0.0.1:1/x.crawl/copy?at=`); n != 2 {
		t.Errorf("%d links to copies:\n%s", n, text)
	}
	for query, want := range map[string]struct {
		code int
		body string
	}{
		url.Values{"url": {site.URL + "/"}}.Encode():                                              {200, "<title>"},
		url.Values{"url": {site.URL + "/"}, "at": {"2020-01-01T00:00:00Z"}}.Encode():              {404, ""},
		url.Values{"url": {site.URL + "/nowhere"}}.Encode():                                       {404, ""},
		url.Values{"url": {site.URL + "/"}, "at": {time.Now().Format(time.RFC3339Nano)}}.Encode(): {200, "words words"},
	} {
		w := httptest.NewRecorder()
		s.CopyHandler().ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1:1/x.crawl/copy?"+query, nil))
		if w.Code != want.code || !strings.Contains(w.Body.String(), want.body) {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
		if p := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(p, "sandbox; default-src 'none';") || strings.Contains(p, "script") {
			t.Errorf("%s: %s", query, p)
		}
	}
	w := httptest.NewRecorder()
	s.CopyHandler().ServeHTTP(w, httptest.NewRequest("GET", "http://evil.example/x.crawl/copy?url=u", nil))
	if w.Code != http.StatusMisdirectedRequest {
		t.Errorf("by another name: %d", w.Code)
	}
	for _, change := range []string{"key=", "url="} { // a signature opens one copy
		from := text[strings.Index(text, "http://127.0.0.1:1/"):]
		link := html.UnescapeString(from[:strings.IndexByte(from, '"')])
		for _, want := range []int{http.StatusOK, http.StatusUnauthorized} {
			if want != http.StatusOK {
				link = strings.Replace(link, change, change+"0", 1)
			}
			s.o.Token, s.o.Open = []byte("a token of which nobody knows"), false
			w := httptest.NewRecorder()
			s.CopyHandler().ServeHTTP(w, httptest.NewRequest("GET", link, nil))
			if w.Code != want {
				t.Errorf("%s: %d, want %d", link, w.Code, want)
			}
		}
	}
	x := &s.crawls[0].shelf
	x.ready, s.patience, s.o.Token = make(chan struct{}), 0, nil // as if the archive were long
	w = httptest.NewRecorder()
	s.CopyHandler().ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1:1/x.crawl/copy?url="+url.QueryEscape(site.URL+"/"), nil))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Refresh") == "" {
		t.Errorf("while the archive is being opened: %d %v", w.Code, w.Header())
	}
	for media, want := range map[string]bool{"text/html": true, "image/png": true, "application/pdf": false, "": false} {
		if _, shown := copyType(media); shown != want {
			t.Errorf("%q is shown: %v", media, shown)
		}
	}
}

// dot is a picture of one pixel.
const dot = "GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"

// crawlShown crawls a page with its requisites: a style that imports another, pictures, one of which
// has moved, a frame, and things that must not be requested when the page is shown.
func crawlShown(t *testing.T, dir string) (site string) {
	t.Helper()
	answers := map[string][2]string{
		"/":         {"text/html", `<!doctype html><title>shown</title><link rel=stylesheet href=/s.css><link rel=preconnect href=http://127.0.0.1:9><script>document.title = "run"</script><script src=/x.js></script><p>words of a page <a href=/two>two</a><img id=a src=a.gif><img id=b src=/moved><img id=c src=http://127.0.0.1:9/elsewhere.gif><img id=d srcset="/set.gif 1x"><iframe src=/frame></iframe>`},
		"/two":      {"text/html", "<title>two</title><p>the second page"},
		"/s.css":    {"text/css", `@import "more.css"; p { color: rgb(1, 2, 3) }`},
		"/more.css": {"text/css", `body { background: url(back.gif) } h1 { background: url(http://127.0.0.1:9/elsewhere2.gif) }`},
		"/frame":    {"text/html", "<title>frame</title><p>in a frame"},
		"/x.js":     {"text/javascript", `document.title = "run"`},
		"/a.gif":    {"image/gif", dot}, "/back.gif": {"image/gif", dot}, "/set.gif": {"image/gif", dot}, "/to.gif": {"image/gif", dot},
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a, ok := answers[r.URL.Path]
		switch {
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "/to.gif", http.StatusFound)
		case !ok:
			http.NotFound(w, r)
		default:
			w.Header().Set("Content-Type", a[0])
			io.WriteString(w, a[1])
		}
	}))
	defer s.Close()
	c := config.Default()
	c.AllowPrivate, c.Contact, c.Delay.Duration, c.IPDelay.Duration, c.MaxMemory, c.Requisites = true, "test@example.org", 0, 0, 1<<30, true
	c.Exclude = []string{"elsewhere"}
	if _, err := crawl.Run(t.Context(), crawl.RunOptions{Dir: dir, Config: c, Seeds: []string{s.URL + "/"}, Version: "test"}); err != nil {
		t.Fatal(err)
	}
	return s.URL
}

// A stored page is shown with what it needs, from the archive, and names nothing else.
func TestCopiesShown(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x.crawl")
	site := crawlShown(t, dir)
	s, h := start(t, Options{Dirs: []string{dir}, CopyPort: 1, Token: []byte("a token of which nobody knows")})
	copies := s.CopyHandler()
	s.o.Open = true
	for path, want := range map[string]string{
		"page?url=" + url.QueryEscape(site+"/more.css"):            "need to be shown",
		"page?url=" + url.QueryEscape(site+"/to.gif"):              "the stored copy",
		"page?url=" + url.QueryEscape("127.0.0.1:9/elsewhere.gif"): "skipped excluded",
		"log": "<td>requisite</td>",
	} {
		if code, text := get(t, h.URL+"/crawl/x.crawl/"+path); code != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s", path, code, text)
		}
	}
	s.o.Open = false
	open := func(query string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		copies.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1:1/x.crawl/copy"+query, nil))
		return w
	}
	first := open(s.copyQuery("x.crawl", site+"/", time.Now(), false))
	text := first.Body.String()
	if strings.Contains(text, "http://") || strings.Contains(text, "preconnect") || !strings.Contains(text, "words of a page") {
		t.Errorf("%d %s", first.Code, text)
	}
	if p := first.Header().Get("Content-Security-Policy"); !strings.Contains(p, "img-src data: http://127.0.0.1:1/x.crawl/copy;") {
		t.Errorf("policy %s", p)
	}
	for path, want := range map[string]string{
		"/s.css": "200 text/css; charset=utf-8 cross-origin", "/more.css": "200 text/css; charset=utf-8 cross-origin", "/a.gif": "200 image/gif cross-origin", "/moved": "303 text/html; charset=utf-8 cross-origin", "/to.gif": "200 image/gif cross-origin",
		"/two": "200 text/html; charset=utf-8 cross-origin", "/frame": "200 text/html; charset=utf-8 cross-origin", "/x.js": "200 application/octet-stream cross-origin", "/none": "404 text/plain; charset=utf-8 cross-origin",
	} {
		// The time is before any of them.
		w := open(s.copyQuery("x.crawl", site+path, time.Unix(0, 0), true))
		if got := fmt.Sprint(w.Code, " ", w.Header().Get("Content-Type"), " ", w.Header().Get("Cross-Origin-Resource-Policy")); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
		if path == "/s.css" && !strings.Contains(w.Body.String(), `@import "?at=`) {
			t.Errorf("style %s", w.Body)
		}
	}
}
