package boost

import "slices"

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
	words, shift := l.bin.Slice(), classBits*f
	for i := range words {
		words[i] |= uint64(classOf(edges, x[i*step+f])) << shift
	}
}

// classOf returns the number of edges below v, but for the last one. It halves what is left four
// times, without a branch that nobody can predict.
func classOf(edges *[bins]float32, v float32) (class uint) {
	if edges[7] < v {
		class = 8
	}
	if edges[(class+3)%bins] < v {
		class += 4
	}
	if edges[(class+1)%bins] < v {
		class += 2
	}
	if edges[class%bins] < v {
		class++
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
	l.sizes[1] = len(nodes)
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
	l.hist, l.above = l.above, l.hist
	if first == 1 {
		l.add(&l.hist[0], l.bin.Slice(), l.tallies)
		return
	}
	for at := 0; at < first; at += 2 {
		small, large := at, at+1
		if l.sizes[first+large] < l.sizes[first+small] {
			small, large = large, small
		}
		words, tallies := l.of(first+small, l.sizes[first+small])
		l.add(&l.hist[small], words, tallies)
		for k := range l.o.Features {
			h, whole, other := &l.hist[large][k], &l.above[at/2][k], &l.hist[small][k]
			for c := range h {
				h[c] = whole[c] - other[c]
			}
		}
	}
}

// of returns the classes and tallies of the examples of a node, of which there are n.
func (l *Learner) of(node, n int) ([]uint64, []tally) {
	if l.picked.words == nil {
		l.picked.words, l.picked.tallies = make([]uint64, l.o.Examples+1), make([]tally, l.o.Examples+1)
	}
	nodes, words, tallies := l.node.Slice(), l.picked.words, l.picked.tallies
	from, values := l.bin.Slice()[:len(nodes)], l.tallies[:len(nodes)]
	k := 0
	for i, at := range nodes { // one that is not of the node is written over
		words[k], tallies[k] = from[i], values[i]
		if int(at) == node {
			k++
		}
	}
	return words[:n], tallies[:n]
}

// many is the number of examples from which on it pays to count pairs of features.
const many = 800

// add makes histograms of examples. Those beyond the last feature are what nobody reads.
func (l *Learner) add(h *[room]histogram, words []uint64, tallies []tally) {
	if len(words) >= many {
		l.addPairs(h, words, tallies)
		return
	}
	*h = [room]histogram{}
	tallies = tallies[:len(words)]
	for i, w := range words {
		v := tallies[i]
		h[0][w%bins] += v
		h[1][w>>4%bins] += v
		h[2][w>>8%bins] += v
		h[3][w>>12%bins] += v
		h[4][w>>16%bins] += v
		h[5][w>>20%bins] += v
		h[6][w>>24%bins] += v
		h[7][w>>28%bins] += v
		h[8][w>>32%bins] += v
		h[9][w>>36%bins] += v
		h[10][w>>40%bins] += v
		h[11][w>>44%bins] += v
		h[12][w>>48%bins] += v
		h[13][w>>52%bins] += v
		h[14][w>>56%bins] += v
		h[15][w>>60] += v
	}
}

// addPairs does it with one addition for two features: it counts pairs of their classes first.
func (l *Learner) addPairs(h *[room]histogram, words []uint64, tallies []tally) {
	c := &l.joint
	*c = [room / 2][bins * bins]tally{}
	tallies = tallies[:len(words)]
	for i, w := range words {
		v := tallies[i]
		c[0][uint8(w)] += v
		c[1][uint8(w>>8)] += v
		c[2][uint8(w>>16)] += v
		c[3][uint8(w>>24)] += v
		c[4][uint8(w>>32)] += v
		c[5][uint8(w>>40)] += v
		c[6][uint8(w>>48)] += v
		c[7][uint8(w>>56)] += v
	}
	for k := range c {
		low, high := &h[2*k], &h[2*k+1]
		*low = histogram{}
		for at := range high {
			row, sum := (*histogram)(c[k][at*bins:]), tally(0)
			for i, v := range row {
				low[i] += v
				sum += v
			}
			high[at] = sum
		}
	}
}

// ask chooses the question of a node: the split after which the squared error is least.
func (l *Learner) ask(tree, node int, h []histogram) {
	all, best := tally(0), split{gain: 1e-9, class: bins}
	for _, v := range h[0] {
		all += v
	}
	q := newQuestion(0, always)
	best.left = all.count()
	for f := range h {
		if l.split(&h[f], all, &best) {
			best.feature = f
			q = newQuestion(f, l.edge.At(f*bins+best.class))
		}
	}
	l.next.ask.Set(tree*room+node, uint64(q))
	l.cuts[node] = cut{uint(classBits * best.feature), uint64(best.class)}
	l.sizes[2*node], l.sizes[2*node+1] = best.left, all.count()-best.left
}

// A split divides the examples of a node: those up to a class of a feature are on the left side.
type split struct {
	feature, class int
	left           int // examples on that side
	gain           float64
}

// split finds the class of a feature after which a split gains more than the best so far, and reports
// whether there is one. all is the tally of the node.
func (l *Learner) split(h *histogram, all tally, best *split) (found bool) {
	left, sum, n := tally(0), all.sum(), all.count()
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
		if gain := a + b - whole; gain > best.gain {
			best.gain, best.class, best.left, found = gain, c, k, true
		}
	}
	return found
}

// A cut is a question by classes: examples whose class, which is shifted in their word, is greater
// are on the right side.
type cut struct {
	shift uint
	class uint64
}

// move moves the examples one level down.
func (l *Learner) move() {
	nodes := l.node.Slice()
	words := l.bin.Slice()[:len(nodes)]
	for i, at := range nodes {
		right, cut := uint8(0), &l.cuts[at%room]
		if words[i]>>(cut.shift%64)%bins > cut.class {
			right = 1
		}
		nodes[i] = 2*at + right
	}
}

// explain sets the answers of a tree.
func (l *Learner) explain(tree int) {
	var sums, answer [room]float64 // by the lower bits of a node
	nodes := l.node.Slice()
	rest := l.rest.Slice()[:len(nodes)]
	for i, at := range nodes {
		sums[at%room] += rest[i]
	}
	answers := l.next.answer.Slice()[tree*room:][:l.leaves]
	for k := range answers {
		at := (l.leaves + k) % room
		answers[k] = float64(l.o.Rate * sums[at] / (float64(l.sizes[l.leaves+k]) + 1))
		answer[at] = answers[k]
	}
	for i, at := range nodes {
		rest[i] -= answer[at%room]
	}
}
