package exchange

import "math"

// An Offer is what a partition could fetch now, by the boards of its policy.
type Offer struct {
	Values []float64 // of the best page on each board, -Inf if there is none; empty: nothing
	Shares []float64 // of the turns, by board, as its policy has them; empty: the first one has all
}

// Turns decide which partition fetches next, and which of its boards chooses the page. A policy
// that explores has boards beside its best one, which have a share of the turns. Over several
// partitions these are turns of all of them together: if each had its own, only those whose best
// pages are good would ever explore. The shares are the means over the partitions, by how often
// each was served. The board that has the turn is served where its best page has the highest value.
type Turns struct {
	credit []float64 // by board: shares gained, less the turns that it had
	served []float64 // by partition
	shares []float64 // reused
}

// Next returns the partition and the board of the next turn; no partition if none offers anything.
func (t *Turns) Next(offers []Offer) (part, board int, ok bool) {
	t.mean(offers)
	board = t.turn(offers)
	for i := range offers {
		if v := offers[i].Values; board < len(v) && !math.IsInf(v[board], -1) && (!ok || v[board] > offers[part].Values[board]) {
			part, ok = i, true
		}
	}
	if ok {
		t.pay(part, board)
	}
	return part, board, ok
}

// mean sets the shares, which sum to 1.
func (t *Turns) mean(offers []Offer) {
	t.served = append(t.served, make([]float64, len(offers)-len(t.served))...)
	boards := 1
	for i := range offers {
		boards = max(boards, len(offers[i].Values), len(offers[i].Shares))
	}
	t.credit = append(t.credit, make([]float64, max(0, boards-len(t.credit)))...)
	t.shares = append(t.shares[:0], make([]float64, len(t.credit))...)
	sum := 0.0
	for i := range offers {
		for b, share := range offers[i].Shares {
			w := share * (t.served[i] + 1)
			t.shares[b] += w
			sum += w
		}
	}
	if sum == 0 {
		t.shares[0], sum = 1, 1
	}
	for b := range t.shares {
		t.shares[b] /= sum
	}
}

// turn returns the board that has gained most among those that offer something.
func (t *Turns) turn(offers []Offer) (board int) {
	best := math.Inf(-1)
	for b, credit := range t.credit {
		if gain := credit + t.shares[b]; gain > best && offered(offers, b) {
			best, board = gain, b
		}
	}
	return board
}

// offered reports whether a partition has a page on a board.
func offered(offers []Offer, board int) bool {
	for i := range offers {
		if v := offers[i].Values; board < len(v) && !math.IsInf(v[board], -1) {
			return true
		}
	}
	return false
}

// pay lets all boards gain their shares, and one of them pay for its turn. What a board without
// pages gains does not count for more than a turn.
func (t *Turns) pay(part, board int) {
	for b, share := range t.shares {
		t.credit[b] = min(t.credit[b]+share, 1)
	}
	t.credit[board]--
	t.served[part]++
}
