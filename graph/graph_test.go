package graph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestBothDirections stores random graphs and reads them in every way there is (W31).
func TestBothDirections(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		links := webLike(r, rapid.IntRange(1, 300).Draw(t, "pages"), rapid.IntRange(0, 12).Draw(t, "degree"))
		g, err := store(dir, sourceOf(links))
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		if g.Pages() != len(links) || g.Links() != count(links) || g.SelfLinks() != selfLinks(links) {
			t.Fatalf("%d pages, %d links, %d self-links; want %d, %d, %d",
				g.Pages(), g.Links(), g.SelfLinks(), len(links), count(links), selfLinks(links))
		}
		for name, d := range map[string]struct {
			l    *Links
			want [][]Page
		}{"forward": {g.Forward(), links}, "backward": {g.Backward(), transpose(links)}} {
			if err := agrees(d.l, d.want, r); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	})
}

func selfLinks(links [][]Page) (n int64) {
	for p, l := range links {
		if slices.Contains(l, Page(p)) {
			n++
		}
	}
	return n
}

// agrees compares all ways to read with what is expected.
func agrees(l *Links, want [][]Page, r *rand.Rand) error {
	if l.Pages() != len(want) || l.links != count(want) {
		return fmt.Errorf("%d lists, %d links", l.Pages(), l.links)
	}
	if err := agreesAtRandom(l.Reader(), want, r); err != nil {
		return fmt.Errorf("reader: %w", err)
	}
	lo := Page(r.IntN(len(want) + 1))
	hi := lo + Page(r.IntN(len(want)-int(lo)+1))
	for _, from := range [][2]Page{{0, Page(len(want))}, {lo, hi}, {lo, Page(len(want))}} {
		if err := agreesInOrder(l, want, from[0], from[1]); err != nil {
			return err
		}
	}
	for threads := 1; threads <= 4; threads++ {
		raw := l.Raw(threads)
		err := agreesInOrder(raw, want, 0, Page(len(want)))
		if err == nil {
			err = agreesAtRandom(raw, want, r)
		}
		raw.Free()
		if err != nil {
			return fmt.Errorf("raw, %d threads: %w", threads, err)
		}
	}
	return nil
}

func agreesInOrder(s Sequential, want [][]Page, lo, hi Page) error {
	p := lo
	for c := s.Scan(lo, hi); c.Next(); p++ {
		if c.Page() != p || !slices.Equal(c.List(), want[p]) {
			return fmt.Errorf("scan %d to %d: page %d (should be %d): %v, want %v", lo, hi, c.Page(), p, c.List(), want[p])
		}
	}
	if p != hi {
		return fmt.Errorf("scan %d to %d ended at %d", lo, hi, p)
	}
	return nil
}

func agreesAtRandom(rd Reader, want [][]Page, r *rand.Rand) error {
	for _, p := range r.Perm(len(want)) {
		if d := rd.Degree(Page(p)); d != len(want[p]) {
			return fmt.Errorf("page %d has degree %d, want %d", p, d, len(want[p]))
		}
		if got := rd.List(Page(p)); !slices.Equal(got, want[p]) {
			return fmt.Errorf("page %d: %v, want %v", p, got, want[p])
		}
	}
	return nil
}

// TestManyBatches has more pages than one batch of the encoder and one part of Raw,
// and one list longer than a batch.
func TestManyBatches(t *testing.T) {
	if testing.Short() {
		t.Skip("300,000 links in a single list")
	}
	r := rand.New(rand.NewPCG(1, 1))
	links := webLike(r, 3*batchPages+17, 3)
	for q := range Page(len(links)) {
		links[20000] = append(links[20000][:q], q)
	}
	links = append(links, make([][]Page, 300_000)...)
	for q := range Page(batchLinks + 1000) {
		links[20001] = append(links[20001][:q], q)
	}
	var first []byte
	for _, threads := range []int{1, 2, 3, 8} {
		b := fileBytes(t, sourceOf(links), WriteOptions{Threads: threads})
		if first == nil {
			first = b
		}
		if !slices.Equal(b, first) {
			t.Errorf("the file with %d threads differs", threads)
		}
	}
	g, err := store(t.TempDir(), sourceOf(links))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if err := agrees(g.Forward(), links, r); err != nil {
		t.Error("forward: ", err)
	}
	if err := agrees(g.Backward(), transpose(links), r); err != nil {
		t.Error("backward: ", err)
	}
}

// TestRemote compares remote-only lists with a filter by site (W33).
func TestRemote(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	links := webLike(r, 400, 9)
	src := sourceOf(links)
	src.Sites = func(emit func([]byte) error) error {
		for range links {
			if err := emit([]byte{byte('a' + r.IntN(5))}); err != nil {
				return err
			}
		}
		return nil
	}
	g, err := store(t.TempDir(), src)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	for _, d := range []struct {
		l    *Links
		want [][]Page
	}{{g.Forward(), links}, {g.Backward(), transpose(links)}} {
		remote := &Remote{Reader: d.l.Reader(), Site: g.Site}
		left := int64(0)
		for p, list := range d.want {
			var want []Page
			for _, q := range list {
				if g.SiteName(g.Site(q)) != g.SiteName(g.Site(Page(p))) {
					want = append(want, q)
				}
			}
			if got := remote.List(Page(p)); !slices.Equal(got, want) || remote.Degree(Page(p)) != len(want) {
				t.Fatalf("page %d: %v, want %v", p, got, want)
			}
			left += int64(len(want))
		}
		if left == 0 || left == g.Links() {
			t.Fatalf("%d of %d links are remote: nothing was tested", left, g.Links())
		}
	}
}

// TestSites compares pages by site with sites by page.
func TestSites(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.StringMatching(`[a-cA-C]{0,2}`), 1, 60).Draw(t, "names")
		src := sourceOf(make([][]Page, len(names)))
		src.Sites = each(names)
		g, err := store(dir, src)
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		seen := 0
		for s := range Site(g.Sites()) {
			pages := g.SitePages(s)
			if len(pages) == 0 || firstFall(pages) >= 0 {
				t.Fatalf("site %d has pages %v", s, pages)
			}
			for _, p := range pages {
				if g.Site(p) != s || g.SiteColumn()[p] != s || g.SiteName(s) != strings.ToLower(names[p]) {
					t.Fatalf("page %d is of site %d %q, not of %d %q", p, g.Site(p), strings.ToLower(names[p]), s, g.SiteName(s))
				}
			}
			seen += len(pages)
		}
		if seen != len(names) || !g.HasSites() {
			t.Fatalf("the sites have %d of %d pages", seen, len(names))
		}
	})
}

func TestNoSites(t *testing.T) {
	g, err := store(t.TempDir(), sourceOf([][]Page{{1}, {}, {0}}))
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	if g.HasSites() || g.Sites() != 3 || g.Site(2) != 2 || !slices.Equal(g.SitePages(1), []Page{1}) || g.SiteName(1) != "" {
		t.Errorf("without sites every page is its own: %d sites, site of 2 is %d", g.Sites(), g.Site(2))
	}
	if g.HasURLs() || g.URL(0) != "" {
		t.Error("a URL where none was given")
	}
	if p, ok := g.Lookup("x"); ok || p != NoPage {
		t.Error("a page of a URL where none was given")
	}
}
