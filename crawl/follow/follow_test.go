package follow

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/explain"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/serve"
	"github.com/winnow-crawler/winnow/fakeweb/subject"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// newWorld makes a web in memory and the options of a crawl of it. It belongs into a synctest
// bubble.
func newWorld(t *testing.T, so answer.Options) crawl.RunOptions {
	t.Helper()
	web, err := fakeweb.New(fakeweb.Spec{Pages: 250, Sites: 12, Links: 2000, Seed: 5, Topics: fakeweb.Topics{Number: 4, Share: 0.2, Preference: 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	server, err := serve.New(web, so)
	if err != nil {
		t.Fatal(err)
	}
	server.SetAddresses(8)
	t.Cleanup(func() { server.Close() })
	c := config.Default()
	c.Scope, c.Contact, c.AllowPrivate, c.MaxMemory = config.ScopeAny, "test@example.org", true, 1<<30
	resolve := func(ctx context.Context, host string) (fetch.Names, error) {
		a, ttl, err := server.Resolve(ctx, host)
		return fetch.Names{Addrs: []netip.Addr{a}, TTL: max(ttl, 24*time.Hour)}, err
	}
	return crawl.RunOptions{
		Dir: filepath.Join(t.TempDir(), "test.crawl"), Config: c, Seeds: []string{server.URL(0)}, Version: "test",
		Machine: crawl.Machine{Dial: server.Dial, Resolve: resolve, TLS: server.ClientTLS()},
	}
}

// wait waits until a Follower has read so many records, and more.
func wait(t *testing.T, f *Follower, what string, ok func(*Glance) bool) Glance {
	t.Helper()
	for range 600 {
		g, changed := f.Glance()
		if ok(&g) {
			return g
		}
		select {
		case <-changed:
		case <-time.After(time.Second):
		}
	}
	g, _ := f.Glance()
	t.Fatalf("%s: never; %+v", what, g)
	return g
}

// explained explains one page in so many of a source.
func explained(t *testing.T, c explain.Source, now time.Time, each int) (list []*explain.Page) {
	t.Helper()
	s, err := c.State()
	if err != nil {
		t.Fatal(err)
	}
	o := explain.Options{Now: now, Status: &history.Status{State: history.StatePaused}, Visits: 100, Links: Linkers}
	for p := graph.Page(0); int(p) < s.Frontier.Pages(); p += graph.Page(each) {
		x, err := explain.URL(c, string(s.AppendURL(nil, p)), o)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, x)
	}
	return list
}

// same fails unless a Follower explains one page in so many as a scan of the journal does.
func same(t *testing.T, f *Follower, dir string, each int) {
	t.Helper()
	c, err := history.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	now := time.Now()
	want := explained(t, c, now, each)
	var got []*explain.Page
	f.Read(func(v *View) error { got = explained(t, v, now, each); return nil })
	if len(got) != len(want) {
		t.Fatalf("%d pages, want %d", len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("page %d:\n%+v\n%+v\nwant:\n%+v\n%+v", i, got[i], got[i].Facts, want[i], want[i].Facts)
			return
		}
	}
}

// A crawl of a hostile web is followed while it runs, in two sessions with other options. In the
// end, and half-way, every page is explained as a scan of the whole journal explains it, and the
// counts are those of a timeline and of a list of the sites.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		so := answer.Hostile()
		o := newWorld(t, so)
		ctx, cancel := context.WithCancel(t.Context())
		f := Start(ctx, o.Dir)
		if g, _ := f.Glance(); g.Phase != Opening && g.Phase != Gone || g.Status != nil {
			t.Errorf("before the crawl: %+v", g)
		}
		wait(t, f, "there is no crawl", func(g *Glance) bool { return g.Phase == Gone && g.Err != nil })
		for _, pages := range []int64{80, 400} {
			o.Config.Pages = pages
			moved := map[int64]bool{}
			ended := make(chan error, 1)
			go func() {
				_, err := crawl.Run(t.Context(), o)
				ended <- err
			}()
			wait(t, f, "it runs", func(g *Glance) bool { return g.Phase == Following && g.Running })
			for going := true; going; {
				select {
				case err := <-ended:
					going = false
					if err != nil {
						t.Fatal(err)
					}
				case <-time.After(time.Second):
					g, _ := f.Glance()
					moved[g.Status.Fetched] = true
				}
			}
			if len(moved) < 5 {
				t.Errorf("the number of fetched pages had only the values %v", moved)
			}
			c, err := history.Open(t.Context(), o.Dir)
			if err != nil {
				t.Fatal(err)
			}
			want := c.StatusFile()
			g := wait(t, f, "it has caught up", func(g *Glance) bool {
				return g.Phase == Following && !g.Running && g.Status.Record == c.Records() && g.Survey != nil && g.Survey.Record == c.Records()
			})
			if g.Status.Fetched != want.Fetched || g.Status.Waiting != want.Waiting || g.Status.State != want.State || g.Status.Why != want.Why {
				t.Errorf("%+v, want %+v", g.Status, want)
			}
			each := 1
			if testing.Short() {
				each = 8
			}
			same(t, f, o.Dir, each)
			sameCourse(t, f, c)
			sameSites(t, f, c)
			c.Close()
		}
		cancel()
		<-f.Done()
		if err := f.Read(func(*View) error { return nil }); !errors.Is(err, ErrNotReady) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// Crawls that visit pages again, that are about a topic, and that keep few pages are explained by the
// index as by a scan.
func TestExplained(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads three journals many times")
	}
	for name, set := range map[string]func(*config.Config){
		"again": func(c *config.Config) { c.Recrawl.Duration, c.Duration.Duration = time.Minute, 5*time.Minute },
		"topic": func(c *config.Config) { c.Query = subject.Name(0) },
		"kept":  func(c *config.Config) { c.KeepPages = 20 },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := newWorld(t, answer.Options{})
				set(&o.Config)
				if _, err := crawl.Run(t.Context(), o); err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				f := Start(ctx, o.Dir)
				wait(t, f, "it is read", func(g *Glance) bool { return g.Phase == Following })
				same(t, f, o.Dir, 4)
				facts := 0
				f.Read(func(v *View) error {
					for _, x := range explained(t, v, time.Now(), 1) {
						if name == "again" && x.Attempts > 1 || name == "topic" && x.Topic != nil && len(x.Topic.Anchor) > 0 || name == "kept" && x.Dropped != nil {
							facts++
						}
					}
					return nil
				})
				if facts < 5 {
					t.Errorf("only %d pages have what the crawl is about", facts)
				}
				cancel()
				<-f.Done()
			})
		})
	}
}

// sameCourse compares the course with a timeline.
func sameCourse(t *testing.T, f *Follower, c *history.Crawl) {
	t.Helper()
	line, err := c.Timeline(1)
	if err != nil {
		t.Fatal(err)
	}
	want := line.Steps[0]
	f.Read(func(v *View) error {
		var fetched, bytes, failed int64
		active := 0.0
		course := &v.Index.Course
		for _, s := range course.Steps {
			fetched, bytes, failed, active = fetched+s.Fetched, bytes+s.Bytes, failed+s.Failed, active+s.Active*course.Width.Seconds()
			if s.Waiting < 0 || s.Waiting > s.Known {
				t.Errorf("step %+v", s)
			}
		}
		last := course.Steps[len(course.Steps)-1]
		if fetched != want.Fetched || bytes != want.Bytes || failed != want.Failures() || last.Known != want.Known || last.Waiting != want.Waiting {
			t.Errorf("fetched %d, %d bytes, %d failed, the last step %+v; want %+v", fetched, bytes, failed, last, want)
		}
		if mean := want.Active * line.Width.Seconds(); active < 0.99*mean || active > 1.01*mean {
			t.Errorf("%.2f seconds of requests, want %.2f", active, mean)
		}
		if len(course.Sessions) != len(line.Sessions) {
			t.Errorf("%d sessions, want %d", len(course.Sessions), len(line.Sessions))
		}
		return nil
	})
}

// It is found out afterwards, too, what sites waited for: the steps of a crawl that is followed when
// it is over have samples where something happened, most of them with sites that wait for their delay.
func TestRecall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newWorld(t, answer.Options{})
		if _, err := crawl.Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		f := Start(ctx, o.Dir)
		wait(t, f, "it is read", func(g *Glance) bool { return g.Phase == Following && g.Survey != nil })
		sampled, delayed, all := 0, 0, 0
		for range 60 {
			sampled, delayed = 0, 0
			f.Read(func(v *View) error {
				all = len(v.Index.Course.Steps)
				for _, s := range v.Index.Course.Steps {
					if s.Sampled {
						sampled++
					}
					if s.Waits[0] > 0 && s.Fetchers == o.Config.Fetchers {
						delayed++
					}
				}
				return nil
			})
			if sampled > 0 {
				break
			}
			time.Sleep(time.Second)
		}
		if all < 20 || sampled < all/3 || delayed < sampled/2 {
			t.Errorf("%d steps, %d with samples, %d in which sites wait for their delay", all, sampled, delayed)
		}
		cancel()
		<-f.Done()
	})
}

// sameSites compares the sites with a list of them, and their requests with a log.
func sameSites(t *testing.T, f *Follower, c *history.Crawl) {
	t.Helper()
	list, err := c.SiteList(&history.SiteFilter{}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]*history.SiteInfo{}
	for i := range list {
		by[list[i].Site] = &list[i]
	}
	var records []uint64
	c.Log(&history.LogFilter{}, func(r *history.Request) error { records = append(records, r.Record); return nil })
	slices.Reverse(records)
	f.Read(func(v *View) error {
		for i, n := range v.Survey.Sites {
			site := graph.Site(i)
			want := by[string(v.S.Table.Name(site))]
			said := ""
			requests, robots := v.Index.SiteFacts(site, func(r *journal.Record) { said = history.FailureOf(r) })
			got := fmt.Sprint(n.Known, n.Waiting, n.Fetched, n.Failed, n.Skipped, requests, robots, said)
			if w := fmt.Sprint(want.Known, want.Waiting, want.Fetched, want.Failed, want.Skipped, want.Requests, want.Robots, want.LastError); got != w {
				t.Errorf("%s: %s, want %s", want.Site, got, w)
			}
			all := 0
			if v.Index.Times(site, 1<<30, func(time.Duration) { all++ }); int64(all) < requests {
				t.Errorf("%s: %d requests, want %d", want.Site, all, requests)
			}
		}
		var got []uint64
		for next, more := uint32(0), true; more; more = next != 0 {
			next = v.Index.Requests(graph.NoSite, next, 7, func(_ uint32, r *journal.Record) bool { got = append(got, r.Seq); return true })
		}
		if !slices.Equal(got, records) {
			t.Errorf("%d requests, want %d", len(got), len(records))
		}
		return nil
	})
}

// A course of any length has at most so many steps, and their sums stay.
func TestCourse(t *testing.T) {
	var c Course
	n := int64(0)
	for i := range 5000 {
		at := time.Duration(i) * 700 * time.Millisecond
		r := &journal.Record{Now: at, Event: event.Event{Kind: event.Done, Start: at - time.Second, End: at, Bytes: 3}}
		c.begin(r)
		c.answer(&r.Event)
		c.done(&r.Event, i%2 == 0)
		n++
	}
	var pages, bytes int64
	active := 0.0
	for _, s := range c.Steps {
		pages, bytes, active = pages+s.Fetched+s.Visits, bytes+s.Bytes, active+s.Active*c.Width.Seconds()
	}
	if len(c.Steps) > steps || len(c.Steps) < steps/2 || pages != n || bytes != 3*n || active < 4990 || active > 5000 {
		t.Errorf("%d steps of %v, %d pages, %d bytes, %.0f s", len(c.Steps), c.Width, pages, bytes, active)
	}
}

// A directory that is replaced by another crawl is read again, and one that is removed is reported.
func TestReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newWorld(t, answer.Options{})
		run := func(pages int64) {
			o.Config.Pages = pages
			if _, err := crawl.Run(t.Context(), o); err != nil {
				t.Fatal(err)
			}
		}
		run(20)
		ctx, cancel := context.WithCancel(t.Context())
		f := Start(ctx, o.Dir)
		g, _ := f.Glance()
		if g.Status == nil || g.Status.Fetched != 20 {
			t.Errorf("at once: %+v", g.Status)
		}
		wait(t, f, "it is read", func(g *Glance) bool { return g.Phase == Following && g.Status.Fetched == 20 })
		os.RemoveAll(o.Dir)
		wait(t, f, "it is gone", func(g *Glance) bool { return g.Phase == Gone })
		run(30)
		wait(t, f, "it is another", func(g *Glance) bool { return g.Phase == Following && g.Status.Fetched == 30 })
		same(t, f, o.Dir, 4)
		cancel()
		<-f.Done()
	})
}
