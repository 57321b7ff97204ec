package fakeweb

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"

	"github.com/winnow-crawler/winnow/graph"
)

func mustNew(t testing.TB, spec Spec) *Web {
	t.Helper()
	w, err := New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// lists collects all lists and checks what holds for every web: pages in order,
// links ascending, distinct, in range, never to the page itself, exact total.
func lists(t testing.TB, w *Web) [][]graph.Page {
	t.Helper()
	var all [][]graph.Page
	var total int64
	err := w.Each(func(p graph.Page, links []graph.Page) error {
		if int(p) != len(all) {
			return fmt.Errorf("page %d comes as number %d", p, len(all))
		}
		for i, q := range links {
			if q == p || int(q) >= w.Spec().Pages || i > 0 && q <= links[i-1] {
				return fmt.Errorf("page %d: bad list %v", p, links)
			}
		}
		total += int64(len(links))
		all = append(all, slices.Clone(links))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != w.Spec().Pages || total != w.Spec().Links {
		t.Fatalf("%+v gave %d pages and %d links", w.Spec(), len(all), total)
	}
	return all
}

// corners are small and odd webs, from one page to the complete graph.
func corners() []Spec {
	specs := []Spec{
		{Pages: 1, Sites: 1, Links: 0},
		{Pages: 2, Sites: 1, Links: 1},
		{Pages: 2, Sites: 2, Links: 2},
		{Pages: 500, Sites: 1, Links: 0},
		{Pages: 500, Sites: 1, Links: 3},
		{Pages: 500, Sites: 1, Links: 5000},
		{Pages: 500, Sites: 500, Links: 5000},
		{Pages: 500, Sites: 499, Links: 498},
		{Pages: 500, Sites: 20, Links: 499},
		{Pages: 3000, Sites: 7, Links: 2000},
	}
	for links := int64(0); links <= 12*11; links++ {
		specs = append(specs, Spec{Pages: 12, Sites: 1 + int(links)%12, Links: links, Seed: uint64(links)})
	}
	for _, links := range []int64{60 * 59, 60*59 - 1, 60 * 50, 60 * 40} {
		specs = append(specs, Spec{Pages: 60, Sites: 4, Links: links})
	}
	return specs
}

func TestExactNumbers(t *testing.T) {
	for _, spec := range corners() {
		w := mustNew(t, spec)
		lists(t, w)
		pages := 0
		for s := range graph.Site(w.Sites()) {
			if int(w.Home(s)) != pages || w.Size(s) < 1 {
				t.Fatalf("%+v: site %d begins at %d with %d pages, want %d", spec, s, w.Home(s), w.Size(s), pages)
			}
			pages += w.Size(s)
		}
		if pages != spec.Pages || w.Sites() != spec.Sites {
			t.Fatalf("%+v: %d pages in %d sites", spec, pages, w.Sites())
		}
	}
}

func TestReachable(t *testing.T) {
	for _, spec := range append(corners(), Spec{Pages: 30000, Sites: 400, Links: 300000, Seed: 3}) {
		if spec.Links < int64(spec.Pages)-1 {
			continue // not enough links for a tree
		}
		w := mustNew(t, spec)
		all := lists(t, w)
		if n := reach(all, 0, nil); n != spec.Pages {
			t.Errorf("%+v: %d pages reached from page 0", spec, n)
		}
		for s := range graph.Site(w.Sites()) {
			inside := func(p graph.Page) bool { return w.SiteOf(p) == s }
			if n := reach(all, w.Home(s), inside); n != w.Size(s) {
				t.Fatalf("%+v: %d of %d pages of site %d reached inside it", spec, n, w.Size(s), s)
			}
		}
	}
}

// reach counts the pages reached from one over pages that are inside.
func reach(all [][]graph.Page, from graph.Page, inside func(graph.Page) bool) int {
	seen := map[graph.Page]bool{from: true}
	for queue := []graph.Page{from}; len(queue) > 0; queue = queue[1:] {
		for _, q := range all[queue[0]] {
			if !seen[q] && (inside == nil || inside(q)) {
				seen[q] = true
				queue = append(queue, q)
			}
		}
	}
	return len(seen)
}

// digest is a checksum over everything a web says.
func digest(t testing.TB, w *Web) string {
	h := xxh3.New()
	var b []byte
	err := w.Each(func(p graph.Page, links []graph.Page) error {
		b = append(w.AppendURL(b[:0], p), '\n')
		for _, q := range links {
			b = binary.LittleEndian.AppendUint32(b, uint32(q))
		}
		_, err := h.Write(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// The digests are the contract that a seed means the same web on every machine
// and in every version. Changing one is changing every generated graph.
func TestSameWebEverywhere(t *testing.T) {
	for _, test := range []struct {
		spec Spec
		want string
	}{
		{Spec{Pages: 2000, Sites: 30, Links: 20000, Seed: 1}, "efa38abc02a38679"},
		{Spec{Pages: 2000, Sites: 30, Links: 20000, Seed: 2}, "a43a5868692f4195"},
		{Spec{Pages: 50, Sites: 5, Links: 2300, Seed: 1}, "48ce4c5bf29084f7"},
	} {
		for range 2 {
			if got := digest(t, mustNew(t, test.spec)); got != test.want {
				t.Errorf("%+v: digest %s, want %s", test.spec, got, test.want)
			}
		}
	}
}

func TestLinksAtRandom(t *testing.T) {
	w := mustNew(t, Spec{Pages: 5000, Sites: 60, Links: 60000, Seed: 9})
	all := lists(t, w)
	for p := len(all) - 1; p >= 0; p-- {
		got := w.Links([]graph.Page{7}, graph.Page(p))
		if got[0] != 7 || !slices.Equal(got[1:], all[p]) {
			t.Fatalf("page %d: %v at random, %v in order", p, got[1:], all[p])
		}
	}
}

func TestURLs(t *testing.T) {
	w := mustNew(t, Spec{Pages: 5000, Sites: 11, Links: 0, Seed: 9})
	var last []byte
	for p := range graph.Page(5000) {
		url := w.AppendURL([]byte("x"), p)[1:]
		if bytes.Compare(last, url) >= 0 {
			t.Fatalf("page %d: %s after %s", p, url, last)
		}
		name := w.SiteName(w.SiteOf(p))
		if rest, ok := strings.CutPrefix(string(url), name+"/"); !ok || (rest == "") != (p == w.Home(w.SiteOf(p))) {
			t.Fatalf("page %d: %s in site %s", p, url, name)
		}
		last = url
	}
	eachURL(t, w)
	if got := string(w.AppendURL(nil, 0)); got != "http://s00.example/" {
		t.Errorf("page 0 is %s", got)
	}
	if got := string(w.AppendURL(nil, 1)); got != "http://s00.example/d0/" {
		t.Errorf("page 1 is %s", got)
	}
	if got := string(w.AppendURL(nil, 4)); got != "http://s00.example/d0/p03.html" {
		t.Errorf("page 4 is %s", got)
	}
}

// eachURL checks that EachURL says the same as AppendURL.
func eachURL(t *testing.T, w *Web) {
	t.Helper()
	p := graph.Page(0)
	err := w.EachURL(func(url []byte) error {
		if want := w.AppendURL(nil, p); !bytes.Equal(url, want) {
			return fmt.Errorf("page %d is %s, want %s", p, url, want)
		}
		p++
		return nil
	})
	if err != nil || int(p) != w.Spec().Pages {
		t.Errorf("%d URLs, %v", p, err)
	}
	stop := errors.New("enough")
	if err := w.EachURL(func([]byte) error { return stop }); err != stop {
		t.Errorf("EachURL went on after an error: %v", err)
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct {
		spec Spec
		want string
	}{
		{Spec{Pages: 0, Sites: 1}, "0 pages"},
		{Spec{Pages: -4, Sites: 1}, "-4 pages"},
		{Spec{Pages: 5, Sites: 0}, "0 sites"},
		{Spec{Pages: 5, Sites: 6}, "6 sites in 5 pages"},
		{Spec{Pages: 5, Sites: 1, Links: -1}, "negative"},
		{Spec{Pages: 5, Sites: 1, Links: 21}, "at most 20"},
		{Spec{Pages: 1, Sites: 1, Links: 1}, "at most 0"},
	} {
		if _, err := New(test.spec); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want %q", test.spec, err, test.want)
		}
	}
	stop := errors.New("enough")
	calls := 0
	err := mustNew(t, Spec{Pages: 5, Sites: 1, Links: 9}).Each(func(graph.Page, []graph.Page) error {
		calls++
		return stop
	})
	if err != stop || calls != 1 {
		t.Errorf("Each went on after an error: %d calls, %v", calls, err)
	}
}
