package main

import (
	"github.com/gocolly/colly/v2"
)

// runColly is a crawl as the manual of colly has it: asynchronous, some requests at a
// time, every link visited.
func runColly(o *options, seed string) error {
	c := colly.NewCollector(colly.Async(true))
	if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: o.workers}); err != nil {
		return err
	}
	c.OnHTML("a[href]", func(e *colly.HTMLElement) {
		e.Request.Visit(e.Attr("href")) // an error says that it was visited before
	})
	if err := c.Visit(seed); err != nil {
		return err
	}
	c.Wait()
	return nil
}
