package crawl

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/policy"
)

// oldValue is the value of a page in the earlier crawl, which had two pages of three.
func oldValue(p graph.Page) (float64, bool) {
	return float64(1 + policy.Hash(5, uint64(p))%1000), p%3 != 0
}

// writeHistory writes the list of an earlier crawl of the web, and makes the crawl use it.
func (w *testWeb) writeHistory(t *testing.T, pages int, policyName string) {
	t.Helper()
	var b bytes.Buffer
	for p := range graph.Page(pages) {
		if v, ok := oldValue(p); ok {
			fmt.Fprintf(&b, "%s\t%g\n", w.server.URL(p), v)
		}
	}
	w.o.Config.Policy, w.o.Config.History = policyName, filepath.Join(t.TempDir(), "old.tsv")
	if err := os.WriteFile(w.o.Config.History, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// order returns the pages of the web in the order of the crawl.
func (w *testWeb) order(t *testing.T) (list []graph.Page) {
	t.Helper()
	for _, f := range w.fetches(t) {
		list = append(list, f.page)
	}
	return list
}

// With the pages of the earlier crawl known from the start, a crawl of one site fetches them
// by their values, before all others.
func TestHistoryDecides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 120, 1, answer.Options{})
		w.writeHistory(t, 120, "historical-pagerank")
		w.run(t)
		w.verified(t)
		w.sameFromRecords(t)
		got := w.order(t)
		want := make([]graph.Page, 0, 120)
		for p := range graph.Page(120) {
			if _, old := oldValue(p); old {
				want = append(want, p)
			}
		}
		slices.SortStableFunc(want, func(p, q graph.Page) int {
			a, _ := oldValue(p)
			b, _ := oldValue(q)
			return int(b - a)
		})
		if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
			t.Errorf("the order is %v, want %v and then others", got, want)
		}
	})
}

// The values are in the journal: a crawl that is paused again and again has the order of one
// that is not, although the list of the earlier crawl is gone.
func TestHistoryIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		whole := newTestWeb(t, 60, 1, answer.Options{})
		whole.writeHistory(t, 60, "historical-pagerank/new=random/known=false")
		whole.run(t)
		w := newTestWeb(t, 60, 1, answer.Options{})
		w.writeHistory(t, 60, "historical-pagerank/new=random/known=false")
		for _, pages := range []int64{20, 0} {
			w.o.Config.Pages = pages
			w.run(t)
			w.sameFromRecords(t)
			os.Remove(w.o.Config.History)
			time.Sleep(time.Hour)
		}
		w.verified(t)
		if got, want := w.order(t), whole.order(t); !slices.Equal(got, want) || len(want) < 50 {
			t.Errorf("the order is %v, want %v", got, want)
		}
	})
}

// A crawl of a list has a history, too: no page but the seeds is in its scope.
func TestHistoryOfList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 20, 1, answer.Options{})
		w.writeHistory(t, 20, "historical-pagerank")
		w.o.Config.List, w.o.Seeds = true, []string{w.server.URL(1), w.server.URL(2), w.server.URL(4)}
		if sum := w.run(t); sum.Fetched != 3 {
			t.Errorf("%d pages fetched, want the 3 of the list", sum.Fetched)
		}
	})
}

// The memory of the values is counted.
func TestHistoryTakesMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 60, 1, answer.Options{})
		w.writeHistory(t, 60, "historical-pagerank/known=false")
		w.run(t)
		c := w.history(t)
		defer c.Close()
		s, err := c.State()
		if err != nil {
			t.Fatal(err)
		}
		sizes := map[string]int64{}
		s.Account(func(name string, n int64) { sizes[name] += n })
		if s.Prior.Len() != 40 || sizes["prior values"] == 0 || sizes["prior seen pages"] == 0 {
			t.Errorf("%d values in %v", s.Prior.Len(), sizes)
		}
	})
}

// A history that is wrong, and one that is not that of the crawl, are refused with a hint.
func TestHistoryRefused(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "in the scope"},
		{"http://elsewhere.invalid/\t1\n", "in the scope"},
		{"17\t1\n", "old.tsv:1"},
		{"http://s0.example/\t-1\n", "below 0"},
		{"http://s0.example/\tx\n", "old.tsv:1"},
		{"http://s0.example/\t0\n", "sum to 0"},
	} {
		w := newTestWeb(t, 20, 1, answer.Options{})
		w.writeHistory(t, 20, "historical-pagerank")
		w.o.Config.Scope = "seeds"
		if err := os.WriteFile(w.o.Config.History, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		w.refused(t, test.want)
	}
	synctest.Test(t, func(t *testing.T) {
		w := newTestWeb(t, 20, 1, answer.Options{})
		w.writeHistory(t, 20, "opic")
		w.run(t)
		first := w.o.Config.History
		for _, other := range []string{"", "other.tsv"} {
			w.o.Config.History = other
			w.refused(t, "began with --history "+first)
		}
	})
}

// refused runs the crawl, which must end with an error that has a hint.
func (w *testWeb) refused(t *testing.T, want string) {
	t.Helper()
	var hinted *hint.Error
	_, err := Run(t.Context(), w.o)
	if !errors.As(err, &hinted) || hinted.Hint == "" || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one about %q with a hint", err, want)
	}
}
