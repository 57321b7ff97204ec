package boost

import "slices"

// class divides the values of a feature into classes of about equal size.
func (l *Learner) class(f int) {
	x, n, step := l.x.Slice(), l.rest.Len(), l.o.Features
	values := make([]float32, n)
	for i := range values {
		values[i] = x[i*step+f]
	}
	slices.Sort(values)
	edges := l.edge.Slice()[f*bins : (f+1)*bins]
	k := 0
	for b := 1; b < bins && n > 0; b++ {
		if v := values[b*n/bins]; k == 0 || v > edges[k-1] {
			edges[k] = v
			k++
		}
	}
	for ; k < bins; k++ {
		edges[k] = always
	}
	classes := l.bin.Slice()
	for i := range n {
		at, _ := slices.BinarySearch(edges, x[i*step+f])
		classes[i*step+f] = uint8(min(at, bins-1))
	}
}

// grow makes a tree, level by level, and takes its answers from what is left to explain.
func (l *Learner) grow(tree int) {
	nodes := l.node.Slice()
	for i := range nodes {
		nodes[i] = 1
	}
	for level := range l.o.Depth {
		first := 1 << level
		l.count(first, 1<<level)
		for k := range 1 << level {
			l.ask(tree, first+k, l.hist[k*l.o.Features:(k+1)*l.o.Features])
		}
		l.move(tree)
	}
	l.explain(tree)
}

// count makes the histograms of the nodes of a level.
func (l *Learner) count(first, nodes int) {
	f := l.o.Features
	clear(l.hist[:nodes*f])
	classes := l.bin.Slice()
	for i, y := range l.rest.Slice() {
		h := l.hist[(int(l.node.At(i))-first)*f:][:f]
		for k, c := range classes[i*f : (i+1)*f] {
			h[k].sum[c] += y
			h[k].count[c]++
		}
	}
}

// ask chooses the question of a node: the split after which the squared error is least.
func (l *Learner) ask(tree, node int, h []histogram) {
	at := tree*room + node
	l.next.ask.Set(at, uint64(newQuestion(0, always)))
	best := 1e-9
	for f := range h {
		if gain, c := l.split(&h[f]); gain > best {
			best = gain
			l.next.ask.Set(at, uint64(newQuestion(f, l.edge.At(f*bins+c))))
		}
	}
}

// split returns the class after which a split gains most, and the gain.
func (l *Learner) split(h *histogram) (best float64, class int) {
	sum, n := 0.0, uint32(0)
	for c := range bins {
		sum += h.sum[c]
		n += h.count[c]
	}
	whole := sum * sum / float64(max(1, n))
	left, k := 0.0, uint32(0)
	for c := range bins - 1 {
		left += h.sum[c]
		k += h.count[c]
		if k < uint32(l.o.Leaf) || n-k < uint32(l.o.Leaf) {
			continue
		}
		right := sum - left
		a, b := left*left/float64(k), right*right/float64(n-k)
		if gain := a + b - whole; gain > best {
			best, class = gain, c
		}
	}
	return best, class
}

// move moves the examples one level down.
func (l *Learner) move(tree int) {
	nodes, f := l.node.Slice(), l.o.Features
	ask := (*[room]uint64)(l.next.ask.Slice()[tree*room:])
	var in [room]float32
	x := l.x.Slice()
	for i, at := range nodes {
		copy(in[:], x[i*f:(i+1)*f])
		nodes[i] = 2*at + uint8(question(ask[at%room]).side(&in))
	}
}

// explain sets the answers of a tree.
func (l *Learner) explain(tree int) {
	sums, counts := make([]float64, l.leaves), make([]float64, l.leaves)
	rest, nodes := l.rest.Slice(), l.node.Slice()
	for i, at := range nodes {
		sums[int(at)-l.leaves] += rest[i]
		counts[int(at)-l.leaves]++
	}
	answers := l.next.answer.Slice()[tree*room:][:l.leaves]
	for k := range answers {
		answers[k] = float64(l.o.Rate * sums[k] / (counts[k] + 1))
	}
	for i, at := range nodes {
		rest[i] -= answers[int(at)-l.leaves]
	}
}
