package policy

import "github.com/winnow-crawler/winnow/graph"

// lessons are what partitions let each other learn from: the mean label of each and its number of
// labels, and examples, as many of each as make up those of one fit. So all learn from the pages of
// all, as one would. Whenever the fetched pages have grown by a quarter a partition has new ones,
// which take the place of its last.
type lessons struct {
	room    int                    // examples of a partition
	numbers *graph.Column[uint64]  // see lessonRound
	told    *graph.Column[uint64]  // by partition: the round of which it was told
	counts  *graph.Column[float64] // by partition: see lessonLabels
	x       *graph.Column[float32] // by partition: the features of its examples, and their labels
}

// The indexes of lessons.numbers.
const (
	lessonRound = iota // how often there were new ones
	lessonNext         // fetched pages at which there are new ones again
	lessonNumbers
)

// The numbers of lessons.counts.
const (
	lessonLabels = iota
	lessonMean
	lessonPages // that are its own
	lessonLost  // see hindsight.World.Lost
	lessonExamples
	lessonCounts
)

// exampleSize is the number of numbers of an example.
const exampleSize = features + 1

func newLessons(s *graph.Set, partitions int) lessons {
	room := fitted / partitions
	x := lessons{
		room:    room,
		numbers: graph.NewColumnIn[uint64](s, "foresight lessons", lessonNumbers),
		told:    graph.NewColumnIn[uint64](s, "foresight lessons told", partitions),
		counts:  graph.NewColumnIn[float64](s, "foresight lesson counts", partitions*lessonCounts),
		x:       graph.NewColumnIn[float32](s, "foresight lesson examples", partitions*room*exampleSize),
	}
	x.numbers.Grow(lessonNumbers)
	x.told.Grow(partitions)
	x.counts.Grow(partitions * lessonCounts)
	return x
}

// of returns the counts of a partition.
func (x *lessons) of(part int) []float64 {
	return x.counts.Slice()[part*lessonCounts:][:lessonCounts]
}

// labels adds the labels of the others to a sum of labels and their number.
func (x *lessons) labels(sum, n float64) (float64, float64) {
	for part := range x.told.Len() {
		c := x.of(part)
		sum, n = sum+float64(c[lessonLabels]*c[lessonMean]), n+c[lessonLabels]
	}
	return sum, n
}

// others returns the mass that goes to all pages in other partitions, and the number of their pages.
func (x *lessons) others() (lost, pages float64) {
	for part := range x.told.Len() {
		c := x.of(part)
		lost, pages = lost+c[lessonLost], pages+c[lessonPages]
	}
	return lost, pages
}

// least returns how many pages a partition fetches at least in a time in which the crawl is to fetch
// so many.
func (t *trade) least(pages uint64) uint64 {
	if t.foreign == nil {
		return pages
	}
	return max(1, pages/uint64(t.told.Len()))
}

// renew makes new lessons if it is time.
func (t *trade) renew(fetched uint64) {
	if t.foreign == nil {
		return
	}
	if num := t.numbers.Slice(); fetched >= num[lessonNext] {
		num[lessonRound]++
		num[lessonNext] = fetched + max(t.least(20), fetched/8)
	}
}

// examples returns the number of examples of the others.
func (t *trade) examples() (n int) {
	if t.foreign != nil {
		for part := range t.told.Len() {
			n += int(t.of(part)[lessonExamples])
		}
	}
	return n
}

// each calls do for the examples of the others.
func (t *trade) each(do func(x []float32, label uint16)) {
	if t.foreign == nil {
		return
	}
	for part := range t.told.Len() {
		for i := range int(t.of(part)[lessonExamples]) {
			x := t.x.Slice()[(part*t.room+i)*exampleSize:][:exampleSize]
			do(x[:features], uint16(x[features]))
		}
	}
}

// Teaches reports whether there are lessons that a partition does not know.
func (f *foresight) Teaches(part int) bool {
	t := &f.learner.trade
	return t.told.At(part) < t.numbers.At(lessonRound)
}

// Teach appends the mean label, the number of labels, and examples as they are judged now.
func (f *foresight) Teach(part int, to []float32) []float32 {
	l := f.learner
	t := &l.trade
	if !f.Teaches(part) {
		return to
	}
	t.told.Set(part, t.numbers.At(lessonRound))
	sum, n := l.labels()
	to = append(to, float32(n), float32(sum/max(1, n)), float32(l.group.Len())-float32(t.far.At(0)), float32(l.est.Leaked()))
	end := l.memo.page.Len() * 9 / 10
	step := max(1, (end+t.room-1)/max(1, t.room))
	for i := 0; i < end; i += step {
		if label := l.label.At(int(l.memo.page.At(i))); label != 0 {
			to = append(append(to, l.memo.features(i)...), float32(label))
		}
	}
	return to
}

// Learn replaces the lessons of a partition. The first examples that are enough for a model make a
// checkpoint due.
func (f *foresight) Learn(part int, list []float32) {
	l := f.learner
	t := &l.trade
	c := t.of(part)
	if len(list) < lessonExamples {
		return
	}
	for i := range lessonExamples {
		c[i] = float64(list[i])
	}
	list = list[lessonExamples:]
	n := min(len(list)/exampleSize, t.room)
	c[lessonExamples] = float64(n)
	t.x.Grow((part + 1) * t.room * exampleSize)
	copy(t.x.Slice()[part*t.room*exampleSize:], list[:n*exampleSize])
	if num := l.numbers.Slice(); l.model.Fits() == 0 && t.examples() >= leastFitted {
		num[learnNext] = min(num[learnNext], num[learnFetched])
	}
}
