package gather

import (
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/event"
)

// maxErrorBody is the number of bytes that are stored of the body of an answer that is no
// page.
const maxErrorBody = 64 << 10

// record makes the WARC records of an exchange; without the response if there is a reason
// why it is withheld. The builder refuses only what cannot come from a normal form and a
// client; if it does, the note reports it.
func (g *Gatherer) record(url string, a *fetch.Answer, at time.Time, f *Found, why string) {
	g.recordVisit(url, a, at, &archive.Original{}, f, why)
}

// recordVisit does what record does for a page of which an original may be in the archive. If
// the page has not changed since, it makes a revisit record.
func (g *Gatherer) recordVisit(url string, a *fetch.Answer, at time.Time, o *archive.Original, f *Found, why string) {
	if g.opt.Builder == nil || a.Status == 0 {
		return
	}
	x := archive.Exchange{
		URL: url, Time: at, Address: a.Address, Protocol: a.Proto,
		Request:   archive.Request{Header: g.public(a.Request)},
		Response:  archive.Response{Status: a.Status, Reason: a.Reason, Header: a.Header, Head: a.Head, Body: a.Body},
		Truncated: truncation(a.Cut),
	}
	switch {
	case why != "":
		x.Response, x.Truncated, x.Meta = archive.Response{}, archive.Whole, withheldFields(why, f)
	case a.Status == notModified && a.Class == event.OK && !o.Payload.IsZero():
		x.Payload, x.Revisit = o.Payload, o.Revisit(archive.NotModified, url)
	case a.Status == http.StatusOK && !f.Class.Failed() && a.Cut == fetch.CutNot && !o.Payload.IsZero():
		if x.Payload = g.opt.Builder.Sum(a.Body); x.Payload == o.Payload {
			x.Revisit = o.Revisit(archive.IdenticalPayload, url)
		}
	case a.Class != event.OK && a.Class != event.TooLarge && len(a.Body) > maxErrorBody:
		x.Response.Body, x.Truncated = a.Body[:maxErrorBody], archive.Length
	}
	r, err := g.opt.Builder.Build(g.room[:0], &x)
	if err != nil {
		f.Note = err.Error()
		return
	}
	g.room = r.Bytes
	f.Records, f.Revisit = r.Clone(), x.Revisit != nil
}

// public returns a header without secrets: archives are made to be shared.
func (g *Gatherer) public(h http.Header) http.Header {
	secret := func(name string, _ []string) bool { return g.opt.Withheld(name) }
	for name, values := range h {
		if secret(name, values) {
			h = maps.Clone(h)
			maps.DeleteFunc(h, secret)
			return h
		}
	}
	return h
}

// truncation returns the reason of a cut as the archive names it.
func truncation(c fetch.Cut) archive.Truncation {
	switch c {
	case fetch.CutLength:
		return archive.Length
	case fetch.CutTime:
		return archive.Time
	case fetch.CutDisconnect:
		return archive.Disconnect
	}
	return archive.Whole
}

// withheld returns the reason why a page is not stored, "" if it is: its author wants no
// copy, or its type is not wanted.
func (g *Gatherer) withheld(a *fetch.Answer, f *Found) string {
	if tags := f.Tags & (robots.NoIndex | robots.NoArchive); tags != 0 && !g.opt.KeepNoArchive {
		return tags.String()
	}
	if g.doc.htmlOnly && a.Status/100 == 2 && !isHTML(f.Media) {
		return "type"
	}
	return ""
}

// withheldFields returns the lines of the metadata record that replaces a response.
func withheldFields(why string, f *Found) []archive.Field {
	return []archive.Field{
		{Name: "withheld", Value: why},
		{Name: "status", Value: strconv.Itoa(f.Status)},
		{Name: "type", Value: f.Media},
		{Name: "length", Value: strconv.FormatInt(f.Size, 10)}, // that was read
	}
}
