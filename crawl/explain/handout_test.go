package explain_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/explain"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/journal"
)

// handouts returns the next pages of a crawl.
func handouts(t *testing.T, c *history.Crawl, limit int) (list []explain.Handout) {
	t.Helper()
	err := explain.Handouts(c, time.Now(), limit, func(x *explain.Handout) error { list = append(list, *x); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// requested returns the URLs that were requested, in order.
func requested(t *testing.T, c *history.Crawl) (urls []string) {
	t.Helper()
	s, err := c.State()
	if err != nil {
		t.Fatal(err)
	}
	err = c.Each(func(r *journal.Record) error {
		if r.Event.Kind == event.Took && r.Event.Task.Kind == event.Fetch {
			urls = append(urls, string(s.AppendURL(nil, r.Event.Task.Page)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return urls
}

// The pages that are announced are those that the crawl requests when it is resumed, in that
// order, where answers do not change the order: breadth first, and all pages known.
func TestHandouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "breadth-first", answer.Options{})
		w.o.Config.Fetchers = 1
		w.run(t, 150)
		before := requested(t, w.crawl(t))
		next := handouts(t, w.crawl(t), 20)
		w.run(t, 0)
		after := requested(t, w.crawl(t))[len(before):]
		if len(next) != 20 {
			t.Fatalf("%d pages, want 20", len(next))
		}
		for i, x := range next {
			if x.Place != i+1 || x.URL != after[i] || x.Wait < 0 || x.At != nil || i > 0 && x.Wait < next[i-1].Wait || x.Between <= 0 {
				t.Errorf("page %d: %+v, but %s was requested", i, x, after[i])
			}
		}
		if i := slices.IndexFunc(next, func(x explain.Handout) bool { return x.By == "delay" }); i < 0 {
			t.Errorf("no page waits for the delay of its site: %+v", next)
		}
		if rest := handouts(t, w.crawl(t), 20); len(rest) != 0 {
			t.Errorf("at the end: %+v", rest)
		}
		enough := errors.New("enough")
		if err := explain.Handouts(w.crawl(t), time.Now(), 5, func(*explain.Handout) error { return enough }); err != nil {
			t.Errorf("nothing is left, but %v", err)
		}
	})
}

// While a crawl runs the pages that are being fetched are not announced, and all others are.
func TestHandoutsRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "opic", answer.Options{})
		w.run(t, 40)
		c := w.crawl(t)
		c.Running = true
		s, err := c.State()
		if err != nil {
			t.Fatal(err)
		}
		waiting := int64(s.Frontier.Counts().Queued)
		list := handouts(t, c, 1000)
		if int64(len(list)) != waiting {
			t.Errorf("%d pages, want %d", len(list), waiting)
		}
		seen := map[string]bool{}
		for _, x := range list {
			if seen[x.URL] || x.At == nil {
				t.Errorf("%+v", x)
			}
			seen[x.URL] = true
		}
	})
}
