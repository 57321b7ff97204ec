package pagelist

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/input"
)

// ReadWeights reads the weights of pages that jumps lead to. A page that is not in
// the graph is an error; weights of pages that share a URL add up.
func ReadWeights(g *graph.Graph, name string) ([]float64, error) {
	values := make([]float64, g.Pages())
	seen := make([]bool, g.Pages())
	err := scaledValues(g, name, values, func(key []byte, p graph.Page, err error) (bool, error) {
		if err == nil && seen[p] && g.Card().RepeatedURLs == 0 {
			err = fmt.Errorf("page %s for the second time", key)
		}
		if err == nil {
			seen[p] = true
		}
		return true, err
	})
	return values, err
}

// ReadStart reads values to begin with, those of an earlier crawl for instance: pages
// that are no more are skipped, and so are all but the first of a page.
func ReadStart(g *graph.Graph, name string) (values []float64, gone int64, err error) {
	values = make([]float64, g.Pages())
	seen := make([]bool, g.Pages())
	err = scaledValues(g, name, values, func(_ []byte, p graph.Page, err error) (bool, error) {
		if err != nil {
			gone++
			return false, nil
		}
		first := !seen[p]
		seen[p] = true
		return first, nil
	})
	return values, gone, err
}

// scaledValues reads a file of "id TAB value" or "URL TAB value" and adds what take
// wants to the values of pages. They are scaled to a maximum of 1: only their
// proportions count, and sums of huge or tiny ones would not be numbers.
func scaledValues(g *graph.Graph, name string, values []float64, take func(key []byte, p graph.Page, err error) (bool, error)) error {
	f, err := input.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	err = input.Values(f, func(key []byte, v float64) error {
		p, err := Page(g, key)
		use, err := take(key, p, err)
		switch {
		case err != nil || !use:
			return err
		case v < 0:
			return fmt.Errorf("value %g is below 0", v)
		}
		values[p] = min(values[p]+v, math.MaxFloat64)
		return nil
	})
	if err != nil || len(values) == 0 {
		return err
	}
	most := slices.Max(values)
	if most == 0 {
		return fmt.Errorf("%s: no value above 0 for a page of %s", f.Name(), g.Path())
	}
	for p := range values {
		values[p] /= most
	}
	return nil
}

// Highest returns the n pages with the highest values, the smallest id first among equals.
func Highest(score []float64, n int, absent func(graph.Page) bool) []graph.Page {
	var pages []graph.Page
	for p := range score {
		if !absent(graph.Page(p)) {
			pages = append(pages, graph.Page(p))
		}
	}
	slices.SortFunc(pages, func(p, q graph.Page) int {
		return cmp.Or(cmp.Compare(score[q], score[p]), cmp.Compare(p, q))
	})
	return pages[:min(n, len(pages))]
}
