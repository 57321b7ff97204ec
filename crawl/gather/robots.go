package gather

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/event"
)

// Robots reads the answer for a robots.txt: its text goes to f.Body, and its records are
// made. What it means is left to package robots; see RobotsResponse.
func (g *Gatherer) Robots(url string, a *fetch.Answer, at time.Time, f *Found) {
	g.begin(url, a, f)
	g.record(url, a, at, f, "")
	text := ReadRobots(&g.decoder, a)
	f.Class, f.Note = a.Class, a.Note // its size and type are no matter here
	if text != nil {
		f.Size = int64(len(text))
	}
	f.Body = append(f.Body, text...)
	g.trim(f.Size)
}

// ReadRobots returns the text of a robots.txt, up to one byte more than the limit, which
// shows that it is longer; nil if there is none. If the content coding cannot be undone, or
// breaks off, the answer becomes one of class ServerError: what is missing may forbid
// anything. Some servers name codings that do not exist. Then the body is the text if it
// looks like text.
func ReadRobots(d *fetch.Decoder, a *fetch.Answer) []byte {
	if a.Class != event.OK && a.Class != event.TooLarge {
		return nil
	}
	const most = robots.MaxSize + 1
	coding := strings.Join(a.Header["Content-Encoding"], ",")
	text, err := d.Decode(nil, a.Body, coding, most)
	switch {
	case err == nil || len(text) == most: // what comes after it is never read
		return text
	case errors.Is(err, fetch.ErrCoding) && isText(a.Body):
		return slices.Clone(a.Body[:min(len(a.Body), most)])
	}
	a.Class, a.Note = event.ServerError, "robots.txt cannot be read: "+err.Error()
	return nil
}

// RobotsResponse returns an answer that ReadRobots has read, as robots.Limits.Judge takes
// it: after a number of redirects, with the normal form of the next target, "" if there is
// none. A text that broke off or cannot be read is no answer.
func RobotsResponse(a *fetch.Answer, hops int, target string) robots.Response {
	r := robots.Response{Status: a.Status, Hops: hops, Astray: target == "", RetryAfter: a.RetryAfter}
	switch a.Class {
	case event.Timeout, event.ConnectError, event.TLSError, event.DNSError, event.Crashed:
		r.Status = 0
	case event.ServerError:
		if a.Status/100 == 2 {
			r.Status = 0
		}
	}
	return r
}

// isText reports whether a body has no control characters but those of lines and blanks.
func isText(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c < ' ' && (c < '\t' || c > '\r') || c == 0x7f })
}

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
