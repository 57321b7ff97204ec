package graph

import (
	"errors"
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// urlText draws URLs of every kind: of a web, empty, binary, sharing long prefixes,
// equal ones.
func urlText() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`http://[ab]\.example/[a-c]{0,3}/[a-d]{0,4}`),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 12), func(b []byte) string { return string(b) }),
		rapid.Map(rapid.IntRange(0, 5000), func(n int) string { return strings.Repeat("long", n/4) + "x" }),
	)
}

// TestURLs takes all URLs of a graph from id to URL and back (W31), at random and
// in order.
func TestURLs(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		urls := rapid.SliceOfN(urlText(), 1, 80).Draw(t, "urls")
		card := &Card{}
		src := sourceOf(make([][]Page, len(urls)))
		src.URLs, src.Card = each(urls), card
		g, err := store(dir, src)
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		first, repeated := map[string]Page{}, int64(0)
		for p, u := range urls {
			if _, ok := first[u]; ok {
				repeated++
			} else {
				first[u] = Page(p)
			}
		}
		if g.Card().RepeatedURLs != repeated || card.RepeatedURLs != repeated {
			t.Errorf("%d URLs repeat, the graph says %d", repeated, g.Card().RepeatedURLs)
		}
		for _, p := range rand.New(rand.NewPCG(1, 2)).Perm(len(urls)) {
			if got := g.URL(Page(p)); got != urls[p] {
				t.Fatalf("URL of page %d is %q, want %q", p, got, urls[p])
			}
			if q, ok := g.Lookup(urls[p]); !ok || q != first[urls[p]] {
				t.Fatalf("%q is page %d, %v; want %d", urls[p], q, ok, first[urls[p]])
			}
		}
		inOrder(t, g, urls)
		for range 20 {
			miss := urlText().Draw(t, "miss")
			if _, ok := first[miss]; ok {
				continue
			}
			if q, ok := g.Lookup(miss); ok || q != NoPage {
				t.Fatalf("%q is no URL of the graph and found as page %d", miss, q)
			}
		}
	})
}

// inOrder compares EachURL and AppendURL with the URLs.
func inOrder(t rapid.TB, g *Graph, urls []string) {
	n := 0
	err := g.EachURL(func(p Page, url []byte) error {
		if int(p) != n || string(url) != urls[n] {
			t.Fatalf("URL %d is of page %d: %q, want %q", n, p, url, urls[n])
		}
		if b := g.AppendURL([]byte("before "), p); string(b) != "before "+urls[n] {
			t.Fatalf("appended: %q", b)
		}
		n++
		return nil
	})
	if err != nil || n != len(urls) {
		t.Fatalf("%d of %d URLs, %v", n, len(urls), err)
	}
	stop := errors.New("stop")
	if err := g.EachURL(func(Page, []byte) error { return stop }); err != stop {
		t.Fatalf("an error of the caller became %v", err)
	}
}

// TestMillionByteURL has URLs as long as a line may be.
func TestMillionByteURL(t *testing.T) {
	long := strings.Repeat("a", 1<<20-1)
	urls := []string{long + "b", long + "a", "", long + "b", long[:100]}
	src := sourceOf(make([][]Page, len(urls)))
	src.URLs = each(urls)
	g, err := store(t.TempDir(), src)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	inOrder(t, g, urls)
	if p, ok := g.Lookup(long + "b"); !ok || p != 0 {
		t.Errorf("found at %d, %v", p, ok)
	}
	if _, ok := g.Lookup(long); ok {
		t.Error("a prefix of a URL was found")
	}
}

// TestLongSiteName: a name that no place has the bits for is refused, not garbled.
func TestLongSiteName(t *testing.T) {
	src := sourceOf(make([][]Page, 2))
	src.Sites = each([]string{"a", strings.Repeat("b", nameBlock+1)})
	dir := t.TempDir()
	if _, err := store(dir, src); err == nil || !regexp.MustCompile("site.*page 1 .*1048577 bytes").MatchString(err.Error()) {
		t.Errorf("error %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestSiteOfURL(t *testing.T) {
	for url, want := range map[string]string{
		"http://a.example/b/c":   "http://a.example",
		"http://a.example/":      "http://a.example",
		"http://a.example":       "http://a.example",
		"http://a.example:80//x": "http://a.example:80",
		"https:///":              "https://",
		"///":                    "//",
		"mailto:x":               "mailto:x",
		"a/b/c/d":                "a/b/c",
		"":                       "",
	} {
		if got := string(SiteOfURL([]byte(url))); got != want {
			t.Errorf("site of %q is %q, want %q", url, got, want)
		}
	}
}
