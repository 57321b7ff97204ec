// Command ranks opens a graph file and prints the ten pages of the highest PageRank, with the
// number of pages that link to each.
//
//	winnow graph generate --pages 10k -o web.wg
//	go run ./examples/ranks web.wg
package main

import (
	"cmp"
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: ranks GRAPH")
	}
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(name string) error {
	g, err := graph.Open(name)
	if err != nil {
		return err
	}
	defer g.Close()
	in := g.Backward().Raw(0) // unpacked, with all cores
	defer in.Free()
	res, err := rank.PageRank(&rank.Web{In: in}, rank.Options{})
	if err != nil {
		return err
	}
	pages := make([]graph.Page, g.Pages())
	for i := range pages {
		pages[i] = graph.Page(i)
	}
	slices.SortFunc(pages, func(a, b graph.Page) int {
		return cmp.Or(cmp.Compare(res.Score[b], res.Score[a]), cmp.Compare(a, b))
	})
	for _, p := range pages[:min(10, len(pages))] {
		title := fmt.Sprint("page ", p)
		if g.HasURLs() {
			title = g.URL(p)
		}
		fmt.Printf("%.6f  %5d  %s\n", res.Score[p], in.Degree(p), title)
	}
	return nil
}
