package gather

import (
	"time"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/policy"
)

// Robots reads the answer for a robots.txt: its body goes to f.Body, as much as is ever
// read of one, and its records are made. What it means is left to package robots.
func (g *Gatherer) Robots(url string, a *fetch.Answer, at time.Time, f *Found) {
	g.begin(url, a, f)
	body := a.Body
	if a.Class == policy.OK {
		body = g.decode(a, f)
	}
	f.Class = a.Class // its size and type are no matter here
	f.Body = append(f.Body, body[:min(len(body), robots.MaxSize+1)]...)
	g.record(url, a, at, f, "")
	g.trim(f.Size)
}
