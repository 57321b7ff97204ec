package graph_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/winnow-crawler/winnow/graph"
)

// An edge list becomes a graph file, which is opened and read in both directions.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "graph")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := func(base, text string) string {
		path := filepath.Join(dir, base)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			log.Fatal(err)
		}
		return path
	}
	web := filepath.Join(dir, "web.wg")
	_, err = graph.Import(context.Background(), graph.ImportOptions{
		Edges:        name("links.txt", "0 1\n0 2\n1 2\n2 0\n"),
		URLs:         name("urls.txt", "http://a.example/\nhttp://a.example/about\nhttp://b.example/\n"),
		WriteOptions: graph.WriteOptions{Path: web},
	})
	if err != nil {
		log.Fatal(err)
	}

	g, err := graph.Open(web)
	if err != nil {
		log.Fatal(err)
	}
	defer g.Close()
	fmt.Println(g.Pages(), "pages,", g.Links(), "links,", g.Sites(), "sites")
	b, _ := g.Lookup("http://b.example/")
	to, from := g.Forward().Reader(), g.Backward().Reader()
	for _, p := range to.List(b) {
		fmt.Println("it links to", g.URL(p))
	}
	for _, p := range from.List(b) {
		fmt.Println("linked from", g.URL(p))
	}
	// Output:
	// 3 pages, 4 links, 2 sites
	// it links to http://a.example/
	// linked from http://a.example/
	// linked from http://a.example/about
}
