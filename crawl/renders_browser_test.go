//go:build browser

package crawl

import (
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/render/browser"
	"github.com/winnow-crawler/winnow/crawl/render/offline"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/count"
	"github.com/winnow-crawler/winnow/fakeweb/scripted"
)

// scriptedTest is a web that needs JavaScript and a crawl of it, by the clock.
func scriptedTest(t *testing.T, how string, paths ...string) *testWeb {
	t.Helper()
	w := newTestWeb(t, 12, 2, answer.Options{Scripted: true, MinSize: 500, MaxSize: 1500})
	home := strings.TrimSuffix(w.server.URL(0), "/")
	for _, p := range paths {
		w.o.Seeds = append(w.o.Seeds, home+p)
	}
	c := &w.o.Config
	c.Render, c.Delay, c.IPDelay = how, config.Duration{Duration: 20 * time.Millisecond}, config.Duration{}
	return w
}

// politeByServer fails unless the server found nothing wrong with the crawl.
func (w *testWeb) politeByServer(t *testing.T) {
	t.Helper()
	for _, v := range w.server.Counter().Check(count.Demands{Delay: w.o.Config.Delay.Duration, PerConnection: 1}) {
		t.Error(v)
	}
}

// A site that needs JavaScript is found with --render auto, and not without: as politely.
func TestBrowserRender(t *testing.T) {
	if browser.Find() == "" {
		t.Skip("no chromium: scripts/browser.sh installs it")
	}
	plain := newTestWeb(t, 12, 2, answer.Options{MinSize: 500, MaxSize: 1500})
	plain.o.Config.Delay, plain.o.Config.IPDelay = config.Duration{Duration: 20 * time.Millisecond}, config.Duration{}
	want := plain.run(t)
	off := scriptedTest(t, config.RenderOff)
	if sum := off.run(t); sum.Fetched != int64(len(off.o.Seeds)) {
		t.Errorf("without a browser %d pages were fetched, %d are seeds", sum.Fetched, len(off.o.Seeds))
	}
	w := scriptedTest(t, config.RenderAuto)
	began := time.Now()
	sum := w.run(t)
	x := sum.Rendering
	t.Logf("%d pages of %d in %v, %+v, requisites %+v", sum.Fetched, want.Fetched, time.Since(began).Round(time.Millisecond), *x, *sum.Requisites)
	if sum.Fetched != want.Fetched || sum.Links != want.Links || x.Rendered != sum.Fetched || x.Failed != 0 || x.Waiting != 0 {
		t.Errorf("%d pages and %d links, want %d and %d; %+v", sum.Fetched, sum.Links, want.Fetched, want.Links, *x)
		_ = openMemory(t, w.disk).Pages(&history.PageFilter{}, func(p *history.PageInfo) error {
			t.Log(p.URL, p.Rendered, p.Why, p.Note)
			return nil
		})
	}
	w.politeByServer(t)
	verifyDisk(t, w.disk)
}

// Pages without an end come to one, have the links of their HTML, and the crawl goes on. No socket
// is opened.
func TestBrowserHostile(t *testing.T) {
	if browser.Find() == "" {
		t.Skip("no chromium: scripts/browser.sh installs it")
	}
	w := scriptedTest(t, config.RenderAuto, scripted.Hostile()...)
	w.o.Config.Pages = int64(len(w.o.Seeds))
	w.o.Machine.Browser = func() offline.Browser {
		return browser.New(browser.Options{Time: 12 * time.Second, Memory: 600 << 20})
	}
	sum := w.run(t)
	if x := sum.Rendering; x.Rendered+x.Failed != sum.Fetched || x.Failed != 2 || x.Waiting != 0 {
		t.Errorf("%d pages, %+v", sum.Fetched, *x)
	}
	c := openMemory(t, w.disk)
	err := c.Pages(&history.PageFilter{}, func(p *history.PageInfo) error {
		if strings.Contains(p.URL, scripted.Dir) {
			t.Log(p.URL, p.Rendered, p.Why, p.Note)
			if p.State != history.PageFetched {
				t.Errorf("%s is %s", p.URL, p.State)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w.politeByServer(t)
	verifyDisk(t, w.disk)
}
