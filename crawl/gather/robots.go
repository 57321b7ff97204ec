package gather

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/fetch"
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

// ReadRobots returns the text of a robots.txt, as much as is ever read of one and one byte, so
// that it shows when there is more; nil if there is none. Where the content coding cannot
// be undone, or breaks off, the answer becomes one of class ServerError: what is missing
// may forbid anything. Servers name codings that are none, so under an unknown name the
// body is taken for the text if it looks like one.
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

// RobotsResponse returns an answer that ReadRobots has seen, as robots.Limits.Judge takes it:
// after so many redirects, with the normal form of the next target, "" if there is none. A
// text that broke off or cannot be read is no answer.
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
