package crawl

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/control"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/graph"
)

// A commanded crawl runs beside the test, in its bubble.
type commanded struct {
	*testWeb
	end chan struct{}
	sum *Summary
	err error
}

func newCommanded(t *testing.T, w *testWeb) *commanded {
	c := &commanded{testWeb: w, end: make(chan struct{})}
	w.o.Control = control.New()
	go func() {
		defer close(c.end)
		c.sum, c.err = Run(t.Context(), w.o)
	}()
	return c
}

// do gives a command, and returns why it was refused.
func (c *commanded) do(t *testing.T, text string) error {
	t.Helper()
	x, err := control.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return c.o.Control.Do(t.Context(), x)
}

// must gives a command that is not refused.
func (c *commanded) must(t *testing.T, text string) {
	t.Helper()
	if err := c.do(t, text); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// requests returns the number of requests so far.
func (c *commanded) requests() (n int) {
	for s := range c.server.Counter().Sites() {
		n += len(c.server.Counter().Requests(graph.Site(s)))
	}
	return n
}

// commands returns the commands in the journal.
func (c *commanded) commands(t *testing.T) (list []string) {
	t.Helper()
	h := c.history(t)
	defer h.Close()
	sessions, err := h.Sessions()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sessions {
		if s.Command != "" {
			list = append(list, s.Command)
		}
	}
	return list
}

// A crawl is paused, changed while it is paused and while it runs, and continues to its end. The
// server sees no request in the pause and none that is rude, and everything is in the journal.
func TestCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 400, 12, answer.Options{})
		w.o.Config.Pages = 100
		c := newCommanded(t, w)
		time.Sleep(10 * time.Second)
		c.must(t, "pause")
		before := c.requests()
		time.Sleep(time.Hour)
		if n := c.requests(); n != before || before == 0 || before > 90 {
			t.Errorf("%d requests when the crawl was paused, %d an hour later", before, n)
		}
		drop := c.server.Counter().Name(3)
		c.must(t, "set pages 350")
		c.must(t, "drop "+drop)
		if n := c.requests(); n != before {
			t.Errorf("commands in the pause made %d requests", n-before)
		}
		dropped := len(c.server.Counter().Requests(3))
		c.must(t, "resume")
		time.Sleep(20 * time.Second)
		for text, why := range map[string]string{
			"resume": "not paused", "set pages x": "pages", "set fetchers 5": "cannot be set", "seed :": "seed", "drop http://": "seed", "delay a.example x": "delay",
		} {
			if err := c.do(t, text); err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%s: %v", text, err)
			}
		}
		c.must(t, "delay "+c.server.Counter().Name(0)+" 5s")
		time.Sleep(20 * time.Second)
		c.must(t, "set delay 3s")
		<-c.end
		if c.err != nil || c.sum.Fetched < 300 {
			t.Errorf("%d pages: %v", c.sum.Fetched, c.err)
		}
		if n := len(c.server.Counter().Requests(3)); n != dropped {
			t.Errorf("%d requests to %s after it was dropped", n-dropped, drop)
		}
		if err := c.do(t, "pause"); !errors.Is(err, control.ErrEnded) {
			t.Errorf("after the end: %v", err)
		}
		want := []string{"pause", "set pages 350", "drop " + drop, "resume", "delay " + c.server.Counter().Name(0) + " 5s", "set delay 3s"}
		if got := c.commands(t); !slices.Equal(got, want) {
			t.Errorf("commands %q\nwant %q", got, want)
		}
		c.politely(t)
	})
}

// politely checks that no request was rude, and that the journal fits the archive.
func (c *commanded) politely(t *testing.T) {
	t.Helper()
	conf := &c.o.Config
	demands := count.Demands{Delay: conf.Delay.Duration, PerConnection: conf.PerConnection, AddressDelay: conf.IPDelay.Duration, AddressCap: conf.IPCap}
	for _, v := range c.server.Counter().Check(demands) {
		t.Error(v)
	}
	clean(t, c.verify(t))
}

// A dropped site is taken back by retry, and added seeds are fetched.
func TestCommandsTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 400, 12, answer.Options{})
		c := newCommanded(t, w)
		time.Sleep(5 * time.Second)
		site := c.server.Counter().Name(3)
		c.must(t, "drop "+site)
		time.Sleep(20 * time.Second)
		c.must(t, "retry "+site)
		c.must(t, "seed "+c.server.URL(399)+" "+c.server.URL(398))
		<-c.end
		if c.err != nil || c.sum.Fetched != 400 || c.sum.Why != whyFinished {
			t.Errorf("it %s with %d of 400 pages: %v", c.sum.Why, c.sum.Fetched, c.err)
		}
		c.politely(t)
	})
}

// A crawl that is interrupted in a pause ends, and the next run continues it.
func TestCommandsInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 100, 5, answer.Options{})
		ctx, stop := context.WithCancel(t.Context())
		w.o.Control = control.New()
		end := make(chan *Summary)
		go func() {
			sum, err := Run(ctx, w.o)
			if err != nil {
				t.Error(err)
			}
			end <- sum
		}()
		time.Sleep(5 * time.Second)
		c := &commanded{testWeb: w}
		c.must(t, "pause")
		time.Sleep(time.Minute)
		stop()
		if sum := <-end; sum.Why != whyStopped || sum.Fetched >= 100 {
			t.Errorf("it %s with %d pages", sum.Why, sum.Fetched)
		}
		w.o.Control = nil
		if sum := w.run(t); sum.Why != whyFinished || sum.Fetched != 100 {
			t.Errorf("then it %s with %d pages", sum.Why, sum.Fetched)
		}
	})
}
