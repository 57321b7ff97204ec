//go:build browser

package dashboard

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// press presses keys: "\t" is Tab, "\r" is Enter.
func (b *browser) press(keys string) {
	b.t.Helper()
	run(b, chromedp.KeyEvent(keys))
}

// controlsOf is an expression: what can be reached by keyboard in the content of a page.
const controlsOf = `[...document.querySelectorAll("main a[href], main button, main input, main select, main textarea, main summary")]
	.filter(e => e.type !== "hidden" && e.checkVisibility())`

// tabbed presses Tab until something has the focus, and fails if that is never, or if the focus
// cannot be seen on the way.
func (b *browser) tabbed(what string) {
	b.t.Helper()
	for range 300 {
		b.press("\t")
		at := eval[string](b, `(() => { const e = document.activeElement, s = getComputedStyle(e), r = e.getBoundingClientRect();
			if (e === document.body) return "nothing";
			const seen = r.width > 0 && r.height > 0 && r.left >= 0 && r.top >= 0 && r.top < innerHeight;
			return (parseFloat(s.outlineWidth) > 0 && s.outlineStyle !== "none" || e.matches(".box") ? "" : "no outline: ") + (seen ? "" : "not in the window: ") + e.outerHTML.slice(0, 80) })()`)
		if strings.HasPrefix(at, "no") {
			b.t.Fatalf("on the way to %s: %s", what, at)
		}
		if eval[bool](b, `document.activeElement === `+what) {
			return
		}
	}
	b.t.Fatalf("%s cannot be reached by keyboard", what)
}

// Without scripts the pages of two crawls are readable: numbers, curves and links are there, and one
// gets from each page to all others. By keyboard the first stop leads over the header, and every
// control of a page can be reached and seen.
func TestBrowserWalk(t *testing.T) {
	b := newBrowser(t)
	one, two := filepath.Join(t.TempDir(), "one.crawl"), filepath.Join(t.TempDir(), "two.crawl")
	crawlHostile(t, one, 60)
	crawlHostile(t, two, 90)
	_, h := start(t, Options{Dirs: []string{one, two}})

	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	b.look(1280, "light")
	fetched := map[string]string{}
	for _, name := range []string{"one.crawl", "two.crawl"} {
		b.visit(h.URL + "/crawl/" + name + "/")
		fetched[name] = eval[string](b, `document.getElementById("v-fetched").textContent`)
	}
	b.visit(h.URL)
	for name, n := range fetched {
		cells := eval[[]string](b, `[...document.querySelectorAll("main tbody tr")].map(r => [...r.cells].map(c => c.textContent.trim())).find(r => r[0] === "`+name+`") || []`)
		if !slices.Contains(cells, n) || fetched["one.crawl"] == fetched["two.crawl"] {
			t.Errorf("the start page says of %s: %q, want %s pages", name, cells, n)
		}
	}
	b.wait("the curves of both are drawn", `[...document.querySelectorAll("main img")].some(i => i.src.includes("/all.svg") && i.complete && i.naturalWidth > 0)`)
	for _, name := range []string{"one.crawl", "two.crawl"} {
		base := h.URL + "/crawl/" + name + "/"
		b.visit(base)
		for _, to := range eval[[]string](b, `[...document.querySelectorAll("nav[aria-label='Pages of the crawl'] a")].map(a => a.href)`) {
			b.visit(to)
			if n := eval[int](b, `document.querySelectorAll("main table tbody tr, main dl div, main p").length`); n == 0 {
				t.Errorf("%s: nothing to read", to)
			}
			if other := eval[int](b, `document.querySelectorAll("nav[aria-label=Crawls] a").length`); other < 2 {
				t.Errorf("%s: no way to the other crawl", to)
			}
			if eval[bool](b, `document.querySelectorAll("canvas").length > 0`) {
				t.Errorf("%s: scripts run", to)
			}
		}
		b.visit(base)
		b.wait("the curves are pictures", `(() => { const l = [...document.querySelectorAll("figure[data-chart] img")]; l.forEach(i => i.loading = "eager"); return l.length >= 3 && l.every(i => i.complete && i.naturalWidth > 0) })()`)
	}

	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{})
	for _, path := range []string{"/", "/crawl/one.crawl/", "/crawl/one.crawl/sites", "/crawl/one.crawl/pages?state=fetched", "/crawl/one.crawl/log"} {
		b.visit(h.URL + path)
		b.tabbed(`document.querySelector("a.skip")`)
		b.press("\r")
		controls := eval[int](b, controlsOf+".length")
		if controls == 0 {
			t.Errorf("%s: no controls", path)
		}
		// Tab goes through all of them, in their order.
		for i := range min(controls, 25) {
			b.press("\t")
			if at := eval[int](b, controlsOf+`.indexOf(document.activeElement)`); at != i && !eval[bool](b, `document.activeElement.matches(".box, .links")`) {
				t.Fatalf("%s: control %d has the focus, want %d: %s", path, at, i, eval[string](b, `document.activeElement.outerHTML.slice(0, 100)`))
			}
			if at := eval[int](b, controlsOf+`.indexOf(document.activeElement)`); at < 0 {
				b.press("\t") // a table that scrolls is a stop of its own
			}
		}
	}
	// A search by keyboard alone.
	b.visit(h.URL + "/crawl/two.crawl/")
	b.tabbed(`document.getElementById("find")`)
	b.press("https://nowhere.example/\r")
	b.wait("the answer", `location.search.includes("`+url.QueryEscape("https://nowhere.example/")+`") && document.querySelector("main")`)
}
