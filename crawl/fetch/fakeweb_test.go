package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"github.com/winnow-crawler/winnow/graph"
)

func newWeb(t testing.TB, pages, sites int, o answer.Options) *serve.Server {
	w, err := fakeweb.New(fakeweb.Spec{Pages: pages, Sites: sites, Links: int64(4 * pages), Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	s, err := serve.New(w, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestMixedWeb requests every page of a web with some of everything, in virtual time, and
// compares classes and sizes with the truth.
func TestMixedWeb(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := answer.Mixed()
		o.Encodings, o.HTTPS = []string{"gzip", "br", "zstd"}, 0.5
		s := newWeb(t, 600, 20, o)
		c := client(t, Options{Dial: s.Dial, TLS: s.ClientTLS(), HTTP2: true, MaxBody: 1 << 20})
		var d Decoder
		seen := map[string]int{}
		for p := range graph.Page(600) {
			a := ask(t, c, s, p)
			truth := s.Truth(p)
			if want := classOf(truth.Class); a.Class != want || a.Class != event.ConnectError && a.Status != truth.Status {
				t.Errorf("%s: %v %d %s, want %v %d", s.URL(p), a.Class, a.Status, a.Note, want, truth.Status)
			}
			checkPhases(t, a)
			seen[a.Header.Get("Content-Encoding")]++
			for _, proto := range a.Proto {
				seen[proto]++
			}
			if a.Class != event.OK {
				continue
			}
			body, err := d.Decode(nil, a.Body, a.Header.Get("Content-Encoding"), 10<<20)
			if err != nil || len(body) < truth.Size {
				t.Errorf("%s: %d bytes, want %d: %v", s.URL(p), len(body), truth.Size, err)
			}
		}
		for _, word := range []string{"", "gzip", "br", "zstd", "http/1.1", "h2", "tls/1.3"} {
			if seen[word] == 0 {
				t.Errorf("never %q", word)
			}
		}
		c.Close()
		synctest.Wait()
		s.Close()
	})
}

// ask requests a page as often as it takes.
func ask(t *testing.T, c *Client, s *serve.Server, p graph.Page) (a *Answer) {
	for range 1 + s.Truth(p).Failures {
		if a = get(c, s.URL(p)); a.Stale { // the server has closed the connection at this instant
			a = get(c, s.URL(p))
		}
		if a.RetryAfter > 0 && a.Class != event.ServerError {
			t.Errorf("%s: %v asks for a pause", s.URL(p), a.Class)
		}
	}
	return a
}

func classOf(c answer.Class) event.Class {
	switch c {
	case answer.Redirect:
		return event.Redirect
	case answer.NotFound, answer.Gone:
		return event.HTTPError
	case answer.Broken:
		return event.ServerError
	case answer.Large:
		return event.TooLarge
	}
	return event.OK // that a page is not HTML is seen when it is parsed
}

// TestPrivateByName: a name that leads inside is refused, although it resolves.
func TestPrivateByName(t *testing.T) {
	s := newWeb(t, 10, 2, answer.Options{})
	n, err := s.Listen(serve.Listen{HTTP: "127.0.0.1:0", DNS: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	r := resolver(t, ResolverOptions{Server: n.DNS.String()})
	u, _ := url.Parse(s.URL(0))
	names, err := r.Lookup(t.Context(), u.Hostname())
	if err != nil || len(names.Addrs) != 1 || !names.Addrs[0].IsLoopback() {
		t.Fatal(names, err)
	}
	for allowed, want := range map[bool]event.Class{false: event.ConnectError, true: event.OK} {
		c := NewClient(&Options{AllowPrivate: allowed})
		a := c.Do(t.Context(), &Request{URL: s.URL(0), Addrs: names.Addrs, Last: true})
		if a.Class != want || !allowed && !strings.Contains(a.Note, "public") {
			t.Errorf("allowed %v: %+v", allowed, a)
		}
	}
	if sum := s.Counter().Summary(); sum.Connections != 1 {
		t.Errorf("%d connections", sum.Connections)
	}
}

// names is a name server over sockets with some trouble in it, and a resolver that asks it.
func names(t testing.TB, sites int) (*serve.Server, *Resolver) {
	s := newWeb(t, sites, sites, answer.Options{DNS: answer.DNSShares{Missing: 0.05, Truncated: 0.05, Alias: 0.1}})
	n, err := s.Listen(serve.Listen{DNS: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	return s, resolver(t, ResolverOptions{Server: n.DNS.String()})
}

func TestManyNames(t *testing.T) {
	s, r := names(t, 2000)
	resolveAll(t, r, s, 2000)
	if st := r.Stats(); st.Network != 2000 || st.Failed != 0 || st.TCP == 0 || st.Missing == 0 || st.Known != 2000 {
		t.Errorf("%+v", st)
	}
	resolveAll(t, r, s, 2000)
	if st := r.Stats(); st.Network != 2000 || st.Cache != 2000 {
		t.Errorf("%+v", st)
	}
}

// BenchmarkNames is W18: 50,000 names within a minute, that is 833 a second. The server
// works on the same cores.
func BenchmarkNames(b *testing.B) {
	for b.Loop() {
		s, r := names(b, 10_000)
		began := time.Now()
		resolveAll(b, r, s, 10_000)
		b.ReportMetric(10_000/time.Since(began).Seconds(), "names/s")
	}
}

// resolveAll requests the names of all sites from 512 goroutines.
func resolveAll(t testing.TB, r *Resolver, s *serve.Server, sites int) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range 512 {
		all.Go(func() {
			for id := next.Add(1) - 1; id < int64(sites); id = next.Add(1) - 1 {
				if err := resolveOne(t.Context(), r, s, graph.Site(id)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func resolveOne(ctx context.Context, r *Resolver, s *serve.Server, id graph.Site) error {
	truth := s.SiteTruth(id)
	n, err := r.Lookup(ctx, truth.Name)
	switch {
	case truth.Reachable && (err != nil || len(n.Addrs) != 1 || n.Addrs[0] != truth.Address):
		return fmt.Errorf("%s: %v, want %v: %w", truth.Name, n, truth.Address, err)
	case !truth.Reachable && !errors.Is(err, ErrNoName):
		return fmt.Errorf("%s: %v, want none: %w", truth.Name, n, err)
	}
	return nil
}
