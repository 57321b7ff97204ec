package page

import "bytes"

// A Shape is what a URL's outline tells the rules against traps (W27): the facts
// only. Rules are elsewhere and may change; these are pure functions of the URL.
type Shape struct {
	Depth   int // path segments that are not empty: 0 for the home page
	Repeats int // how often the most frequent of them occurs
}

// ShapeOf reads the outline of a normal form. It allocates nothing.
func ShapeOf(url []byte) (s Shape) {
	path := pathOf(url)
	var t tally
	for more := len(path) > 0; more; {
		var segment []byte
		segment, path, more = bytes.Cut(path, []byte("/"))
		if len(segment) > 0 {
			s.Depth++
			s.Repeats = max(s.Repeats, t.add(segment))
		}
	}
	return s
}

// maxTally bounds the different segments that are told apart: comparisons grow with
// its square when all differ, and a URL of 2,048 bytes has room for 1,000 segments.
const maxTally = 64

// A tally counts how often each segment of a path came. Paths are short: a list
// without a hash is fast and needs no memory of its own.
type tally struct {
	segments [maxTally][]byte
	counts   [maxTally]int
	n        int
}

// add counts a segment and returns its count. A new one beyond maxTally is not noted.
func (t *tally) add(segment []byte) int {
	for i := range t.n {
		if bytes.Equal(t.segments[i], segment) {
			t.counts[i]++
			return t.counts[i]
		}
	}
	if t.n < maxTally {
		t.segments[t.n], t.counts[t.n] = segment, 1
		t.n++
	}
	return 1
}
