package policy

import "github.com/winnow-crawler/winnow/graph"

// lessons are what partitions let each other learn from. The counts of each, of pages and labels,
// are told often: checkpoints come when the pages of all partitions have grown, and labels are
// relative to the mean of all. Otherwise a partition that is rarely served would keep values from
// long ago, and be served even less. Examples are told whenever the fetched pages of a partition have grown by an
// eighth, as many of each as make up those of one fit, in place of its last ones. So all learn from
// the pages of all, as one would.
type lessons struct {
	room    int                    // examples of a partition
	numbers *graph.Column[uint64]  // see lessonRound
	told    *graph.Column[uint64]  // by partition: the round of which it was told, and the fetched pages
	counts  *graph.Column[float64] // by partition: see lessonLabels
	x       *graph.Column[float32] // by partition: the features of its examples, and their labels
}

// The indexes of lessons.numbers.
const (
	lessonRound = iota // how often there were new ones
	lessonNext         // fetched pages at which there are new ones again
	lessonAll          // pages of all partitions when the last checkpoint began
	lessonNumbers
)

// The numbers of lessons.told.
const (
	toldRound = iota
	toldFetched
	toldNumbers
)

// The numbers of lessons.counts: those that are told, and the number of examples.
const (
	lessonLabels = iota
	lessonMean
	lessonPages   // that are its own
	lessonLost    // see hindsight.World.Lost
	lessonFetched // and failed
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
		told:    graph.NewColumnIn[uint64](s, "foresight lessons told", partitions*toldNumbers),
		counts:  graph.NewColumnIn[float64](s, "foresight lesson counts", partitions*lessonCounts),
		x:       graph.NewColumnIn[float32](s, "foresight lesson examples", partitions*room*exampleSize),
	}
	x.numbers.Grow(lessonNumbers)
	x.told.Grow(partitions * toldNumbers)
	x.counts.Grow(partitions * lessonCounts)
	return x
}

// of returns the counts of a partition.
func (x *lessons) of(part int) []float64 {
	return x.counts.Slice()[part*lessonCounts:][:lessonCounts]
}

// labels adds the labels of the others to a sum of labels and their number.
func (x *lessons) labels(sum, n float64) (float64, float64) {
	for part := range x.partitions() {
		c := x.of(part)
		sum, n = sum+float64(c[lessonLabels]*c[lessonMean]), n+c[lessonLabels]
	}
	return sum, n
}

// others returns the mass that goes to all pages in other partitions, and the number of their pages.
func (x *lessons) others() (lost, pages float64) {
	for part := range x.partitions() {
		c := x.of(part)
		lost, pages = lost+c[lessonLost], pages+c[lessonPages]
	}
	return lost, pages
}

// partitions returns their number.
func (x *lessons) partitions() int { return x.counts.Len() / lessonCounts }

// clock returns the fetched and failed pages of all partitions, as far as they were told. It is what
// checkpoints and fits go by.
func (l *learner) clock() uint64 {
	n := l.numbers.At(learnFetched)
	if l.trade.foreign != nil {
		for part := range l.trade.partitions() {
			n += uint64(l.trade.of(part)[lessonFetched])
		}
	}
	return n
}

// newPages returns how many pages have become known in all partitions since the last checkpoint
// began, and notes that another one begins. Of pages here there are so many, and were then.
func (t *trade) newPages(pages, before uint64) uint64 {
	if t.foreign == nil {
		return pages - before
	}
	_, others := t.others()
	all := &t.numbers.Slice()[lessonAll]
	before, *all = *all, pages-t.far.At(0)+uint64(others)
	return *all - min(before, *all)
}

// renew makes new lessons if it is time.
func (t *trade) renew(fetched uint64) {
	if t.foreign == nil {
		return
	}
	if num := t.numbers.Slice(); fetched >= num[lessonNext] {
		num[lessonRound]++
		num[lessonNext] = fetched + max(1, fetched/8)
	}
}

// examples returns the number of examples of the others.
func (t *trade) examples() (n int) {
	if t.foreign != nil {
		for part := range t.partitions() {
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
	for part := range t.partitions() {
		for i := range int(t.of(part)[lessonExamples]) {
			x := t.x.Slice()[(part*t.room+i)*exampleSize:][:exampleSize]
			do(x[:features], uint16(x[features]))
		}
	}
}

// Teaches reports whether there is something that a partition does not know: new examples, or a
// fortieth more fetched pages.
func (f *foresight) Teaches(part int) bool {
	l := f.learner
	told := l.trade.toldTo(part)
	was, is := told[toldFetched], l.numbers.At(learnFetched)
	return told[toldRound] < l.trade.numbers.At(lessonRound) || is > was+was/40
}

// toldTo returns what a partition was told.
func (x *lessons) toldTo(part int) []uint64 {
	return x.told.Slice()[part*toldNumbers:][:toldNumbers]
}

// Teach appends the counts, and if there are new ones examples as they are judged now.
func (f *foresight) Teach(part int, to []float32) []float32 {
	l := f.learner
	t := &l.trade
	if !f.Teaches(part) {
		return to
	}
	told, round := t.toldTo(part), t.numbers.At(lessonRound)
	again := told[toldRound] == round
	told[toldRound], told[toldFetched] = round, l.numbers.At(learnFetched)
	sum, n := l.labels()
	to = append(to, float32(n), float32(sum/max(1, n)), float32(l.group.Len())-float32(t.far.At(0)), float32(l.est.Leaked()), float32(l.numbers.At(learnFetched)))
	if again {
		return to
	}
	end := l.memo.page.Len() * 9 / 10
	step := max(1, (end+t.room-1)/max(1, t.room))
	for i := 0; i < end; i += step {
		if label := l.label.At(int(l.memo.page.At(i))); label != 0 {
			to = append(append(to, l.memo.features(i)...), float32(label))
		}
	}
	return to
}

// Learn replaces the counts of a partition, and its examples if there are any. The first examples
// that are enough for a model make a checkpoint due.
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
	if n == 0 {
		return
	}
	c[lessonExamples] = float64(n)
	t.x.Grow((part + 1) * t.room * exampleSize)
	copy(t.x.Slice()[part*t.room*exampleSize:], list[:n*exampleSize])
	if num := l.numbers.Slice(); l.model.Fits() == 0 && t.examples() >= leastFitted {
		num[learnNext] = min(num[learnNext], l.clock())
	}
}
