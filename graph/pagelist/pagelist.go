// Package pagelist reads files that name pages of a graph by URL or id: values of pages, seeds.
package pagelist

import (
	"bytes"
	"fmt"
	"math"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/internal/input"
)

// Values holds the values of a file for the pages of a graph.
type Values struct {
	Of    []float64 // by page; NaN where there is none
	Gone  []float64 // of pages that are not in the graph
	Again int64     // lines about a page that had a value already, which are skipped
}

// ReadValues reads lines "id TAB value" or "URL TAB value". A value is never negative.
// Lines with URLs do not fit a graph without URLs.
func ReadValues(g *graph.Graph, name string) (*Values, error) {
	f, err := input.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	v := &Values{Of: make([]float64, g.Pages())}
	for p := range v.Of {
		v.Of[p] = math.NaN()
	}
	err = input.Values(f, func(key []byte, value float64) error {
		if value < 0 {
			return fmt.Errorf("value %g is below 0", value)
		}
		p, err := Page(g, key)
		_, idErr := input.ParseID(key)
		switch {
		case err != nil && idErr != nil && !g.HasURLs():
			return err
		case err != nil:
			v.Gone = append(v.Gone, value)
		case !math.IsNaN(v.Of[p]):
			v.Again++
		default:
			v.Of[p] = value
		}
		return nil
	})
	return v, err
}

// Known returns the number of pages that have a value.
func (v *Values) Known() (n int64) {
	for _, x := range v.Of {
		if !math.IsNaN(x) {
			n++
		}
	}
	return n
}

const seedHint = "--seeds takes homes, best or a file with URLs or ids"

// Seeds reads URLs or ids, one per line; empty lines and those that begin with #
// are skipped, and a page counts once, where it is named first.
func Seeds(g *graph.Graph, name string) ([]graph.Page, error) {
	f, err := input.Open(name)
	if err != nil {
		return nil, &hint.Error{Err: err, Hint: seedHint}
	}
	defer f.Close()
	var seeds []graph.Page
	known := map[graph.Page]bool{}
	err = input.Lines(f, func(_ int, text []byte) error {
		text = bytes.TrimSpace(text)
		if len(text) == 0 || text[0] == '#' {
			return nil
		}
		p, err := Page(g, text)
		if err == nil && !known[p] {
			known[p] = true
			seeds = append(seeds, p)
		}
		return err
	})
	if err == nil && len(seeds) == 0 {
		err = &hint.Error{Text: name + ": no seed in it", Hint: seedHint}
	}
	return seeds, err
}

// Page returns the page that a line of a list names by its URL or its id.
func Page(g *graph.Graph, name []byte) (graph.Page, error) {
	if p, ok := g.Lookup(string(name)); ok {
		return p, nil
	}
	id, err := input.ParseID(name)
	if err != nil {
		if g.HasURLs() {
			return 0, fmt.Errorf("no page of %s has the URL %s", g.Path(), input.Quote(name))
		}
		return 0, fmt.Errorf("id %w (the URLs of %s are not known)", err, g.Path())
	}
	if p, ok := g.ByID(id); ok {
		return p, nil
	}
	return 0, fmt.Errorf("no page of %s has the id %d", g.Path(), id)
}
