package urltable

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/data"
)

// urlLists are lists of URLs to measure with: those of real graphs, in the order of
// their files and in the order in which a breadth-first crawl finds them, or made ones
// where there are none.
func urlLists(b *testing.B) map[string][]string {
	lists := map[string][]string{}
	for _, name := range []string{"apache-sites/apache-sites", "mdn/mdn-2026-08-22", "webkb/webkb"} {
		g := realGraph(b, name)
		if g == nil {
			return map[string][]string{"made": madeURLs(200_000)}
		}
		listed, found := make([]string, g.Pages()), []string{}
		for p := range listed {
			listed[p] = string(g.AppendURL(nil, graph.Page(p)))
		}
		for _, p := range foundOrder(g) {
			found = append(found, listed[p])
		}
		base := filepath.Base(name)
		lists[base+"/listed"], lists[base+"/found"] = listed, found
	}
	return lists
}

// realGraph imports a graph beside the checkout. It returns nil if there is none.
func realGraph(b *testing.B, name string) *graph.Graph {
	file := func(name string) string {
		path, _ := data.File(filepath.FromSlash(name))
		return path
	}
	o := graph.ImportOptions{Edges: file(name + ".edges.zst"), URLs: file(strings.Split(name, "-2026")[0] + ".urls.gz")}
	if strings.Contains(name, "2026") {
		o.Nodes = file(name + ".nodes.gz")
	}
	if o.Edges == "" {
		return nil
	}
	o.Path = filepath.Join(b.TempDir(), "g.wg")
	if _, err := graph.Import(context.Background(), o); err != nil {
		b.Fatal(err)
	}
	g, err := graph.Open(o.Path)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { g.Close() })
	return g
}

func madeURLs(n int) (urls []string) {
	for i := range n {
		urls = append(urls, fmt.Sprintf("https://%d.example/dir%d/sub%d/page%d.html", i/5_000, i/500, i/50, mix64(uint64(i))%1e6))
	}
	return urls
}

// foundOrder is the order in which breadth-first search finds all pages, from page 0
// and, as long as there are others, from the first of these.
func foundOrder(g *graph.Graph) (order []graph.Page) {
	lists := g.Forward().Raw(2)
	defer lists.Free()
	known := make([]bool, g.Pages())
	meet := func(p graph.Page) {
		if !known[p] {
			known[p] = true
			order = append(order, p)
		}
	}
	next := 0
	for p := range known {
		meet(graph.Page(p))
		for ; next < len(order); next++ {
			for _, q := range lists.List(order[next]) {
				meet(q)
			}
		}
	}
	return order
}

// BenchmarkLog measures bytes per URL, what it takes to add one and to read one at
// random, from a file, and to open the log.
func BenchmarkLog(b *testing.B) {
	lists := urlLists(b)
	for _, name := range slices.Sorted(maps.Keys(lists)) {
		urls := lists[name]
		var sites []graph.Site
		var rests [][]byte
		table := New("", [16]byte{}, 1, len(urls))
		defer table.Free()
		for _, u := range urls {
			name := graph.SiteOfURL([]byte(u))
			site, _ := table.Site(table.Key().Site(name), name)
			sites = append(sites, site)
			rests = append(rests, []byte(u[len(name):]))
		}
		f, err := os.Create(filepath.Join(b.TempDir(), "urls"))
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		l := openLog(b, f)
		b.Run(name+"/append", func(b *testing.B) {
			for b.Loop() {
				l.Truncate(0)
				for p := range urls {
					if err := l.Append(graph.Page(p), sites[p], rests[p]); err != nil {
						b.Fatal(err)
					}
				}
			}
			perPage(b, len(urls))
			b.ReportMetric(float64(l.Size())/float64(len(urls)), "B/page")
		})
		if err := l.Flush(); err != nil {
			b.Fatal(err)
		}
		b.Run(name+"/read", func(b *testing.B) {
			r, buf := rand.New(rand.NewPCG(1, 2)), []byte(nil)
			for b.Loop() {
				p := r.IntN(len(urls))
				_, rest, err := l.Read(graph.Page(p), buf[:0])
				if err != nil || len(rest) != len(rests[p]) {
					b.Fatal("wrong answer", err)
				}
				buf = rest
			}
		})
		l.Free()
		b.Run(name+"/open", func(b *testing.B) {
			for b.Loop() {
				openLog(b, f).Free()
			}
			perPage(b, len(urls))
		})
	}
}
