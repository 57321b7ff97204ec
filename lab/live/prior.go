package live

import (
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/policy"
)

// History returns the values of the earlier crawl that the crawl began with, nil if there was
// none. They are valid until the world is closed.
func (w *World) History() (*lab.History, error) {
	s, err := w.Crawl.State()
	if err != nil || s.Prior == nil {
		return nil, err
	}
	value := func(p graph.Page) (float64, bool) { return s.Prior.Value(w.Graph.AppendURL(nil, p)) }
	h := &lab.History{Prior: policy.Prior{Value: value, All: s.Prior.Policy().All}}
	for p := range graph.Page(w.Graph.Pages()) {
		if _, ok := value(p); ok {
			h.Old++
		}
	}
	h.Gone = s.Prior.Len() - h.Old
	return h, nil
}
