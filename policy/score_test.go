package policy

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/queue"
	"github.com/winnow-crawler/winnow/score"
	"github.com/winnow-crawler/winnow/topic"
)

// newScore returns the policy score over four pages, 0 and 1 of one site, 2 and 3 of another,
// after page 0 was fetched in 2 s with links to 1 and 2, and page 2 in 0.5 s with links to 1 and 3.
func newScore(t *testing.T, expression string) *scored {
	t.Helper()
	s, _ := newScoreOver(t, expression)
	return s
}

// newScoreOver returns the queue of its board, too.
func newScoreOver(t *testing.T, expression string) (*scored, *queue.Queue) {
	t.Helper()
	f, err := score.Compile(expression)
	if err != nil {
		t.Fatal(err)
	}
	if f.Imported, err = score.NewImported([]string{"s1.example"}, []float64{7}); err != nil {
		t.Fatal(err)
	}
	e, q := newEnv(facts{0, 0, 1, 1}, 2)
	out := [][]graph.Page{{1, 2}, nil, {1, 3}, nil}
	e.Score = f
	e.Out = func(p graph.Page) []graph.Page { return out[p] }
	e.URL = func(b []byte, p graph.Page) []byte {
		return fmt.Appendf(b, "http://s%d.example/%d/", e.Facts.Site(p), p)
	}
	e.Discounted = func(p graph.Page) bool { return p == 3 }
	giveTopic(t, e)
	made, err := newScored(e, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := made.(*scored)
	t.Cleanup(s.Free)
	for p := range graph.Page(4) {
		q.Page(p, e.Facts.Site(p))
		s.Known(p, graph.NoPage)
		if q.Push(p); p == 0 {
			s.Seeded(0, 1)
		}
	}
	read := &event.Reading{Words: 10, Hits: []event.Hit{{Link: 0, Anchor: 1}, {Link: 1, Around: 3}}}
	for _, visit := range []struct {
		p graph.Page
		o event.Outcome
	}{{0, event.Outcome{Took: 2 * time.Second, Read: read, Similarity: 0.8, Hot: true}}, {2, event.Outcome{Took: time.Second / 2, Read: &event.Reading{Words: 10}}}} {
		q.Remove(visit.p)
		visit.o.First = 4
		s.Done(0, visit.p, &visit.o, out[visit.p])
	}
	for s.Work(10) {
	}
	return s, q
}

// giveTopic lets an environment have a topic of two words of the same weight, of which page 0 has
// much and the others have nothing.
func giveTopic(t *testing.T, e *Env) {
	t.Helper()
	terms := []topic.Term{{Word: "one", Weight: 1}, {Word: "other", Weight: 1}}
	of, err := topic.New([]topic.Query{{Terms: terms}}, topic.Rule{IDF: topic.NoIDF}, topic.PaperHot())
	if err != nil {
		t.Fatal(err)
	}
	e.Topic = topic.NewCollection(of)
	t.Cleanup(e.Topic.Free)
	e.Similarity = func(p graph.Page) (float64, bool) { return map[graph.Page]float64{0: 0.8}[p], p == 0 }
}

// TestScoreExplained checks all terms of the four pages by hand, and that Explain shows them
// (M22, M26).
func TestScoreExplained(t *testing.T) {
	var names []string
	for _, info := range score.Table() {
		names = append(names, info.Name)
	}
	s := newScore(t, strings.Join(names, " + "))
	missing, pagerank := math.NaN(), 4/6.205 // y = 1 + 0.9 sum y/out: 1, 2.1025, 1.45 and 1.6525, of sum 6.205
	remote := 4 / 6.61                       // over the links from 0 to 2 and from 2 to 1: y is 1, 1+0.9*1.9, 1+0.9 and 1
	want := map[string][4]float64{
		"pagerank":         {pagerank, 2.1025 * pagerank, 1.45 * pagerank, 1.6525 * pagerank},
		"pagerank_remote":  {remote, 2.71 * remote, 1.9 * remote, remote},
		"backlinks":        {0, 2, 1, 1},
		"sites_in":         {0, 2, 1, 1},
		"authority":        {0, 2, 1, 1}, // hubs of 0 and 2 are equal
		"authority_remote": {0, 2, 2, 0}, // links from 0 to 2 and from 2 to 1
		"cash":             {0, 0.75, 0, 0.25},
		"location":         {-2, -2, -2, -2},
		"imported":         {missing, missing, 7, 7},
		"site_pages":       {2, 2, 2, 2},
		"site_links":       {1, 1, 1, 1},
		"site_pagerank":    {3.1025 / 2 * pagerank, 3.1025 / 2 * pagerank, 3.1025 / 2 * pagerank, 3.1025 / 2 * pagerank},
		"site_backlinks":   {1, 1, 1, 1},
		"site_speed":       {0.5, 0.5, 2, 2},
		"depth":            {0, 0, 0, 0},
		"near_duplicate":   {0, 0, 0, 1},

		"similarity":        {0.8, 0.5, 0, 0}, // page 2 was read; page 1 waits
		"anchor_similarity": {0, 0.5, 0, 0},
		"around_similarity": {0, 0, 1, 0},
		"url_similarity":    {0, 0, 0, 0},
		"parent_similarity": {0, 0.8, 0.8, 0},
		"hot_distance":      {0, 1, 1, 2},
	}
	for p := range graph.Page(4) {
		share := 0.0
		for _, f := range s.Explain(p) {
			share += f.Share
		}
		for i, x := range s.Appraise(p).Terms {
			w := want[x.Name][p]
			if x.Name != names[i] || (x.Value == nil) != math.IsNaN(w) || x.Value != nil && math.Abs(*x.Value-w) > 1e-3 {
				t.Errorf("page %d has %+v, want %v", p, x, w)
			}
		}
		if math.Abs(share-1) > 1e-9 {
			t.Errorf("page %d: the shares add up to %v", p, share)
		}
	}
	if s.Note() != "" {
		t.Error(s.Note())
	}
}

// TestScoreClamped: a board has the result itself, Worth is from 0 to 1; what has no finite
// result is 0, with a note.
func TestScoreClamped(t *testing.T) {
	s := newScore(t, "backlinks")
	if v, x := s.board.Value(1), s.Appraise(1); v != 2 || x.Score != 1 || *x.Terms[0].Value != 2 {
		t.Errorf("value %v, %+v", v, x)
	}
	s = newScore(t, "1/backlinks")
	if s.Note() == "" || s.board.Value(0) != 0 || s.board.Value(1) != 0.5 {
		t.Errorf("%q, %v, %v", s.Note(), s.board.Value(0), s.board.Value(1))
	}
}

// TestScoreKeeps: links and columns are kept only if a term needs them.
func TestScoreKeeps(t *testing.T) {
	for expression, keeps := range map[string]bool{"location": false, "backlinks + site_speed": false, "pagerank": true, "pagerank_remote": true, "site_pagerank": true, "sites_in": true, "authority": true, "authority_remote": true} {
		if s := newScore(t, expression); s.KeepsLinks(0) != keeps {
			t.Errorf("%s: it keeps links: %v", expression, !keeps)
		}
	}
	small, large := 0, 0
	newScore(t, "depth").Columns(func(graph.AnyColumn) { small++ })
	newScore(t, "sites_in + cash + site_speed").Columns(func(graph.AnyColumn) { large++ })
	if small >= large {
		t.Errorf("%d columns for depth, %d for more", small, large)
	}
}

// TestScoreAgain: a page that is to be tried again has the value that it has by then.
func TestScoreAgain(t *testing.T) {
	s, q := newScoreOver(t, "backlinks")
	q.Remove(3)
	s.Done(0, 1, &event.Outcome{First: 4}, []graph.Page{3})
	if v := s.board.Value(3); v != 1 {
		t.Errorf("under way it has %v", v)
	}
	s.Done(0, 3, &event.Outcome{Again: true, Class: event.Timeout}, nil)
	if v := s.board.Value(3); v != 2 {
		t.Errorf("to be tried again it has %v, want 2", v)
	}
}

// TestScoreReplaced: another function over the terms that are kept gives all waiting pages their
// values by it, in slices or at once.
func TestScoreReplaced(t *testing.T) {
	other, err := score.Compile("1 - q(backlinks)/2 + depth")
	if err != nil {
		t.Fatal(err)
	}
	for _, atOnce := range []bool{true, false} {
		s := newScore(t, "q(backlinks) + cash + depth")
		if !s.keeps.Cover(other.Needs) {
			t.Fatal("a term is not kept")
		}
		s.UseScore(other)
		s.Rerank(atOnce)
		for slices := 0; s.Work(1); slices++ {
			if atOnce || slices > 100 {
				t.Fatalf("at once: %v, and there is work left", atOnce)
			}
		}
		for _, p := range []graph.Page{1, 3} {
			want, _ := other.Eval(s.values(p), s.places)
			if v := s.board.Value(p); v != want {
				t.Errorf("at once %v: page %d has %v, want %v", atOnce, p, v, want)
			}
		}
	}
}
