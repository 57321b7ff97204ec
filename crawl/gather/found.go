package gather

import (
	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/event"
)

// A Found is the result of reading an answer. It shares no memory with the gatherer. It
// goes to the loop through a channel, returns through a pool and is filled again, without
// allocating much once its buffers have grown. Records.Bytes are made for each answer
// and not used again: they may go to archive.Writer as they are.
type Found struct {
	Class  event.Class // that of the answer, or a worse one: NotHTML, TooLarge, HTTPError, Crashed
	Status int         // HTTP status, 0 without an answer
	Note   string      // a message for people if something is wrong, else ""

	Links Links    // of a page or redirect; the pages of a sitemap
	Files []string // of a sitemap index: normal forms of further files, which may repeat and go in circles
	Body  []byte   // of a robots.txt

	Records archive.Records // Bytes is nil where there is nothing to store

	Digest    page.Digest // of the structural text
	page.Gist             // of its words
	// Targets is of where the links of a page lead and of what pictures it shows: two
	// hashes of 32 bits. The upper one is of all of it as it is; in the lower one ids are
	// left out, which differ between copies of one page for different visitors.
	Targets  uint64
	Pictures uint32 // hash of the pictures alone, 0 without any
	Title    string
	Media    string // type/subtype, lower case
	Charset  string // of a page, by its WHATWG name

	ETag, Modified string // validators for the next request
	Tags           robots.Tags
	Size           int64 // bytes without content coding
	Cut            page.Cut
	Dropped        int // links left out because of limits
	Foreign        int // entries of a sitemap that are of another site, and so do not count

	// Refs counts the hrefs of the links by what became of them: those from
	// page.NotHTTP on have no normal form and are no links.
	Refs [page.Credentials + 1]int
}

// Reset makes the Found empty and keeps its buffers, unless they are unusually large.
func (f *Found) Reset() {
	links, body := f.Links, f.Body[:0]
	links.reset()
	if cap(body) > maxFound {
		body = nil
	}
	*f = Found{Links: links, Body: body}
}

// maxFound is the most memory of one buffer that a Found keeps, in bytes. There are as
// many of them as fetchers, and more: ten thousand times a megabyte is too much.
const maxFound = 64 << 10
