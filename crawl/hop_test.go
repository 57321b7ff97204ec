package crawl

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/journal"
)

// handWeb is a web of a few hosts that a test writes by hand.
type handWeb struct {
	testWeb
	hosts map[string]http.HandlerFunc // by name; a name that is not there does not exist
	mu    sync.Mutex
	asked []string // URLs, in the order in which servers saw them
}

// newHandWeb makes the web and a crawl of it. It belongs into a synctest bubble.
func newHandWeb(t *testing.T, hosts map[string]http.HandlerFunc, seeds ...string) *handWeb {
	w := &handWeb{hosts: hosts}
	w.disk = memoryDisk{}
	pipes := make(pipeListener)
	server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.mu.Lock()
		w.asked = append(w.asked, "http://"+r.Host+r.URL.RequestURI())
		w.mu.Unlock()
		if f := w.hosts[r.Host]; f != nil {
			f(rw, r)
		} else {
			http.NotFound(rw, r)
		}
	})}
	go server.Serve(pipes)
	t.Cleanup(func() { server.Close() })
	c := config.Default()
	c.Revisit, c.Balance = "each", "" // unless a test is about them
	c.Scope = config.ScopeAny
	c.Contact, c.MaxMemory = "test@example.org", 1<<30
	w.o = RunOptions{Dir: "memory", Config: c, Seeds: seeds, Version: "test"}
	w.o.Machine = Machine{Dial: pipes.dial, Resolve: w.resolve, Disk: w.disk.open, Sizes: Sizes{Status: 10 * time.Minute, Report: time.Minute}}
	return w
}

func (w *handWeb) resolve(_ context.Context, host string) (fetch.Names, error) {
	if w.hosts[host] == nil {
		return fetch.Names{}, fetch.ErrNoName
	}
	return fetch.Names{Addrs: []netip.Addr{netip.MustParseAddr("93.184.216.34")}, TTL: 24 * time.Hour}, nil
}

// pipeListener is a listener in memory.
type pipeListener chan net.Conn

func (l pipeListener) Accept() (net.Conn, error) {
	c, ok := <-l
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (l pipeListener) Close() error   { close(l); return nil }
func (l pipeListener) Addr() net.Addr { return &net.TCPAddr{} }

func (l pipeListener) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	a, b := net.Pipe()
	select {
	case l <- b:
		return a, nil
	case <-ctx.Done():
		return nil, errors.Join(ctx.Err(), a.Close())
	}
}

// linksTo answers with a page that has these links.
func linksTo(urls ...string) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		rw.Write([]byte("<p>" + r.URL.Path))
		for _, u := range urls {
			rw.Write([]byte(`<a href="` + u + `">x</a>`))
		}
	}
}

// A robots.txt that moved to a site which cannot be reached is asked for again where it
// was, never at the server of another site, and at last its site is given up: the crawl
// ends.
func TestRobotsMovedToNowhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newHandWeb(t, map[string]http.HandlerFunc{
			"a.example": func(rw http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/robots.txt" {
					http.Redirect(rw, r, "http://gone.example/robots.txt", http.StatusFound)
					return
				}
				linksTo("/2")(rw, r)
			},
		}, "http://a.example/")
		w.o.Config.Duration = config.Duration{Duration: 100 * time.Hour}
		sum := w.run(t)
		for _, url := range w.asked {
			if url != "http://a.example/robots.txt" {
				t.Errorf("%s was asked for", url)
			}
		}
		if len(w.asked) < 1 || len(w.asked) > 6 {
			t.Errorf("%d requests: %v", len(w.asked), w.asked)
		}
		if sum.Why != whyUnreachable || sum.Refused != 0 || sum.Waiting != 1 {
			t.Errorf("it ended by %s with %d pages refused, %d waiting", sum.Why, sum.Refused, sum.Waiting)
		}
		moved := 0
		dir, _ := w.disk.open(layout.JournalDir)
		journal.Read(dir, 0, func(r *journal.Record) error {
			if r.Event.Kind == event.Ruled && r.Event.Hop {
				moved++
			}
			return nil
		})
		if moved != 1 {
			t.Errorf("it moved %d times", moved)
		}
		for _, f := range w.verify(t).List {
			t.Errorf("verify: %+v", f)
		}
	})
}
