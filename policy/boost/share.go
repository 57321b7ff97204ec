package boost

// Model appends the model in use to a list, so that another Learner with the same options can Use it.
// Answers are rounded to 32 bits.
func (l *Learner) Model(to []float32) []float32 {
	to = append(to, float32(l.base.At(0)))
	for t := range l.o.Trees {
		for i := 1; i < l.leaves; i++ {
			q := question(l.now.ask.At(t*room + i))
			to = append(to, float32(q.feature()), q.limit())
		}
		for i := range l.leaves {
			to = append(to, float32(l.now.answer.At(t*room+i)))
		}
	}
	return to
}

// ModelSize returns the number of numbers of a model.
func (l *Learner) ModelSize() int { return 1 + l.o.Trees*(3*l.leaves-2) }

// Use makes a model that another Learner has fitted the one in use, as if it had been fitted here.
// It reports whether the list is one. A fit that is under way takes its place when it ends.
func (l *Learner) Use(list []float32) bool {
	if len(list) != l.ModelSize() {
		return false
	}
	for t, rest := 0, list[1:]; t < l.o.Trees; t++ {
		for i := 1; i < l.leaves; i, rest = i+1, rest[2:] {
			if f := rest[0]; !(f >= 0 && f < float32(l.o.Features)) {
				return false
			}
		}
		rest = rest[l.leaves:]
	}
	l.base.Set(0, float64(list[0]))
	for t, rest := 0, list[1:]; t < l.o.Trees; t++ {
		for i := 1; i < l.leaves; i, rest = i+1, rest[2:] {
			l.now.ask.Set(t*room+i, uint64(newQuestion(int(rest[0]), rest[1])))
		}
		for i := range l.leaves {
			l.now.answer.Set(t*room+i, float64(rest[i]))
		}
		rest = rest[l.leaves:]
	}
	l.numbers.Slice()[fits]++
	return true
}
