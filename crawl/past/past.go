// Package past reads the values that pages had in an earlier crawl: from a list, or from the
// directory of a crawl, whose PageRank it computes.
package past

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/recut"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/internal/input"
)

// Values are those of the pages of an earlier crawl. Each calls fn for every page, with its
// URL in normal form, in the order of the list or of the discovery of the pages, until fn
// returns an error. The URL is valid until fn returns. Each may be called again.
type Values interface {
	Each(fn func(url []byte, value float64) error) error
	Close()
}

// lines says what a list of values looks like.
const lines = `lines are "URL TAB value", as winnow rank --urls writes them; the directory of a crawl does as well`

// Check returns an error if there is no list and no crawl at a path. It reads little.
func Check(ctx context.Context, path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &hint.Error{Text: "there is no file or directory " + path, Hint: lines}
	case err != nil:
		return &hint.Error{Text: "cannot open " + path, Hint: lines, Err: err}
	case !info.IsDir():
		f, err := input.Open(path)
		if err != nil {
			return &hint.Error{Err: err, Hint: lines}
		}
		return f.Close()
	case !layout.IsCrawl(path):
		return &hint.Error{Text: path + " is not the directory of a crawl", Hint: lines}
	}
	c, err := history.OpenAll(ctx, path)
	if err != nil {
		return err
	}
	c.Close()
	return nil
}

// Open opens the values at a path. Of the directory of a crawl, it computes the PageRank of
// the fetched pages over the links among them, within about a number of bytes of memory and
// what the earlier crawl needed itself.
func Open(ctx context.Context, path string, memory int64) (Values, error) {
	if err := Check(ctx, path); err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return list{path}, err
	}
	return openCrawl(ctx, path, memory)
}

// A list is a file of lines "URL TAB value", plain or compressed.
type list struct{ path string }

func (l list) Close() {}

func (l list) Each(fn func([]byte, float64) error) error {
	f, err := input.Open(l.path)
	if err != nil {
		return &hint.Error{Err: err, Hint: lines}
	}
	defer f.Close()
	var failed error // by fn
	err = input.Values(f, func(key []byte, value float64) error {
		if value < 0 {
			return fmt.Errorf("value %g is below 0", value)
		}
		if _, err := input.ParseID(key); err == nil {
			return fmt.Errorf("%s is no URL", input.Quote(key))
		}
		url, err := page.ParseSeed(string(key))
		if err != nil {
			return nil // no crawl can have such a page
		}
		failed = fn([]byte(url), value)
		return failed
	})
	if failed != nil {
		return failed
	}
	if err != nil {
		return &hint.Error{Err: err, Hint: lines}
	}
	return nil
}

// crawled are the values of a crawl directory.
type crawled struct {
	graph  *graph.Graph
	values []float64
	temp   string // directory of the graph
}

func openCrawl(ctx context.Context, path string, memory int64) (Values, error) {
	temp, err := os.MkdirTemp("", "winnow-history-")
	if err != nil {
		return nil, err
	}
	v := &crawled{temp: temp}
	if err = v.read(ctx, path, memory); err == nil && v.graph.FetchedPages() == 0 {
		err = &hint.Error{Text: "no page of " + path + " was fetched", Hint: "resume it first: winnow crawl --dir " + path}
	}
	if err == nil {
		err = v.rank()
	}
	if err != nil {
		v.Close()
		return nil, err
	}
	return v, nil
}

// read writes the graph of a crawl to a temporary file and opens it.
func (v *crawled) read(ctx context.Context, path string, memory int64) error {
	c, err := recut.Open(ctx, path)
	if err != nil {
		return err
	}
	defer c.Close()
	feed, err := c.Feed()
	if err != nil {
		return err
	}
	file := filepath.Join(v.temp, "crawl.wg")
	o := graph.ImportOptions{Feed: feed, WriteOptions: graph.WriteOptions{Path: file, MaxMemory: memory}}
	if _, err = graph.Import(ctx, o); err == nil {
		v.graph, err = graph.Open(file)
	}
	return err
}

// rank computes the values, with the options of winnow rank --uncrawled absent.
func (v *crawled) rank() error {
	web := &rank.Web{In: v.graph.Backward().Raw(runtime.GOMAXPROCS(0))}
	defer web.In.Free()
	if v.graph.HasUncrawled() {
		web.Fetched = v.graph.Fetched
	}
	r, err := rank.PageRank(web, rank.Options{Follow: 0.9, Tolerance: 1e-9, Uncrawled: rank.Absent})
	if err != nil {
		return err
	}
	v.values = r.Score
	return nil
}

func (v *crawled) Each(fn func([]byte, float64) error) error {
	return v.graph.EachURL(func(p graph.Page, url []byte) error {
		if !v.graph.Fetched(p) || !bytes.HasPrefix(url, []byte("http")) { // lost pages have no URL
			return nil
		}
		return fn(url, v.values[p])
	})
}

func (v *crawled) Close() {
	if v.graph != nil {
		v.graph.Close()
	}
	os.RemoveAll(v.temp)
}
