package group

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

// TestPath: what a path looks like.
func TestPath(t *testing.T) {
	var p Path
	for text, want := range map[string]string{
		"/":                        "0 index",
		"/a":                       "0",
		"/index.html":              "0 index",
		"/a/":                      "1 index a",
		"/a/b/Home.htm":            "2 index a b",
		"/a/b/sld001.htm#x":        "2 numbers a b",
		"/cgi?id=3&page=4":         "0 query",
		"/a?":                      "0",
		"/a//b/c12?x":              "3 query numbers a  b",
		"/1/2/3/4/5/6/7/8/9/x.txt": "9 1 2 3 4 5 6 7 8 9",
	} {
		p.Parse([]byte(text))
		got := fmt.Sprint(p.Dirs)
		for name, is := range map[string]bool{" index": p.Index} {
			if is {
				got += name
			}
		}
		if p.Query {
			got += " query"
		}
		if p.Numbers {
			got += " numbers"
		}
		for i := range p.Dirs {
			got += " " + string(p.Dir(i))
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestLook: files of one kind look alike wherever they are.
func TestLook(t *testing.T) {
	look := func(text string) uint64 {
		var p Path
		p.Parse([]byte(text))
		return p.Look
	}
	for _, same := range [][2]string{{"/a/x.html", "/b/c/y.HTML"}, {"/a/s1.html", "/b/t22.html"}, {"/a/f?x=1", "/b/g?x=2"}, {"/a/f?p1=1", "/b/g?p22=2"}} {
		if look(same[0]) != look(same[1]) {
			t.Errorf("%q differ", same)
		}
	}
	for _, other := range [][2]string{{"/a/x.html", "/a/x.txt"}, {"/a/x.html", "/a/index.html"}, {"/a/x.html", "/a/x1.html"}, {"/a/f?x=1", "/a/f?y=1"}, {"/x.html", "/a/x.html"}} {
		if look(other[0]) == look(other[1]) {
			t.Errorf("%q look alike", other)
		}
	}
}

// names returns the groups of a page by name, from the site down: the naive form of Add.
func names(site graph.Site, text string) (all []string) {
	text, query, _ := strings.Cut(text, "?")
	parts := strings.Split(text, "/")
	file := parts[len(parts)-1]
	at := fmt.Sprint(site)
	all = append(all, at)
	for _, dir := range parts[1:min(len(parts)-1, 1+deepest)] {
		at += "/" + dir
		all = append(all, at)
	}
	var asked string
	for _, part := range strings.Split(query, "&") {
		name, _, _ := strings.Cut(part, "=")
		asked += "&" + string(squash(nil, []byte(name)))
	}
	all = append(all, at+"//"+strings.ToLower(string(ending([]byte(file))))+asked)
	if strings.ContainsAny(file, "0123456789") {
		all = append(all, all[len(all)-1]+"///"+string(squash(nil, []byte(file))))
	}
	return all
}

// web returns the paths of some pages.
func web(r *rand.Rand, n int) (all []string) {
	for range n {
		path := "/"
		for range r.IntN(11) {
			path += fmt.Sprintf("d%d/", r.IntN(3))
		}
		path += []string{"", "index.html", "a.html", "b.HTML", "s%d.html", "x%d", "q?a=%d", "q?b=1&c%d=2"}[r.IntN(8)]
		if strings.Contains(path, "%d") {
			path = fmt.Sprintf(path, r.IntN(30))
		}
		all = append(all, path)
	}
	return all
}

// TestNaive: groups and their counts are those of a map of names, also if the tree is saved
// and loaded on the way.
func TestNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	tree, ids, known := New(1<<16, 1000), map[string]ID{}, map[string]int{}
	var p Path
	for i, text := range web(r, 6000) {
		site := graph.Site(r.IntN(5))
		p.Parse([]byte(text))
		g := tree.Add(site, &p)
		all := names(site, text)
		tree.Take(g)
		for k := len(all) - 1; k >= 0; k, g = k-1, tree.Up(g) {
			if was, ok := ids[all[k]]; ok && was != g {
				t.Fatalf("%s: %s is %d, was %d", text, all[k], g, was)
			}
			ids[all[k]] = g
			known[all[k]]++
		}
		if g != 0 {
			t.Fatalf("%s: %d groups, and more", text, len(all))
		}
		if i%1000 == 999 {
			var data bytes.Buffer
			if err := tree.Save(&data); err != nil {
				t.Fatal(err)
			}
			tree.Free()
			tree = New(1<<16, 1000)
			if err := tree.Load(&data); err != nil {
				t.Fatal(err)
			}
		}
	}
	defer tree.Free()
	if tree.Len() != len(ids)+1 || tree.Known(0) != 6000 {
		t.Errorf("%d groups, want %d; %d pages", tree.Len(), len(ids)+1, tree.Known(0))
	}
	for name, g := range ids {
		if tree.Known(g) != known[name] || tree.Taken(g) != known[name] {
			t.Errorf("%s: %d and %d pages, want %d", name, tree.Known(g), tree.Taken(g), known[name])
		}
		checkPlaces(t, tree, ids, name, g)
	}
}

// checkPlaces: directory and site of a group are those in its name.
func checkPlaces(t *testing.T, tree *Tree, ids map[string]ID, name string, g ID) {
	t.Helper()
	dir, _, _ := strings.Cut(name, "//")
	parts := strings.Split(dir, "/")
	near := strings.Join(parts[:min(len(parts), 1+shallow)], "/")
	if tree.Dir(g) != ids[dir] || tree.Near(g) != ids[near] || tree.Site(g) != ids[parts[0]] {
		t.Errorf("%s: directory %d, near %d, site %d", name, tree.Dir(g), tree.Near(g), tree.Site(g))
	}
}

// TestFull: when there is no room for more groups, pages are counted above.
func TestFull(t *testing.T) {
	tree := New(8, 1000)
	defer tree.Free()
	var p Path
	for i, text := range web(rand.New(rand.NewPCG(3, 4)), 500) {
		p.Parse([]byte(text))
		tree.Take(tree.Add(graph.Site(i%20), &p))
	}
	if tree.Len() != 8 || tree.Known(0) != 500 || tree.Taken(0) != 500 {
		t.Errorf("%d groups, %d and %d pages", tree.Len(), tree.Known(0), tree.Taken(0))
	}
}

// TestFound: without URLs a group is some pages that were found on one page one after the
// other, down to a depth.
func TestFound(t *testing.T) {
	tree := New(100, 1000)
	defer tree.Free()
	seed := tree.AddFound(0, graph.NoPage, 0)
	a := tree.AddFound(seed, 0, 0)
	b := tree.AddFound(seed, 0, rowPages-1)
	next := tree.AddFound(seed, 0, rowPages)
	c := tree.AddFound(a, 1, 0)
	if seed != 0 || a != b || next == a || tree.Up(next) != tree.Up(a) || tree.Up(tree.Up(a)) != 0 {
		t.Errorf("groups %d, %d, %d, %d", seed, a, b, next)
	}
	if c == a || tree.Up(tree.Up(c)) != a || tree.Dir(c) != c || tree.Site(c) != 0 {
		t.Errorf("group %d of a page that was found on one of group %d", c, a)
	}
	for on := range graph.Page(30) {
		c = tree.AddFound(c, 10+on, 0)
		if tree.at(c)[recordLevel] > deepest+1 {
			t.Fatalf("group %d is %d groups down", c, tree.at(c)[recordLevel])
		}
	}
	if tree.Len() != 66 || tree.Known(0) != 35 || tree.Known(a) != 33 || tree.Known(c) != 1 {
		t.Errorf("%d groups, %d and %d pages", tree.Len(), tree.Known(0), tree.Known(a))
	}
}

// TestFoundFull: when there is no room for what was found on a page, it belongs to the group
// of that page.
func TestFoundFull(t *testing.T) {
	tree := New(3, 1000)
	defer tree.Free()
	a := tree.AddFound(0, 0, 0)
	above := tree.Up(a)
	if g := tree.AddFound(a, 1, 0); g != a {
		t.Errorf("group %d below %d", g, a)
	}
	if g := tree.AddFound(above, 1, 0); g != above {
		t.Errorf("group %d below %d, a row of another page", g, above)
	}
}

func BenchmarkAdd(b *testing.B) {
	all := web(rand.New(rand.NewPCG(5, 6)), 10000)
	tree := New(1<<20, 1000)
	defer tree.Free()
	var p Path
	i := 0
	for b.Loop() {
		p.Parse([]byte(all[i%len(all)]))
		tree.Add(graph.Site(i%100), &p)
		i++
	}
}
