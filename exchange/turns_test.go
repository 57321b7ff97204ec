package exchange

import (
	"math"
	"testing"
)

// TestTurns: the boards of all partitions together have their shares of the turns, each where its
// best page is the best, also in a partition that is never best on the first board.
func TestTurns(t *testing.T) {
	var turns Turns
	shares := []float64{.6, .3, .1}
	offers := []Offer{
		{Values: []float64{9, 1, math.Inf(-1)}, Shares: shares},
		{Values: []float64{8, 2, 3}, Shares: shares},
		{Shares: shares},
	}
	var served [3][3]int
	for range 1000 {
		part, board, ok := turns.Next(offers)
		if !ok {
			t.Fatal("nobody is served")
		}
		served[part][board]++
	}
	for _, x := range []struct{ part, board, want int }{{0, 0, 600}, {1, 1, 300}, {1, 2, 100}} {
		if n := served[x.part][x.board]; n < x.want-1 || n > x.want+1 {
			t.Errorf("board %d of partition %d has %d turns, want %d", x.board, x.part, n, x.want)
		}
	}
	offers[0].Values, offers[1].Values = nil, []float64{math.Inf(-1), 2, math.Inf(-1)}
	for range 5 {
		if part, board, ok := turns.Next(offers); part != 1 || board != 1 || !ok {
			t.Errorf("board %d of partition %d, %v; only board 1 of 1 has a page", board, part, ok)
		}
	}
	offers[1].Values = nil
	if _, _, ok := turns.Next(offers); ok {
		t.Error("a partition without pages is served")
	}
}

// Policies with one board have no shares: the best page is served.
func TestTurnsOfOne(t *testing.T) {
	var turns Turns
	for want, offers := range [][]Offer{{{Values: []float64{2}}, {Values: []float64{1}}}, {{}, {Values: []float64{math.Inf(1)}}}} {
		if part, board, ok := turns.Next(offers); part != want || board != 0 || !ok {
			t.Errorf("board %d of partition %d, %v; want partition %d", board, part, ok, want)
		}
	}
}
