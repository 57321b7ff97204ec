package sim

import (
	"slices"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
)

// A crawler that is killed and started again resumes from its journal: what was under
// way is requested again, each page is fetched once, no site is contacted too early after
// the gap, and the journal of both lives is the state again.
func TestSession(t *testing.T) {
	pages := 400
	if testing.Short() {
		pages = 200
	}
	w := newTestWeb(t, pages, 30)
	for _, s := range settings() {
		for _, name := range variants() {
			t.Run(s.name+"/"+name, func(t *testing.T) {
				s := s
				s.max = 0
				o := w.options(t, name, &s, 4)
				world := w.world(t, s.preset, 2)
				first, m, _ := recorded(t, world, &o)
				defer first.free()
				now, list := events(t, m)
				cut := 2 * len(list) / 5
				for list[cut-1].Kind != event.Took {
					cut++ // some task is under way
				}
				var both memory
				second := restarted(t, first, &o, now[:cut], list[:cut], &both)
				defer second.free()
				once(t, first, second, list[:cut])
				now, list = events(t, &both)
				polite(t, &s, now, list)
				replay(t, second, &both, nil)
			})
		}
	}
}

// restarted resumes after the first events of a crawl, to the end. All events of both
// go to m.
func restarted(t *testing.T, first *crawl, o *Options, now []time.Duration, list []event.Event, m *memory) *crawl {
	t.Helper()
	again := *o
	again.Record = m.Append
	c, err := newCrawl(first.w, &again, &pool{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	known := 0
	for i := range list {
		known += len(list[i].New)
	}
	for _, p := range first.pages.world[:known] { // the URL table outlives the crash
		c.pages.id(p)
		c.sites.id(uint32(c.w.site(graph.Page(p))))
	}
	for i := range list {
		m.Append(now[i], &list[i])
		c.f.Apply(now[i], &list[i])
		if e := &list[i]; e.Kind == event.Done {
			c.res.Order = append(c.res.Order, c.page(e.Page))
		}
	}
	c.now = now[len(now)-1] + 70*time.Millisecond
	c.event = event.Event{Kind: event.Session}
	c.apply()
	if n := c.f.Counts(); n.Flying != 0 {
		t.Errorf("%d tasks are under way after a restart", n.Flying)
	}
	c.left = c.w.pages() - len(c.res.Order)
	if err := c.loop(); err != nil {
		t.Fatal(err)
	}
	return c
}

// once checks that both crawls fetched the same pages, each once, and that the pages
// that were under way are among them.
func once(t *testing.T, first, second *crawl, before []event.Event) {
	t.Helper()
	taken := map[graph.Page]bool{}
	for i := range before {
		switch e := &before[i]; {
		case e.Kind == event.Took && e.Task.Kind == event.Fetch:
			taken[e.Page] = true
		case e.Kind == event.Done:
			delete(taken, e.Page)
		}
	}
	if n := len(first.fetchers); len(taken) == 0 || len(taken) > n {
		t.Errorf("%d pages under way with %d fetchers", len(taken), n)
	}
	for p := range taken {
		if s := second.f.State(p); s != frontier.Fetched {
			t.Errorf("page %d was under way and is %v in the end", p, s)
		}
	}
	order := slices.Clone(second.res.Order)
	slices.Sort(order)
	if n := len(slices.Compact(order)); n != len(order) {
		t.Errorf("%d fetches of %d pages", len(order), n)
	}
	if first.o.Frontier.Allowed != nil {
		return // which pages can be reached depends on the numbers that pages get
	}
	want := slices.Clone(first.res.Order)
	slices.Sort(want)
	if !slices.Equal(order, want) {
		t.Errorf("%d pages after a restart, %d without", len(order), len(want))
	}
}

// polite checks every request of a journal: at least the delay after the end of the
// answer before, or over the connection of that answer; after a restart at least the
// delay, whatever was under way.
func polite(t *testing.T, s *setting, now []time.Duration, list []event.Event) {
	t.Helper()
	delay := s.frontier.Delay
	if s.frontier.SmallSite > 0 {
		delay = min(delay, s.frontier.SmallDelay)
	}
	site := map[graph.Page]graph.Site{}
	free := map[graph.Site]time.Duration{} // by site that was ever contacted: when it may be again
	kept := map[graph.Site]time.Duration{} // by site: when its connection may serve another page
	held := map[graph.Site]int{}           // by site: pages over its connection
	for i := range list {
		switch e := &list[i]; e.Kind {
		case event.Took:
			if e.Task.Kind == event.Resolve {
				continue
			}
			if e.Task.Kind == event.Fetch {
				site[e.Page] = e.Site
			}
			at, more := kept[e.Site]
			if more = more && at == now[i] && held[e.Site] < s.frontier.PerConnection; !more {
				held[e.Site] = 0
			}
			if at, ok := free[e.Site]; ok && now[i] < at && !more {
				t.Fatalf("record %d: site %d is contacted at %v, not before %v", i, e.Site, now[i], at)
			}
			free[e.Site] = event.Never // it is acquired
		case event.Done:
			at := site[e.Page]
			free[at], kept[at] = e.End+delay, e.End
			held[at]++
		case event.Ruled:
			free[e.Site] = e.End + delay
		case event.Session:
			clear(kept)
			for s, at := range free {
				if at == event.Never {
					at = 0
				}
				free[s] = max(at, now[i]+delay)
			}
		}
	}
}
