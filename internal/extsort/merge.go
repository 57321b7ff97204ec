package extsort

import "math/bits"

// A merge is a tree of losers (Knuth, volume 3, 5.4.1) over the first keys of k
// runs: run i is leaf k+i, the parent of t is t/2, and each inner node remembers
// who lost there. When the overall winner moves on to its next key only the matches
// on its own path, log2(k) of them, are played again.
//
// The outcome of a match between runs of random keys is as unpredictable as a coin, so it
// is computed without a branch. A run that wins twice in a row is likely to win again
// (neighbouring keys often come from one run): it is then followed, without matches, as
// long as it stays below the best of those it beat.
type merge struct {
	readers []*runReader // those that have keys left
	losers  []loser      // from 1; losers[0] is not used
	winner  int
	first   uint64 // the winner's key

	last uint64 // the key given last, if some
	some bool
	dups int64
	err  error
}

type loser struct {
	key uint64
	who uint64
}

func newMerge(s *spill, runs []run, mem *memory) (*merge, error) {
	m := &merge{}
	for i, r := range runs {
		space, raw := mem.reader(i, len(runs))
		rr := &runReader{spill: s, rest: r, raw: raw, space: space}
		if err := rr.load(); err != nil {
			return nil, err
		}
		m.readers = append(m.readers, rr)
	}
	m.build()
	return m, nil
}

// build plays all matches.
func (m *merge) build() {
	k := len(m.readers)
	m.losers = make([]loser, k)
	won := make([]loser, 2*k)
	for i, r := range m.readers {
		won[k+i] = loser{r.keys[r.at], uint64(i)}
	}
	for t := k - 1; t > 0; t-- {
		won[t], m.losers[t] = won[2*t], won[2*t+1]
		if m.losers[t].key < won[t].key {
			won[t], m.losers[t] = m.losers[t], won[t]
		}
	}
	if k > 0 {
		m.winner, m.first = int(won[1].who), won[1].key
	}
}

// replay plays the matches on the winner's path with its new key.
func (m *merge) replay(key uint64) {
	who := uint64(m.winner)
	for t := (m.winner + len(m.readers)) / 2; t > 0; t /= 2 {
		l := &m.losers[t]
		_, below := bits.Sub64(l.key, key, 0) // 1 if the loser now wins
		swapKey := (l.key ^ key) & -below
		swapWho := (l.who ^ who) & -below
		l.key ^= swapKey
		key ^= swapKey
		l.who ^= swapWho
		who ^= swapWho
	}
	m.winner, m.first = int(who), key
}

// second returns the smallest key of all but the winner's run: one of those that lost
// against the winner. ok is false when there is no other run.
func (m *merge) second() (key uint64, ok bool) {
	key = ^uint64(0)
	for t := (m.winner + len(m.readers)) / 2; t > 0; t /= 2 {
		key = min(key, m.losers[t].key)
	}
	return key, len(m.readers) > 1
}

// fill puts the next keys into out and returns how many: fewer than out holds only
// at the end or with an error.
func (m *merge) fill(out []uint64) int {
	n := 0
	before := -1
	for n < len(out) && len(m.readers) > 0 && m.err == nil {
		if m.winner == before {
			n += m.follow(out[n:])
			before = -1
			continue
		}
		before = m.winner
		if m.first != m.last || !m.some {
			out[n] = m.first
			n++
		} else {
			m.dups++
		}
		m.last, m.some = m.first, true
		m.advance(1)
	}
	return n
}

// advance skips n keys of the winner's block and finds the next winner.
func (m *merge) advance(n int) {
	r := m.readers[m.winner]
	if r.at += n; r.at < len(r.keys) {
		m.replay(r.keys[r.at])
		return
	}
	if m.err = r.load(); m.err != nil {
		return
	}
	if len(r.keys) > 0 {
		m.replay(r.keys[0])
		return
	}
	m.readers = append(m.readers[:m.winner], m.readers[m.winner+1:]...)
	m.build()
}

// follow takes keys of the winner's block while they are not above the second.
func (m *merge) follow(out []uint64) (n int) {
	second, other := m.second()
	if !other {
		second = ^uint64(0)
	}
	r := m.readers[m.winner]
	keys := r.keys[r.at:]
	i := 0
	for ; i < len(keys) && n < len(out) && keys[i] <= second; i++ {
		out[n] = keys[i]
		if keys[i] != m.last || !m.some {
			n++
		} else {
			m.dups++
		}
		m.last, m.some = keys[i], true
	}
	m.advance(i)
	return n
}
