//go:build browser

package dashboard

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/control"
)

// In a browser, pause pauses: the site gets no request until the crawl is resumed.
func TestBrowserPause(t *testing.T) {
	b := newBrowser(t)
	var requests atomic.Int64
	evil := evilSite(t, 400)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		evil.Config.Handler.ServeHTTP(w, r)
	}))
	t.Cleanup(site.Close)
	dir := filepath.Join(t.TempDir(), "evil.crawl")
	c := config.Default()
	c.AllowPrivate, c.Contact, c.Delay.Duration, c.IPDelay.Duration, c.MaxMemory = true, "test@example.org", 20*time.Millisecond, 0, 1<<30
	ctl := control.New()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := crawl.Run(ctx, crawl.RunOptions{Dir: dir, Config: c, Seeds: []string{site.URL + "/"}, Version: "test", Control: ctl})
		ended <- err
	}()
	_, h := start(t, Options{Dirs: []string{dir}, Token: []byte(secret), Open: true, Control: ctl})
	page := h.URL + "/crawl/evil.crawl/control"
	b.look(1280, "light")
	b.visit(page)
	if eval[bool](b, `Boolean(document.getElementById("pause"))`) || !eval[bool](b, `Boolean(document.querySelector("a[href^='/login']"))`) {
		t.Error("the page has controls, and no way to the login, before the token is known")
	}
	if code := eval[int](b, `(() => { const r = new XMLHttpRequest(); r.open("POST", "/crawl/evil.crawl/control/pause", false); r.send(); return r.status })()`); code < 400 {
		t.Errorf("a command without the token: %d", code)
	}
	b.visit(h.URL + "/login?next=/crawl/evil.crawl/control")
	if !eval[bool](b, `document.activeElement.id === "token"`) {
		b.tabbed(`document.getElementById("token")`)
	}
	b.press(secret + "\r")
	b.wait("the login", `document.getElementById("pause")`)
	b.tabbed(`document.getElementById("pause")`) // by keyboard
	b.press("\r")
	b.wait("pause is in force", `document.querySelector("p.done")`)
	before := requests.Load()
	time.Sleep(700 * time.Millisecond)
	if n := requests.Load(); n != before || n < 2 {
		t.Errorf("%d requests when it was paused, then %d", before, n)
	}
	shown := false
	for range 50 {
		if b.visit(page); eval[bool](b, `document.getElementById("state")?.textContent.startsWith("It is paused") === true`) {
			shown = true
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if !shown {
		t.Fatal("that it is paused is not shown")
	}
	eval[string](b, `document.getElementById("resume").click(), ""`)
	b.wait("resume is in force", `document.querySelector("p.done code")?.textContent == "resume"`)
	for range 50 {
		if requests.Load() > before {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if requests.Load() == before {
		t.Error("resume does not resume")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, u := range b.asks {
		if strings.Contains(u, secret) {
			t.Errorf("the token is in an address: %s", u)
		}
	}
	cancel()
	if err := <-ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
