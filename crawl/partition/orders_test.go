package partition

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/control"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/graph"
)

// requests returns the number of requests so far.
func (w *testWeb) requests() (n int) {
	for s := range w.server.Counter().Sites() {
		n += len(w.server.Counter().Requests(graph.Site(s)))
	}
	return n
}

// Commands reach all partitions: the crawl is paused, changed and continued, and the server sees no
// request in the pause. A seed that is added belongs to another partition than that which adds it.
func TestControl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &faultWeb{testWeb: newTestWeb(t, fakeweb.Spec{Pages: 100, Sites: 12, Links: 800, Seed: 7}, answer.Options{})}
		c := &w.o.Config
		c.Partitions, c.Policy, c.MaxMemory, c.Scope = 4, "opic", 1<<30, config.ScopeSeeds
		w.o.Control = control.New()
		do := func(text string, ok bool) {
			t.Helper()
			x, err := control.Parse(text)
			if err == nil {
				err = w.o.Control.Do(t.Context(), x)
			}
			if (err == nil) != ok {
				t.Errorf("%s: %v", text, err)
			}
		}
		var sum *crawl.Summary
		end := make(chan error)
		go func() {
			var err error
			sum, err = Run(t.Context(), w.o)
			end <- err
		}()
		time.Sleep(5 * time.Second)
		do("resume", false)
		do("pause", true)
		n := w.requests()
		time.Sleep(time.Minute)
		do("set pages 60", true) // more than the first site has
		do("set fetchers 3", false)
		for i := range 12 {
			do("seed "+w.server.URL(graph.Page(i*8)), true)
		}
		time.Sleep(time.Minute)
		if w.requests() != n || n == 0 {
			t.Errorf("%d requests before the pause, %d after it", n, w.requests())
		}
		do("resume", true)
		if err := <-end; err != nil {
			t.Fatal(err)
		}
		if sum.Why != whyPages || sum.Fetched-sum.Redirects != 60 {
			t.Errorf("%d pages, because of %s", sum.Fetched-sum.Redirects, sum.Why)
		}
		do("pause", false) // it has ended
		for _, v := range w.server.Counter().Check(count.Demands{Delay: c.Delay.Duration, PerConnection: c.PerConnection, AddressDelay: c.IPDelay.Duration, AddressCap: c.IPCap}) {
			t.Error(v)
		}
		w.verify(t, 4)
	})
}

// Seeds that are sitemaps are read, each by its partition.
func TestSitemapOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts, seeds := map[string]http.HandlerFunc{}, []string(nil)
		for i := range 3 {
			host := hostIn(t, i, 3)
			hosts[host] = func(rw http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/list.xml" {
					fmt.Fprintf(rw, "<urlset><url><loc>http://%s/1</loc></url><url><loc>http://%s/2</loc></url></urlset>", host, host)
					return
				}
				writePage(rw, host+r.URL.Path, "/no")
			}
			seeds = append(seeds, "http://"+host+"/list.xml")
		}
		w := newHandWeb(t, hosts, seeds...)
		c := &w.o.Config
		c.Partitions, c.Scope, c.SitemapOnly = 3, config.ScopeSeeds, true
		if sum := w.run(t); sum.Fetched != 6 {
			t.Errorf("%d pages came: %v", sum.Fetched, w.asked)
		}
		for url, n := range w.asked {
			if strings.HasSuffix(url, "/no") || n > 1 {
				t.Errorf("%s was asked for %d times", url, n)
			}
		}
		w.verify(t, 3)
	})
}

// A notice reaches the partition of its page, which becomes known there.
func TestNotices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts, seeds := map[string]http.HandlerFunc{}, []string(nil)
		for i := range 3 {
			host := hostIn(t, i, 3)
			hosts[host] = func(rw http.ResponseWriter, r *http.Request) {
				writePage(rw, host+r.URL.Path)
			}
			seeds = append(seeds, "http://"+host+"/")
		}
		w := newHandWeb(t, hosts, seeds...)
		notices := make(pipeListener)
		w.o.Machine.Listen = func(string, string) (net.Listener, error) { return notices, nil }
		c := &w.o.Config
		c.Partitions, c.Recrawl, c.Revisit, c.Notices = 3, config.Seconds(30*86400), "default", "127.0.0.1:0"
		ctx, cancel := context.WithCancel(t.Context())
		end := make(chan error)
		go func() {
			_, err := Run(ctx, w.o)
			end <- err
		}()
		time.Sleep(time.Hour)
		client := &http.Client{Transport: &http.Transport{DialContext: notices.dial, DisableKeepAlives: true}}
		for _, url := range seeds[:2] {
			r, err := client.Get("http://notices/indexnow?key=0123456789&url=" + url + "new")
			if err != nil {
				t.Fatal(err)
			}
			r.Body.Close()
		}
		time.Sleep(time.Hour)
		cancel()
		if err := <-end; err != nil {
			t.Fatal(err)
		}
		for i, url := range seeds {
			if n, want := w.asked[url+"new"], []int{1, 1, 0}[i]; n != want {
				t.Errorf("%snew was fetched %d times, want %d", url, n, want)
			}
		}
		w.verify(t, 3)
	})
}

// Examples in files are read by all partitions, and pages since the last hot one are those of all.
func TestExamples(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hosts, links := map[string]http.HandlerFunc{}, []string(nil)
		for i := range 3 {
			host := hostIn(t, i, 3)
			hosts[host] = func(rw http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/" && i == 0 {
					writePage(rw, "home", links...)
					return
				}
				rw.Header().Set("Content-Type", "text/html")
				text := "tax form office desk chair"
				if r.URL.Path < "/p2" {
					text = "winter river ice snow frost"
				}
				fmt.Fprintf(rw, "<title>%s</title><p>%s %s%s", text, text, host, r.URL.Path)
			}
			for k := range 40 {
				links = append(links, fmt.Sprintf("http://%s/p%02d", host, k))
			}
		}
		w := newHandWeb(t, hosts, "http://"+hostIn(t, 0, 3)+"/")
		c := &w.o.Config
		file := filepath.Join(t.TempDir(), "example.txt")
		if err := os.WriteFile(file, []byte("The winter river was covered with ice and snow; frost on the winter river."), 0o600); err != nil {
			t.Fatal(err)
		}
		c.Partitions, c.Examples, c.Hot, c.StopWhen, c.Policy, c.Delay = 3, []string{file}, "paper", "since_hot > 20", "breadth-first", config.Seconds(1)
		sum := w.run(t)
		if sum.Why != "stop-when" || sum.Fetched < 81 || sum.Fetched > 95 {
			t.Errorf("%d pages, because of %s; 60 are hot", sum.Fetched, sum.Why)
		}
		w.verify(t, 3)
	})
}
