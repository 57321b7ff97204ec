package gather

import (
	"context"
	"net/http"
	"net/netip"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
)

// A RobotsFetcher fetches a robots.txt outside a crawl and judges it as a crawl does.
type RobotsFetcher struct {
	Options fetch.Options

	// Lookup returns the addresses of a host. With a proxy it is nil.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)

	// Header returns the additional headers of requests to a site.
	Header func(site []byte) http.Header

	decoder fetch.Decoder
}

// A RobotsFile is the result of fetching a robots.txt.
type RobotsFile struct {
	URL    string // of the last request
	Class  robots.Class
	Status int // of the last answer, 0 if there was none
	Hops   int // redirects followed
	Note   string
	Text   []byte // if Class is Found
}

// Fetch returns the robots.txt of a site. It follows redirects. An error means that ctx is
// done: a site that does not answer is a result.
func (f *RobotsFetcher) Fetch(ctx context.Context, site string) (*RobotsFile, error) {
	r := &RobotsFile{URL: site + "/robots.txt"}
	var resolver page.Resolver
	for {
		a := f.get(ctx, r.URL)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		text := ReadRobots(&f.decoder, a)
		target := RedirectTarget(&resolver, r.URL, a)
		r.Class, _ = robots.Limits{}.Judge(RobotsResponse(a, r.Hops, target))
		r.Status, r.Note = a.Status, a.Note
		switch r.Class {
		case robots.Moved:
			r.Hops++
			r.URL = target
			continue
		case robots.Found:
			r.Text = text
		}
		return r, nil
	}
}

// get makes one request. For a host without an address it returns an empty answer.
func (f *RobotsFetcher) get(ctx context.Context, url string) *fetch.Answer {
	site, _ := page.Site([]byte(url))
	q := &fetch.Request{Header: f.Header(site), URL: url, Last: true, Prefix: true, MaxBody: robots.MaxSize + 1, Accept: "text/plain,*/*;q=0.5"}
	if f.Lookup != nil {
		var err error
		if q.Addrs, err = f.Lookup(ctx, string(page.Host([]byte(url)))); err != nil {
			return &fetch.Answer{Note: err.Error()}
		}
	}
	client := fetch.NewClient(&f.Options)
	defer client.Close()
	return client.Do(ctx, q)
}

// RedirectTarget returns where an answer redirects to, in normal form. It returns "" if
// the answer does not redirect or its target is unusable.
func RedirectTarget(r *page.Resolver, url string, a *fetch.Answer) string {
	if a.Location == "" || !r.Document([]byte(url)).Usable() {
		return ""
	}
	to, verdict := r.Resolve(nil, []byte(strings.TrimSpace(a.Location)))
	if !verdict.Usable() {
		return ""
	}
	return string(to)
}
