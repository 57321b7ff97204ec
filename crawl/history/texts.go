package history

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/event"
)

// EachText calls fn with the URLs, titles and texts of the HTML pages in WARC files, in their
// order, until fn returns an error. A page that was fetched several times comes several times.
// Titles and texts are valid until fn returns.
func EachText(ctx context.Context, files []string, fn func(url string, title, text []byte) error) error {
	x := texts{warcFeed: warcFeed{g: gather.New(&gather.Options{})}}
	x.fn = func(url string, _ *gather.Found) error {
		title, text := x.g.Text()
		return fn(url, title, text)
	}
	return x.read(ctx, files)
}

// EachFound calls fn with the URLs of these pages, and what a gatherer finds in them.
func EachFound(ctx context.Context, files []string, o *gather.Options, fn func(url string, f *gather.Found) error) error {
	x := texts{warcFeed: warcFeed{g: gather.New(o)}, fn: fn}
	return x.read(ctx, files)
}

func (x *texts) read(ctx context.Context, files []string) error {
	for _, name := range files {
		if err := x.file(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// texts reads pages from WARC files.
type texts struct {
	warcFeed
	fn func(url string, f *gather.Found) error
}

func (x *texts) file(ctx context.Context, name string) error {
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	return eachResponse(in, name, func(int64) error { return ctx.Err() }, x.text)
}

// text passes on the text of a response.
func (x *texts) text(rec *archive.Record) error {
	url, a, err := x.answer(rec)
	if err != nil || a == nil || a.Class != event.OK || strings.HasSuffix(url, "/robots.txt") {
		return err
	}
	if x.g.Page(url, a, time.Time{}, &x.found); x.found.Class != event.OK {
		return nil
	}
	return x.fn(url, &x.found)
}
