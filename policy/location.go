package policy

import (
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/score"
)

// Location: Cho, Garcia-Molina, Page 1998, section 2, IL.
//
//	value(p) = -(slashes in the path) - (1 if there is a query)
//	           + (1 if the URL contains "home", or the path is empty or "/")
//
// It knows only the URL, so a page has its final value when it becomes known. Cost per
// link: none; per page: one scan of its URL.
//
// Where it fails: if URLs are flat, as in most content systems, they do not differ, and
// anybody can choose a short path.

func locationSpec() *Spec {
	return &Spec{
		Name:   "location",
		Source: "Cho 1998",
		What:   "short paths first, by the URL alone",
		URLs:   true,
		New: func(e *Env, _ Params) (Policy, error) {
			var url []byte // reused for each page; no state
			rules := score.DefaultRules()
			return &location{fixed{e.Boards[0], func(p graph.Page) float64 {
				url = e.URL(url[:0], p)
				return rules.Value(url)
			}}, e.URL}, nil
		},
	}
}

type location struct {
	fixed
	url func(b []byte, p graph.Page) []byte
}

// Explain returns the three numbers that are added up.
func (l *location) Explain(p graph.Page) (list []Factor) {
	names := map[string]string{"slash": "slashes in the path", "query": "query", "home": "home page"}
	score.DefaultRules().Each(l.url(nil, p), func(r score.Rule, points float64) {
		list = append(list, Factor{Name: names[r.Kind], Value: points})
	})
	return list
}
