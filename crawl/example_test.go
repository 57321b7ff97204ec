package crawl_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/page"
)

// A program crawls a site and gets each page as soon as it is stored. The directory holds the crawl
// as winnow crawl writes it: the verbs of the command read it, and the next Run resumes it.
func ExampleRun() {
	site := httptest.NewServer(pages{
		"/":  `<title>Home</title> <a href=/a>a</a> <a href=/b>b</a>`,
		"/a": `<title>A</title> <a href=/b>b</a>`,
		"/b": `<title>B</title> <a href=/>home</a>`,
	})
	defer site.Close()
	dir, err := os.MkdirTemp("", "crawl")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	seed, err := page.ParseSeed(site.URL)
	if err != nil {
		log.Fatal(err)
	}
	c := config.Default() // the keys of winnow.toml: docs/formats.md
	c.Contact = "me@example.org"
	c.AllowPrivate = true // the site is on this machine
	c.Delay.Duration = 0  // and belongs to us
	c.Policy, c.Pages = "breadth-first", 100
	sum, err := crawl.Run(context.Background(), crawl.RunOptions{
		Dir: dir, Config: c, Seeds: []string{seed},
		OnPage: func(p *crawl.Page) error {
			fmt.Println(p.Status, p.Media, p.Title)
			return nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum.State, sum.Fetched, "pages")
	// Output:
	// 200 text/html Home
	// 200 text/html A
	// 200 text/html B
	// finished 3 pages
}

// pages are the pages of a site by path.
type pages map[string]string

func (p pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, found := p[r.URL.Path]
	if !found {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprint(w, text)
}
