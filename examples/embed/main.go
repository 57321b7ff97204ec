// Command embed crawls a site and prints the title of each page as it is stored.
//
//	go run ./examples/embed https://a.example me@example.org
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"

	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/page"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: embed URL CONTACT")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, url, contact string) error {
	seed, err := page.ParseSeed(url)
	if err != nil {
		return err
	}
	c := config.Default() // polite: 2 s between two requests, robots.txt obeyed, only this site
	c.Contact = contact   // site owners must be able to reach you
	c.Pages = 100
	c.AllowPrivate = os.Getenv("ALLOW_PRIVATE") != "" // to try it on a server of your own
	sum, err := crawl.Run(ctx, crawl.RunOptions{
		Dir: "embed.crawl", Config: c, Seeds: []string{seed},
		OnPage: func(p *crawl.Page) error {
			fmt.Printf("%s\t%s\n", p.URL, p.Title)
			return nil // an error would end the crawl
		},
	})
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d pages fetched, %d waiting; run it again to resume\n", sum.State, sum.Fetched, sum.Waiting)
	return nil
}
