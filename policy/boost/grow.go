package boost

import (
	"encoding/binary"
	"slices"
)

// sampled is the number of values of a feature, or a little more, by which classes are made.
const sampled = 250

// class divides the values of a feature into classes of about equal size.
func (l *Learner) class(f int) {
	x, n, step := l.x.Slice(), l.rest.Len(), l.o.Features
	values := &l.values
	values.keys = values.keys[:0]
	for i := 0; i < n; i += max(1, n/sampled) {
		values.add(x[i*step+f])
	}
	values.sort()
	edges := (*[bins]float32)(l.edge.Slice()[f*bins:])
	k := 0
	for b := 1; b < bins && n > 0; b++ {
		if v := values.at(b * len(values.keys) / bins); k == 0 || v > edges[k-1] {
			edges[k] = v
			k++
		}
	}
	for ; k < bins; k++ {
		edges[k] = always
	}
	classes := l.bin.Slice()
	for i := range n {
		classes[i*step+f] = classOf(edges, x[i*step+f])
	}
}

// classOf returns the number of edges below v, but for the last one.
func classOf(edges *[bins]float32, v float32) (class uint8) {
	for half := uint8(bins / 2); half > 0; half /= 2 {
		if edges[(class+half-1)%bins] < v {
			class += half
		}
	}
	return class
}

// grow makes a tree, level by level, and takes its answers from what is left to explain.
func (l *Learner) grow(tree int) {
	nodes := l.node.Slice()
	l.tallies = slices.Grow(l.tallies[:0], len(nodes))[:len(nodes)]
	rest, tallies := l.rest.Slice()[:len(nodes)], l.tallies
	for i := range nodes {
		nodes[i] = 1
		tallies[i] = tallyOf(rest[i])
	}
	for level := range l.o.Depth {
		first := 1 << level
		l.count(first)
		for k := range first {
			l.ask(tree, first+k, l.hist[k][:l.o.Features])
		}
		l.move()
	}
	l.explain(tree)
}

// count makes the histograms of the nodes of a level, which has as many of them as the number
// of the first. Of two children of a node it counts the one with fewer examples. The other one
// has the rest.
func (l *Learner) count(first int) {
	f := l.o.Features
	l.hist, l.above = l.above, l.hist
	clear(l.hist[:first])
	counted := l.smaller(first)
	if f >= room/2 {
		l.countWide(first, &counted)
	} else {
		l.countAny(first, &counted)
	}
	for at := range first {
		if counted[at] {
			continue
		}
		for k := range f {
			h, whole, other := &l.hist[at][k], &l.above[at/2][k], &l.hist[at^1][k]
			for c := range h {
				h[c] = whole[c] - other[c]
			}
		}
	}
}

// countAny adds the examples of the nodes that are counted to their histograms.
func (l *Learner) countAny(first int, counted *[room]bool) {
	f, classes, nodes := l.o.Features, l.bin.Slice(), l.node.Slice()
	for i, v := range l.tallies {
		at := int(nodes[i]) - first
		if !counted[at] {
			continue
		}
		h := &l.hist[at]
		for k, c := range classes[i*f : (i+1)*f] {
			h[k%room][c%bins] += v
		}
	}
}

// countWide does the same if there are eight features or more. It reads the classes of an example as
// two words, the second of which ends with the last one. Histograms beyond the last feature get
// what nobody reads.
func (l *Learner) countWide(first int, counted *[room]bool) {
	f, classes, nodes := l.o.Features, l.bin.Slice(), l.node.Slice()
	shift, tallies := uint(room-f)*8%64, l.tallies[:len(nodes)]
	for i, node := range nodes {
		at := (int(node) - first) % room
		if !counted[at] {
			continue
		}
		h, row, v := &l.hist[at], classes[i*f:(i+1)*f], tallies[i]
		a, b := binary.LittleEndian.Uint64(row), binary.LittleEndian.Uint64(row[len(row)-8:])>>shift
		h[0][a%bins] += v
		h[1][a>>8%bins] += v
		h[2][a>>16%bins] += v
		h[3][a>>24%bins] += v
		h[4][a>>32%bins] += v
		h[5][a>>40%bins] += v
		h[6][a>>48%bins] += v
		h[7][a>>56%bins] += v
		h[8][b%bins] += v
		h[9][b>>8%bins] += v
		h[10][b>>16%bins] += v
		h[11][b>>24%bins] += v
		h[12][b>>32%bins] += v
		h[13][b>>40%bins] += v
		h[14][b>>48%bins] += v
		h[15][b>>56%bins] += v
	}
}

// smaller reports for each node of a level whether it has fewer examples than the other child
// of the node above. The root counts as smaller.
func (l *Learner) smaller(first int) (is [room]bool) {
	if is[0] = first == 1; is[0] {
		return is
	}
	var sizes [room]int
	for _, at := range l.node.Slice() {
		sizes[(int(at)-first)%room]++
	}
	for at := 0; at+1 < first; at += 2 {
		is[at] = sizes[at] < sizes[at+1]
		is[at+1] = !is[at]
	}
	return is
}

// ask chooses the question of a node: the split after which the squared error is least.
func (l *Learner) ask(tree, node int, h []histogram) {
	at := tree*room + node
	l.next.ask.Set(at, uint64(newQuestion(0, always)))
	l.cuts[node] = cut{class: bins}
	best := 1e-9
	for f := range h {
		if gain, c := l.split(&h[f]); gain > best {
			best = gain
			l.cuts[node] = cut{f, uint8(c)}
			l.next.ask.Set(at, uint64(newQuestion(f, l.edge.At(f*bins+c))))
		}
	}
}

// split returns the class after which a split gains most, and the gain.
func (l *Learner) split(h *histogram) (best float64, class int) {
	all, left := tally(0), tally(0)
	for _, v := range h {
		all += v
	}
	sum, n := all.sum(), all.count()
	whole := sum * sum / float64(max(1, n))
	for c, v := range h[:bins-1] {
		if v == 0 {
			continue // the same as after the class before
		}
		left += v
		k := left.count()
		if k < l.o.Leaf || n-k < l.o.Leaf {
			continue
		}
		part := left.sum()
		rest := sum - part
		a, b := part*part/float64(k), rest*rest/float64(n-k)
		if gain := a + b - whole; gain > best {
			best, class = gain, c
		}
	}
	return best, class
}

// A cut is a question by classes: those up to class are on the left side.
type cut struct {
	feature int
	class   uint8
}

// move moves the examples one level down.
func (l *Learner) move() {
	classes, nodes, f := l.bin.Slice(), l.node.Slice(), l.o.Features
	for i, at := range nodes {
		right, cut := uint8(0), &l.cuts[at%room]
		if classes[i*f+cut.feature] > cut.class {
			right = 1
		}
		nodes[i] = 2*at + right
	}
}

// explain sets the answers of a tree.
func (l *Learner) explain(tree int) {
	var sums, counts, answer [room]float64 // by the lower bits of a node
	nodes := l.node.Slice()
	rest := l.rest.Slice()[:len(nodes)]
	for i, at := range nodes {
		sums[at%room] += rest[i]
		counts[at%room]++
	}
	answers := l.next.answer.Slice()[tree*room:][:l.leaves]
	for k := range answers {
		at := (l.leaves + k) % room
		answers[k] = float64(l.o.Rate * sums[at] / (counts[at] + 1))
		answer[at] = answers[k]
	}
	for i, at := range nodes {
		rest[i] -= answer[at%room]
	}
}
