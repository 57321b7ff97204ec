package policy

import "github.com/winnow-crawler/winnow/graph"

// lessons are what partitions let each other learn from. The counts of each, of pages and labels,
// are told often: checkpoints come when the pages of all partitions have grown, and labels are
// relative to the mean of all. Otherwise a partition that is rarely served would keep values from
// long ago, and be served even less. One partition fits the model for all of them: the one with the
// most waiting pages. Whenever its fetched pages have grown by an eighth another partition sends it
// examples in place of the last ones: its share of those of a fit, by its fetched pages.
type lessons struct {
	numbers *graph.Column[uint64]  // see lessonRound
	told    *graph.Column[uint64]  // by partition: see toldRound
	counts  *graph.Column[float64] // by partition: see lessonLabels; then the sums of all of them
	x       *graph.Column[float32] // the examples, in the order of partitions: features and a label
}

// The indexes of lessons.numbers.
const (
	lessonRound  = iota // how often there were new examples
	lessonNext          // fetched pages at which there are new ones again
	lessonAll           // pages of all partitions when the last checkpoint began
	lessonModels        // models fitted here
	lessonNumbers
)

// The numbers of lessons.told.
const (
	toldRound = iota // the round of examples that it has
	toldModel        // the number of the model that it has of those fitted here
	toldFetched
	toldNumbers
)

// The numbers of lessons.counts: those that are told, and the number of examples.
const (
	lessonLabels  = iota
	lessonSum     // of labels
	lessonFinds   // see learner.groupFinds
	lessonPages   // that are its own
	lessonLost    // see hindsight.World.Lost
	lessonFetched // and failed
	lessonExamples
	lessonCounts
)

// exampleSize is the number of numbers of an example.
const exampleSize = features + 1

func newLessons(s *graph.Set, partitions int) lessons {
	x := lessons{
		numbers: graph.NewColumnIn[uint64](s, "foresight lessons", lessonNumbers),
		told:    graph.NewColumnIn[uint64](s, "foresight lessons told", partitions*toldNumbers),
		counts:  graph.NewColumnIn[float64](s, "foresight lesson counts", (partitions+1)*lessonCounts),
		x:       graph.NewColumnIn[float32](s, "foresight lesson examples", (fitted+partitions)*exampleSize),
	}
	x.numbers.Grow(lessonNumbers)
	x.told.Grow(partitions * toldNumbers)
	x.counts.Grow((partitions + 1) * lessonCounts)
	return x
}

// of returns the counts of a partition.
func (x *lessons) of(part int) []float64 {
	return x.counts.Slice()[part*lessonCounts:][:lessonCounts]
}

// all returns the sums of the counts of the others.
func (x *lessons) all() []float64 { return x.of(x.partitions()) }

// partitions returns their number.
func (x *lessons) partitions() int { return x.counts.Len()/lessonCounts - 1 }

// clock returns the fetched and failed pages of all partitions, as far as they were told. It is what
// checkpoints and fits go by.
func (l *learner) clock() uint64 {
	n := l.numbers.At(learnFetched)
	if l.trade.foreign != nil {
		n += uint64(l.trade.all()[lessonFetched])
	}
	return n
}

// teacher returns the partition that fits the model: the one with the most waiting pages, -1 if it is
// this one.
func (l *learner) teacher() int {
	t, best := &l.trade, -1
	if t.foreign == nil {
		return best
	}
	most := float64(l.group.Len()) - float64(t.far.At(0)) - float64(l.numbers.At(learnFetched))
	for part := range t.partitions() {
		if c := t.of(part); c[lessonPages]-c[lessonFetched] > most {
			best, most = part, c[lessonPages]-c[lessonFetched]
		}
	}
	return best
}

// mayFit reports whether it is time for a fit, and this partition does it. It does so, too, if the
// model of another is long overdue.
func (l *learner) mayFit() bool {
	now, next := l.clock(), l.numbers.At(learnNextFit)
	return now >= next && l.paysFit() && (l.teacher() < 0 || next > 0 && now > next+next/4)
}

// fitted notes that there is a new model for the others.
func (t *trade) fitted() {
	if t.foreign != nil {
		t.numbers.Slice()[lessonModels]++
	}
}

// newPages returns how many pages have become known in all partitions since the last checkpoint
// began, and notes that another one begins. Of pages here there are so many, and were then.
func (t *trade) newPages(pages, before uint64) uint64 {
	if t.foreign == nil {
		return pages - before
	}
	all := &t.numbers.Slice()[lessonAll]
	before, *all = *all, pages-t.far.At(0)+uint64(t.all()[lessonPages])
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
func (t *trade) examples() int {
	if t.foreign == nil {
		return 0
	}
	return int(t.all()[lessonExamples])
}

// each calls do for the examples of the others.
func (t *trade) each(do func(x []float32, label uint16)) {
	if t.foreign == nil {
		return
	}
	for x := t.x.Slice(); len(x) > 0; x = x[exampleSize:] {
		do(x[:features], uint16(x[features]))
	}
}

// Teaches reports whether there is something that a partition does not know: a new model, a fortieth
// more fetched pages, or new examples if it fits the model.
func (f *foresight) Teaches(part int) bool {
	l := f.learner
	told, num := l.trade.toldTo(part), l.trade.numbers.Slice()
	was, is := told[toldFetched], l.numbers.At(learnFetched)
	return told[toldModel] < num[lessonModels] || is > was+was/40 || told[toldRound] < num[lessonRound] && l.teacher() == part
}

// toldTo returns what a partition was told.
func (x *lessons) toldTo(part int) []uint64 {
	return x.told.Slice()[part*toldNumbers:][:toldNumbers]
}

// Teach appends the counts, the number of new examples, these, and a new model.
func (f *foresight) Teach(part int, to []float32) []float32 {
	l := f.learner
	if !f.Teaches(part) {
		return to
	}
	t := &l.trade
	told, num := t.toldTo(part), t.numbers.Slice()
	told[toldFetched] = l.numbers.At(learnFetched)
	sum, finds, n := l.ownLabels()
	to = append(to, float32(n), float32(sum), float32(finds), float32(l.group.Len())-float32(t.far.At(0)), float32(l.est.Leaked()), float32(told[toldFetched]), 0)
	if at := len(to); told[toldRound] < num[lessonRound] && l.teacher() == part {
		told[toldRound] = num[lessonRound]
		to = l.sampled(to)
		to[at-1] = float32((len(to) - at) / exampleSize)
	}
	if told[toldModel] < num[lessonModels] {
		told[toldModel] = num[lessonModels]
		to = l.model.Model(to)
	}
	return to
}

// sampled appends examples as they are judged now.
func (l *learner) sampled(to []float32) []float32 {
	end, most := l.memo.page.Len()*9/10, l.share(float64(l.numbers.At(learnFetched)))
	step := max(1, (end+most-1)/most)
	for i := 0; i < end; i += step {
		if label := l.label.At(int(l.memo.page.At(i))); label != 0 {
			to = append(append(to, l.memo.features(i)...), float32(label))
		}
	}
	return to
}

// share returns how many of the examples of a fit are those of a partition with so many fetched
// pages.
func (l *learner) share(fetched float64) int {
	most := float64(fitted)
	if l.small() {
		most = smallFitted
	}
	return max(1, int(most*fetched/max(1, float64(l.clock()))))
}

// store replaces the examples of a partition, and drops some of those of the others that have become
// more than their shares since they came.
func (l *learner) store(part int, list []float32) {
	t := &l.trade
	was, is := t.x.Slice(), make([]float32, 0, t.x.Len()+len(list))
	for other := range t.partitions() {
		c := t.of(other)
		has := int(c[lessonExamples])
		from := was[:has*exampleSize]
		if was = was[len(from):]; other == part {
			from, has = list, len(list)/exampleSize
		}
		keeps := min(has, l.share(c[lessonFetched]))
		for i := range keeps {
			is = append(is, from[i*has/keeps*exampleSize:][:exampleSize]...)
		}
		c[lessonExamples] = float64(keeps)
	}
	t.x.Truncate(0)
	t.x.Grow(len(is))
	copy(t.x.Slice(), is)
}

// Learn takes what Teach has made: the counts, examples if there are any, and a model, by which
// pages get new values. The first examples that are enough for a model make a checkpoint due.
func (f *foresight) Learn(part int, list []float32) {
	l := f.learner
	t := &l.trade
	if len(list) < lessonCounts {
		return
	}
	n := min(int(max(0, list[lessonExamples])), (len(list)-lessonCounts)/exampleSize)
	for i := range lessonExamples {
		t.of(part)[i] = float64(list[i])
	}
	t.sum()
	if n > 0 {
		l.store(part, list[lessonCounts:][:n*exampleSize])
		t.sum()
	}
	if l.model.Use(list[lessonCounts+n*exampleSize:]) {
		l.useModel()
	} else if num := l.numbers.Slice(); l.model.Fits() == 0 && t.examples() >= leastFitted {
		num[learnNext] = min(num[learnNext], l.clock())
	}
}

// sum brings the sums of the counts up to date.
func (x *lessons) sum() {
	all := x.all()
	clear(all)
	for part := range x.partitions() {
		for i, v := range x.of(part) {
			all[i] += v
		}
	}
}

// useModel lets pages have values by a model that another partition has fitted.
func (l *learner) useModel() {
	num := l.numbers.Slice()
	num[learnNextFit], num[learnRefit] = l.nextFit(), 1
	if num[learnStage] == learnIdle {
		num[learnStage] = learnRescore
		l.turn()
	}
}
