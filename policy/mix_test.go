package policy

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/mix"
	"github.com/winnow-crawler/winnow/queue"
)

func mustChoose(t *testing.T, text string) *Choice {
	t.Helper()
	c, err := Choose(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// boards returns new boards for a choice.
func boards(c *Choice, pages int) (out []*Board) {
	for range c.Spec.Count(true) {
		out = append(out, queue.NewBoard(queue.New("test", pages, 1), nil))
	}
	return out
}

// TestMixNeeds: a mix needs what any of its parts needs, and has the boards of all.
func TestMixNeeds(t *testing.T) {
	plain, urls := &Env{MaxPages: 100_000}, &Env{MaxPages: 100_000, URL: func(b []byte, _ graph.Page) []byte { return b }}
	for _, c := range []struct {
		text   string
		env    *Env
		oracle bool
		boards int
		is     error
	}{
		{"mix", plain, false, 2, nil},
		{"mix:opic", plain, false, 1, nil},
		{"mix:opic+location+opic/cash=all", plain, false, 3, ErrURLs},
		{"mix:opic+location+opic/cash=all", urls, false, 3, nil},
		{"mix:opic+historical-pagerank", plain, false, 2, ErrPrior},
		{"mix:opic+omniscient", plain, false, 2, ErrOracle},
		{"mix:opic+omniscient", plain, true, 2, nil},
		{"mix:opic+historical-pagerank/new=omniscient", plain, false, 2, ErrOracle},
	} {
		choice := mustChoose(t, c.text)
		if err := choice.Check(c.env, c.oracle); !errors.Is(err, c.is) || choice.Spec.Count(true) != c.boards {
			t.Errorf("%s: %d boards and error %v, want %d and %v", c.text, choice.Spec.Count(true), err, c.boards, c.is)
		}
	}
	if err := mustChoose(t, "mix:opic+pagerank").Check(plain, false); err == nil || !strings.Contains(err.Error(), "at most 10000 pages") {
		t.Errorf("a mix with pagerank for 100,000 pages: %v", err)
	}
	if c := mustChoose(t, "mix:opic+partial-pagerank"); !c.Spec.Links {
		t.Error("a mix with partial-pagerank does not keep links")
	}
	for text, want := range map[string]bool{"mix:opic+historical-pagerank": true, "mix:opic+historical-pagerank/known=false": false, "opic": false, "historical-pagerank": true} {
		if got := mustChoose(t, text).OldKnown(); got != want {
			t.Errorf("%s: the old pages are known: %v", text, got)
		}
	}
}

func TestMixErrors(t *testing.T) {
	for text, says := range map[string]string{
		"mix:":                   `unknown policy ""`,
		"mix:opic+":              `unknown policy ""`,
		"mix:opik+xim":           `unknown policy "opik"`,
		"mix:opic*0+xim":         "must be a number above 0 and at most 1000",
		"mix:opic*x+xim":         "must be a number above 0",
		"mix:opic*1e9+xim":       "at most 1000",
		"mix:opic*NaN":           "must be a number above 0",
		"mix:opic/cash=none+xim": "it can be seeds, all",
		"mix:opic+mix":           "made of other policies itself",
		"mix/x=1:opic":           "there are none",
		"opic:xim":               "only mix and hedge",
		"mix:" + strings.Repeat("opic+", 16) + "xim": "17 policies are too many",
	} {
		if _, err := Choose(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want %q", text, err, says)
		}
	}
	bad := mustChoose(t, "mix:opic+batch-pagerank/k=0")
	if _, err := bad.New(&Env{Boards: boards(bad, 1), MaxPages: 1, MaxSites: 1}, nil); err == nil || !strings.Contains(err.Error(), "k=0") {
		t.Errorf("k=0 in a part: %v", err)
	}
}

func TestMixNames(t *testing.T) {
	for text, want := range map[string]string{
		"mix":                                "mix:opic/cash=seeds/remote=+xim",
		"mix:opic+xim":                       "mix:opic/cash=seeds/remote=+xim",
		"mix:xim*2.50+batch-pagerank":        "mix:xim*2.5+batch-pagerank/k=300/ramp=false",
		"mix:breadth-first*1+backlink-count": "mix:breadth-first+backlink-count",
	} {
		if got := mustChoose(t, text).Canonical(300); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if a, b := mustChoose(t, "mix:opic+xim").Spec.Name, mustChoose(t, "mix:opic*2+xim").Spec.Name; a == b {
		t.Errorf("two mixes are called %s, so that one could load what the other saved", a)
	}
	if got := Complete("mix:opic+xi"); !slices.Contains(got, "mix:opic+xim") || slices.Contains(got, "mix:opic+mix") {
		t.Errorf("mix:opic+xi continues as %v", got)
	}
	if got := Complete("mix:xim+opic/"); !slices.Contains(got, "mix:xim+opic/cash=all") {
		t.Errorf("mix:xim+opic/ continues as %v", got)
	}
}

// TestMixTurns: parts have turns by their weights, evenly spread, and a page that another
// board chose is paid for by its part. What a new session voids takes no turn, what failed does.
func TestMixTurns(t *testing.T) {
	c := mustChoose(t, "mix:breadth-first*3+backlink-count+opic*2")
	made, err := c.New(&Env{Boards: boards(c, 100), MaxPages: 100, MaxSites: 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := made.(*mix.Mix)
	defer m.Free()
	for p := range graph.Page(30) {
		m.Known(p, graph.NoPage)
	}
	var turns []int
	for p := range graph.Page(12) {
		b := m.Turn()
		if b != m.Turn() {
			t.Fatal("the turn changes without a page")
		}
		m.Taken(0, p, b)
		m.Done(0, p, &event.Outcome{Again: true}, nil)
		m.Taken(0, p, b)
		m.Done(0, p, &event.Outcome{Again: true, Class: event.Timeout}, nil)
		turns = append(turns, b)
	}
	if want := []int{0, 2, 0, 1, 2, 0, 0, 2, 0, 1, 2, 0}; !slices.Equal(turns, want) {
		t.Errorf("turns %v, want %v", turns, want)
	}
	m.Taken(0, 12, 1)
	counts := [3]int{}
	for p := range graph.Page(11) {
		b := m.Turn()
		counts[b]++
		m.Taken(0, 13+p, b)
	}
	if counts != [3]int{6, 1, 4} {
		t.Errorf("turns %v after one page by the second part out of turn, want 6, 1, 4", counts)
	}
}
