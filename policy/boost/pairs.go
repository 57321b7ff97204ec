package boost

// A pairs is a model whose trees have two levels of questions, laid out so that a prediction takes
// few steps. It says the same as the trees, bit for bit.
type pairs struct {
	fits uint64 // of the learner when it was made
	list []pair
}

// A pair is a tree: the question at the root, and the two below it.
type pair struct {
	answer  [4]float64
	limit   [4]float32 // of the questions 1 to 3
	feature [4]uint8
}

// pairs returns the model in use.
func (l *Learner) pairs() []pair {
	if l.quick.fits == l.numbers.At(fits) {
		return l.quick.list
	}
	l.quick.fits, l.quick.list = l.numbers.At(fits), l.quick.list[:0]
	for t := range l.o.Trees {
		tree := pair{answer: [4]float64(l.now.answer.Slice()[t*room:])}
		for i, v := range l.now.ask.Slice()[t*room:][:4] {
			tree.limit[i], tree.feature[i] = question(v).limit(), uint8(question(v).feature())
		}
		l.quick.list = append(l.quick.list, tree)
	}
	return l.quick.list
}

// predictPairs adds the answers of trees to a sum.
func predictPairs(sum float64, x *[Room]float32, list []pair) float64 {
	for i := range list {
		t := &list[i]
		var low, high uint8
		if x[t.feature[1]%room] > t.limit[1] {
			high = 1
		}
		below := 2 + high
		if x[t.feature[below%4]%room] > t.limit[below%4] {
			low = 1
		}
		sum += t.answer[(2*high+low)%4]
	}
	return sum
}
