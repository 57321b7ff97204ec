//go:build browser

// The protocol of the browser takes a minute to compile, and more to check: make test compiles it
// where there is a browser, and nothing else does.

package dashboard

import (
	"context"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// browserNames are the programs that can show the pages.
var browserNames = []string{"chromium", "chromium-browser", "google-chrome", "chrome"}

// A browser is a tab of a browser, and what it did.
type browser struct {
	context.Context
	t    *testing.T
	mu   sync.Mutex
	asks []string // addresses that were requested
	said []string // errors of the console
}

// newBrowser starts a browser, or skips the test.
func newBrowser(t *testing.T) *browser {
	t.Helper()
	path := ""
	for _, name := range browserNames {
		if p, err := exec.LookPath(name); err == nil && path == "" {
			path = p
		}
	}
	if path == "" {
		t.Skipf("there is no browser (%s); scripts/browser.sh installs one", strings.Join(browserNames, ", "))
	}
	o := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Flag("disable-dev-shm-usage", true))
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), o...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	b := &browser{Context: ctx, t: t}
	watch(b, network.RequestWillBeSent, func(e network.EventRequestWillBeSent) { b.asks = append(b.asks, e.Request.URL) })
	watch(b, log.EntryAdded, func(e log.EventEntryAdded) { b.said = append(b.said, e.Entry.Text+" "+e.Entry.URL) })
	watch(b, runtime.ExceptionThrown, func(e runtime.EventExceptionThrown) { b.said = append(b.said, fmt.Sprint(e.ExceptionDetails)) })
	call(b, network.Enable, network.EnableParams{})
	call(b, log.Enable, cdp.Empty{})
	return b
}

// watch calls fn with each event of a kind.
func watch[E any](b *browser, kind cdp.Event[E], fn func(E)) {
	events := chromedp.Events(b.Context, kind)
	go func() {
		for e, err := range events {
			if err != nil {
				return
			}
			b.mu.Lock()
			fn(e)
			b.mu.Unlock()
		}
	}()
}

// run does something in the browser, in at most ten seconds.
func run[T any](b *browser, a chromedp.Action[T]) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.Context, 10*time.Second)
	defer cancel()
	v, err := chromedp.Run(ctx, a)
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

// call sends a command.
func call[P, R any](b *browser, command cdp.Command[P, R], p P) R {
	b.t.Helper()
	r, err := chromedp.Call(b.Context, command, p)
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// look sets the width of the window and the colour scheme.
func (b *browser) look(width int64, scheme string) {
	b.t.Helper()
	call(b, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1, Mobile: width < 600})
	call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
}

// visit opens a page.
func (b *browser) visit(address string) {
	b.t.Helper()
	run(b, chromedp.Navigate(address))
}

// eval returns the value of an expression.
func eval[T any](b *browser, expression string) T {
	b.t.Helper()
	return run(b, chromedp.Evaluate[T](expression))
}

// wait waits until an expression is true.
func (b *browser) wait(what, expression string) {
	b.t.Helper()
	for range 100 {
		if eval[bool](b, "Boolean("+expression+")") {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.t.Fatalf("%s: never", what)
}

// In a real browser pages render, values move while a crawl runs, hostile titles and URLs inject
// nothing, nothing is requested from elsewhere, and pages fit a phone, on light and dark ground.
func TestBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts a browser")
	}
	b := newBrowser(t)
	site := evilSite(t, 400)
	dir := filepath.Join(t.TempDir(), "evil.crawl")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- crawlEvil(ctx, site.URL, dir, 60*time.Millisecond) }()
	defer func() { cancel(); <-ended }()
	for range 100 {
		if _, err := os.Stat(filepath.Join(dir, "status.json")); err == nil {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	_, h := start(t, Options{Dirs: []string{dir}})
	base := h.URL + "/crawl/evil.crawl/"

	b.look(1280, "light")
	b.visit(base)
	b.wait("the curves are drawn", `document.querySelectorAll("figure[data-chart] canvas").length >= 3`)
	fetched := func() int {
		n, _ := strconv.Atoi(strings.ReplaceAll(eval[string](b, `document.getElementById("v-fetched").textContent`), ",", ""))
		return n
	}
	first, drawn := fetched(), eval[string](b, `document.getElementById("r0-url").href`)
	b.wait("the number of fetched pages moves", fmt.Sprintf(`Number(document.getElementById("v-fetched").textContent.replace(",","")) > %d`, first))
	b.wait("the latest request moves", fmt.Sprintf(`document.getElementById("r0-url").href !== %q`, drawn))
	if state := eval[string](b, `document.getElementById("state").textContent`); !strings.HasPrefix(state, "It runs. ") {
		t.Errorf("state %q", state)
	}

	one := eval[string](b, `document.getElementById("r0-url").href`)
	for _, where := range []string{"", "sites", "site?name=" + url.QueryEscape(site.URL), "pages?q=script", one, "frontier", "failures", "traps", "log", "freshness"} {
		if !strings.HasPrefix(where, "http") {
			where = base + where
		}
		b.look(1280, "light")
		b.visit(where)
		for _, scheme := range []string{"light", "dark"} {
			b.look(400, scheme)
			if w := eval[int](b, `document.scrollingElement.scrollWidth`); w > 400 {
				t.Errorf("%s: %d pixels wide on a phone", where, w)
			}
			ground := eval[string](b, `getComputedStyle(document.body).backgroundColor`)
			if light := strings.HasPrefix(ground, "rgb(25"); light != (scheme == "light") {
				t.Errorf("%s: %s ground is %s", where, scheme, ground)
			}
		}
		// Whatever could be set off by a pointer, is.
		if hit := eval[string](b, `document.querySelectorAll("*").forEach(e => e.dispatchEvent(new Event("mouseover"))), String(window.hit)`); hit != "undefined" {
			t.Errorf("%s: something was injected: %s", where, hit)
		}
		if bad := eval[int](b, `document.querySelectorAll("main script, img[src=x], [onerror], [onmouseover]").length`); bad > 0 {
			t.Errorf("%s: %d injected elements", where, bad)
		}
		if n := eval[int](b, `document.querySelectorAll("h1").length`); n != 1 {
			t.Errorf("%s: %d main headings", where, n)
		}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, u := range b.asks {
		if !strings.HasPrefix(u, h.URL+"/") && !strings.HasPrefix(u, "data:") {
			t.Errorf("something was requested from elsewhere: %s", u)
		}
	}
	for _, text := range b.said {
		t.Errorf("the browser says: %s", text)
	}
	if len(b.asks) < 20 {
		t.Errorf("only %d requests were seen", len(b.asks))
	}
}

// A stored page is shown with its pictures and styles. Its scripts do not run, and nothing is
// requested but copies.
func TestBrowserCopy(t *testing.T) {
	b := newBrowser(t)
	dir := filepath.Join(t.TempDir(), "x.crawl")
	site := crawlShown(t, dir)
	s, h := start(t, Options{Dirs: []string{dir}, CopyPort: 1, Token: []byte(secret), Open: true})
	copies := httptest.NewServer(s.CopyHandler())
	t.Cleanup(copies.Close)
	s.o.CopyPort, _ = strconv.Atoi(copies.URL[strings.LastIndex(copies.URL, ":")+1:])
	s.o.Open = false // parts have signatures, and the browser sends no cookie with them
	b.look(1280, "light")
	b.visit(h.URL + "/login?next=" + url.QueryEscape("/crawl/x.crawl/page?url="+url.QueryEscape(site+"/")))
	eval[string](b, `document.getElementById("token").value = "`+secret+`", document.querySelector("form.login").requestSubmit(), ""`)
	b.wait("the page of the URL", `document.querySelector("a[href*='/x.crawl/copy']")`)
	b.visit(eval[string](b, `document.querySelector("a[href*='/x.crawl/copy']").href`))
	for _, id := range []string{"a", "b", "d"} {
		b.wait("picture "+id, `document.getElementById("`+id+`")?.naturalWidth === 1`)
	}
	b.wait("the missing picture", `document.getElementById("c").complete`)
	if w := eval[int](b, `document.getElementById("c").naturalWidth`); w != 0 {
		t.Errorf("a picture that is not stored is %d pixels wide", w)
	}
	b.wait("the style", `getComputedStyle(document.querySelector("p")).color === "rgb(1, 2, 3)"`)
	b.wait("the imported style", `getComputedStyle(document.body).backgroundImage.includes("/x.crawl/copy?")`)
	if title := eval[string](b, `document.title + " " + window.origin`); title != "shown null" {
		t.Errorf("title and origin: %s", title)
	}
	b.visit(eval[string](b, `document.querySelector("p a").href`))
	b.wait("the linked page", `document.body.textContent.includes("the second page")`)
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, u := range b.asks {
		if strings.HasPrefix(u, copies.URL) {
			n++
		} else if !strings.HasPrefix(u, h.URL+"/") && !strings.HasPrefix(u, "data:") && u != "about:blank" {
			t.Errorf("something was requested from elsewhere: %s", u)
		}
		if strings.Contains(u, secret) {
			t.Errorf("the token is in an address: %s", u)
		}
	}
	if n < 8 {
		t.Errorf("only %d copies were requested: %v", n, b.asks)
	}
}

// TestPictures makes the pictures of the manual: see scripts/screenshots.sh. WINNOW_PICTURES has
// the directory they go to, and WINNOW_DASHBOARD the address of a dashboard.
func TestPictures(t *testing.T) {
	to, base := os.Getenv("WINNOW_PICTURES"), os.Getenv("WINNOW_DASHBOARD")
	if to == "" || base == "" {
		t.Skip("no pictures are wanted")
	}
	b := newBrowser(t)
	for _, line := range strings.Split(os.Getenv("WINNOW_PAGES"), " ") {
		name, path, _ := strings.Cut(line, "=")
		for _, width := range []int64{1280, 400} {
			for _, scheme := range []string{"light", "dark"} {
				b.look(width, scheme)
				b.visit(base + path)
				time.Sleep(1500 * time.Millisecond)
				whole := true
				clip := &page.Viewport{Width: float64(width), Height: 1500, Scale: 1}
				picture := call(b, page.CaptureScreenshot, page.CaptureScreenshotParams{CaptureBeyondViewport: &whole, Clip: clip}).Data
				if err := os.WriteFile(filepath.Join(to, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)), picture, 0o666); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
