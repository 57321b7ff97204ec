package boards

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/experiment/experimenttest"
	"github.com/winnow-crawler/winnow/lab/leaderboard"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// boardBench returns two small webs, the second without sites and URLs.
func boardBench(t testing.TB, policies ...string) *experiment.Bench {
	b := &experiment.Bench{Context: context.Background(), Random: 3, Threads: 2, Starts: 3, Policies: policies}
	b.Places = []*experiment.Place{experimenttest.Fake(t, fakeweb.Spec{Pages: 600, Sites: 10, Links: 5_000, Seed: 1}), experimenttest.Small(t, "siteless", 300, 1, false)}
	return b
}

func boardReport(t testing.TB, b *experiment.Bench) *show.Report {
	t.Helper()
	r, err := experimenttest.Named(t, Experiments(), LeaderboardName).Run(b)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Regret on the board is that of the definition, from crawls made one by one: mean over the
// starts, against the better oracle and the mean of three random orders.
func TestLeaderboard(t *testing.T) {
	b := boardBench(t, "xim", "breadth-first", "opic", "location")
	r := boardReport(t, b)
	p := b.Places[0]
	regrets := 0.0
	graph := &boardGraph{Bench: b, place: p, board: &leaderboard.Board{Policies: make([]leaderboard.Policy, 7)}}
	starts := graph.starts()
	if len(starts) != 3 || len(starts[1].seeds) != 1 || len(starts[2].seeds) != 20 {
		t.Fatalf("starts %v", starts)
	}
	truth, err := measure.PageRankTruth(p.World.Web(), measure.TruthOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range starts {
		average := func(policy string, random uint64) float64 {
			set := b.Setting(p, truth)
			set.Seeds, set.Random = s.seeds, random
			c, err := set.Prepare()
			if err != nil {
				t.Fatal(err)
			}
			return experimenttest.Crawled(t, c, policy).Measures.Average
		}
		floor := (average("random", 3) + average("random", 4) + average("random", 5)) / 3
		ceiling := max(average("horn", 3), average("omniscient", 3))
		regrets += (ceiling - average("xim", 3)) / (ceiling - floor) / 3
	}
	var got []show.Cell
	for _, row := range experimenttest.Section(t, r, "Regret by graph").Table.Rows {
		if row[0].String() == "xim" {
			got = row
		}
	}
	if math.Abs(got[2].Value()-regrets) > 1e-9 {
		t.Errorf("regret of xim on the first graph %v, want %v", got[2].Value(), regrets)
	}
	if !strings.HasPrefix(r.Verdict, "xim has a mean regret of ") {
		t.Error(r.Verdict)
	}
	for _, row := range experimenttest.Section(t, r, "Time under politeness, r = 64").Table.Rows {
		if !(row[1].Value() > 0) || row[2].String() != "-" {
			t.Errorf("hours of %s: %s and, without sites, %s", row[0], row[1], row[2])
		}
	}
}

// The board is a function of graphs, policies and random seed, but for the measured table; an
// earlier run stands in for published policies.
func TestLeaderboardReuse(t *testing.T) {
	text := func(r *show.Report) string {
		var out bytes.Buffer
		for i, s := range r.Sections {
			if s.Title == "Time per link, measured" {
				r.Sections[i].Table = nil
			}
		}
		if err := r.WriteJSON(&out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	b := boardBench(t, "xim", "breadth-first", "opic")
	first := boardReport(t, b)
	var whole bytes.Buffer
	if err := first.WriteJSON(&whole); err != nil {
		t.Fatal(err)
	}
	want := text(first)
	one := boardBench(t, "xim", "breadth-first", "opic")
	one.Threads = 1
	if got := text(boardReport(t, one)); got != want {
		t.Error("another number of threads gives another board")
	}
	reuse := func(from string) *show.Report {
		again := boardBench(t, "xim", "breadth-first", "opic")
		earlier, err := leaderboard.ReadEarlier(strings.NewReader(from))
		if err != nil {
			t.Fatal(err)
		}
		again.Earlier = earlier
		return boardReport(t, again)
	}
	if got := text(reuse(whole.String())); got != want {
		t.Error("results that were taken over give another board")
	}
	changed := strings.Replace(whole.String(), `"breadth-first": 0.6`, `"breadth-first": 0.5`, 1)
	if changed == whole.String() {
		t.Fatal("nothing to change")
	}
	if text(reuse(changed)) == want {
		t.Error("nothing was taken over")
	}
}

func TestLeaderboardPolicies(t *testing.T) {
	for _, names := range [][]string{{"opic", "opic/cash=seeds"}, {"nothing"}, {"opic", "xim"}, {"random"}} {
		if CheckBoard(names) == nil {
			t.Errorf("%v are accepted", names)
		}
	}
	if err := CheckBoard(nil); err != nil {
		t.Error(err)
	}
	list, err := boardPolicies((&experiment.Bench{Policies: []string{"default", "random", "xim", "historical-pagerank", "location"}}))
	if err != nil || len(list) != 7 || list[1].Kind != leaderboard.Own || list[2].Kind != leaderboard.Other || list[0].Name == "default" {
		t.Errorf("policies %v (%v)", list, err)
	}
	if _, err := experimenttest.Named(t, Experiments(), LeaderboardName).Run(boardBench(t, "xim", "location")); !errors.Is(err, leaderboard.ErrRivals) {
		t.Errorf("a board whose only published policy cannot run on a graph: %v", err)
	}
}
