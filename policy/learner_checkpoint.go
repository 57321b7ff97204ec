package policy

import (
	"math"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/group"
	"github.com/winnow-crawler/winnow/policy/hindsight"
	"github.com/winnow-crawler/winnow/policy/order"
)

// The stages of a checkpoint.
const (
	learnIdle     = iota
	learnEstimate // PageRank
	learnIndex    // of Horn
	learnLabels   // of fetched pages, and their sums
	learnMeans    // of groups
	learnFit      // the model
	learnRescore  // the waiting pages
)

// What the steps of a checkpoint cost: as much as how many links of a sweep. A slice is for
// links in order; here they lead anywhere, which takes four times as long.
const (
	linkCost  = 8
	indexCost = 4 * linkCost
	labelCost = 8 * linkCost
	meanCost  = 4 * linkCost
	scoreCost = 64 * linkCost
)

// world returns what the checkpoint under way may know: pages fetched before it began. Those
// whose links are not kept count as not fetched.
func (l *learner) world() *hindsight.World {
	w := &hindsight.World{
		Marks: l.state.Slice(), Mask: gotBit | lateBit | unkeptBit, Fetched: gotBit,
		Group: l.group.Slice(), Up: l.tree.Ups(), Out: l.e.Out,
	}
	l.trade.open(w, l.group.Len())
	return w
}

// A small crawl has many checkpoints for its links. So it does less at each of them: one sweep
// from the last estimate, and new labels at one checkpoint of some, beyond the first pages, and
// before each fit.
const (
	smallPages  = 10_000 // fetched pages of a small crawl
	smallSweeps = 1
	sweeps      = 3
	looksEvery  = 3
	looksAlways = 100 // fetched pages
)

// small reports whether the crawl is a small one still.
func (l *learner) small() bool { return l.clock() < smallPages }

// ending reports whether most of the pages of a small crawl are fetched: seven of ten of those
// that are known. Then little is left to choose from.
func (l *learner) ending() bool {
	return l.small() && 10*l.numbers.At(learnFetched) > 7*uint64(l.group.Len())
}

// looks reports whether labels are to be renewed at the checkpoint under way.
func (l *learner) looks() bool {
	num, now := l.numbers.Slice(), l.clock()
	return now >= smallPages || now <= looksAlways || num[learnRound]%looksEvery == 0 || now >= num[learnNextFit] && l.paysFit()
}

// firstPages is the number of fetched pages before the first checkpoint, and between two of them at
// least. In the first hundred pages an estimate soon becomes out of date.
const firstPages = 5

// pace returns by which part fetched pages grow from one checkpoint to the next. A large crawl
// changes less.
func (l *learner) pace() (part uint64) {
	switch {
	case l.ending():
		return 10
	case l.small():
		return 40
	case l.clock() < 100_000:
		return 12
	}
	return 8
}

// fitPace returns by which part fetched pages grow from one fit to the next.
func (l *learner) fitPace() (part uint64) {
	if l.ending() {
		return 1
	}
	return 4
}

// Work does a part of a checkpoint when it is time.
func (l *learner) Work(links int) (more bool) {
	num := l.numbers.Slice()
	if num[learnStage] == learnIdle {
		if l.clock() < num[learnNext] || !l.pays() {
			return false
		}
		l.begin()
	}
	if !l.step(links) {
		num[learnStage]++
		num[learnAt] = 0
		l.turn()
	}
	return num[learnStage] != learnIdle
}

// begin begins a checkpoint.
func (l *learner) begin() {
	num, state := l.numbers.Slice(), l.state.Slice()
	for _, p := range l.late.Slice() {
		state[p] &^= lateBit
	}
	l.late.Truncate(0)
	l.noteNews()
	num[learnPages], num[learnGroups] = uint64(l.group.Len()), uint64(l.tree.Len())
	num[learnNext] = l.clock() + max(firstPages, l.clock()/l.pace())
	num[learnStage] = learnEstimate
	num[learnRound]++
	many := sweeps
	if l.small() {
		many = smallSweeps
	}
	l.spend(many * (sweepPageWork*l.group.Len() + sweepGroupWork*l.tree.Len() + sweepLinkWork*int(num[learnKept])))
	l.est.Begin(l.group.Len(), l.tree.Len(), many)
}

// turn begins a stage.
func (l *learner) turn() {
	num := l.numbers.Slice()
	switch num[learnStage] {
	case learnIndex:
		if !l.looks() {
			num[learnStage] = learnRescore
			l.turn()
			return
		}
		l.spend(labelPageWork*l.group.Len() + labelGroupWork*l.tree.Len())
		l.index.Begin(int(num[learnPages]))
	case learnMeans:
		num[learnMeaned] = num[learnGroups]
	case learnFit:
		num[learnCredit] = 1
		l.trade.renew(num[learnFetched])
		if !l.mayFit() || !l.beginFit() {
			num[learnStage] = learnRescore
			l.turn()
			return
		}
		num[learnNextFit] = l.nextFit()
		num[learnRefit] = 1
	case learnRescore:
		l.rescoring.Begin(l.group.Len(), rescored(l.group.Len(), int(num[learnFetched]), num[learnRefit] == 1))
		num[learnRefit] = 0
	case learnRescore + 1:
		num[learnStage] = learnIdle
	}
}

// nextFit returns the clock at the next fit, after one now.
func (l *learner) nextFit() uint64 { return l.clock() + max(50, l.clock()/l.fitPace()) }

// step continues the present stage, and reports whether more of it is left.
func (l *learner) step(links int) (more bool) {
	switch l.numbers.At(learnStage) {
	case learnEstimate:
		return l.est.Step(l.world(), 1+links/linkCost)
	case learnIndex:
		return l.index.Step(1+links/indexCost, l.weight, l.e.Facts.From)
	case learnLabels:
		return l.each(1+links/labelCost, learnPages, l.lookBack)
	case learnMeans:
		return l.each(1+links/meanCost, learnGroups, l.setMeans)
	case learnFit:
		more = l.model.Step()
		if !more {
			l.trade.fitted()
		}
		return more
	}
	return l.rescoring.Step(links, l.board, l.rescore)
}

// weight returns what a page contributes to the index. A page that failed, or brought nothing
// new, contributes nothing, whatever it leads to.
func (l *learner) weight(p graph.Page) float64 {
	if l.state.At(int(p))&(lostBit|dullBit) != 0 {
		return 0
	}
	return l.est.Value(p)
}

// each calls do for the next so many pages or groups, and reports whether more are left.
func (l *learner) each(many int, end int, do func(at, stop int)) bool {
	num := l.numbers.Slice()
	at := int(num[learnAt])
	stop := at + min(many, int(num[end])-at)
	do(at, stop)
	num[learnAt] = uint64(stop)
	return num[learnAt] < num[end]
}

// setLabel sets the label of a page, and brings the sums up to date.
func (l *learner) setLabel(i int) {
	p := graph.Page(i)
	was, is := l.label.At(i), l.scale.of(l.index.Value(p))
	if was == is {
		return
	}
	l.label.Set(i, is)
	if was != 0 {
		l.addLabel(p, steps(is)-steps(was))
		return
	}
	l.addLabel(p, steps(is))
	l.countLabel(p, lg(1+float64(l.found.At(i))))
}

// addLabel adds to the sums of the groups of a page, of its look and of the page on which it
// was found.
func (l *learner) addLabel(p graph.Page, d int64) {
	sum, ups := l.groupSum.Slice(), l.tree.Ups()
	g := l.group.At(int(p))
	for ; g != 0; g = ups[g] {
		sum[g] += d
	}
	sum[0] += d
	l.lookSum.Slice()[l.look.At(int(p))] += d
	if up := l.e.Facts.From(p); up != graph.NoPage {
		l.sibSum.Slice()[up] += int32(d)
	} else if home, ok := l.trade.home(p); ok {
		l.trade.homes.sibSum.Slice()[home] += int32(d)
	}
}

// countLabel counts a page that has a label now, and the pages found on it, where addLabel adds.
func (l *learner) countLabel(p graph.Page, finds float32) {
	n, new, ups := l.groupN.Slice(), l.groupFinds.Slice(), l.tree.Ups()
	for g := l.group.At(int(p)); ; g = ups[g] {
		n[g]++
		new[g] += finds
		if g == 0 {
			break
		}
	}
	l.lookN.Slice()[l.look.At(int(p))]++
	if up := l.e.Facts.From(p); up != graph.NoPage {
		l.sibN.Slice()[up]++
	} else if home, ok := l.trade.home(p); ok {
		l.trade.homes.sibN.Slice()[home]++
	}
}

// mean returns the mean label, of all partitions.
func (l *learner) mean() float64 {
	if l.trade.foreign != nil || l.groupN.Len() == 0 || l.groupSum.At(0) != l.middle.steps || l.groupN.At(0) != l.middle.labels {
		l.renewMean()
	}
	return l.middle.mean
}

// renewMean brings the mean up to date.
func (l *learner) renewMean() {
	sum, _, n := l.ownLabels()
	if l.groupN.Len() > 0 {
		l.middle.steps, l.middle.labels = l.groupSum.At(0), l.groupN.At(0)
	}
	if l.trade.foreign != nil {
		all := l.trade.all()
		sum, n = sum+all[lessonSum], n+all[lessonLabels]
	}
	if sum == l.middle.sum && n == l.middle.n {
		return
	}
	l.middle.sum, l.middle.n, l.middle.mean = sum, n, 0
	if n > 0 {
		l.middle.mean = sum / n
	}
	l.middle.root = order.Exp2(-l.middle.mean / 4)
}

// ownLabels returns the sums of the labels of pages here and of what was found on these pages, and
// their number.
func (l *learner) ownLabels() (sum, finds, n float64) {
	if l.groupN.Len() == 0 {
		return 0, 0, 0
	}
	return float64(l.groupSum.At(0)) / labelSteps, float64(l.groupFinds.At(0)), float64(l.groupN.At(0))
}

// A middle is the mean of all labels, made of their sum and number.
type middle struct {
	steps  int64  // the sum of the labels of pages here
	labels uint32 // and their number
	sum, n float64
	mean   float64
	root   float64 // 2^(-mean/4)
}

// setMeans sets the means of groups, drawn towards those of the groups above them.
func (l *learner) setMeans(at, stop int) {
	sums, counts, finds, mean := l.groupSum.Slice(), l.groupN.Slice(), l.groupFinds.Slice(), l.mean()
	for i := at; i < stop; i++ {
		g := group.ID(i)
		var label, found float32
		if i > 0 {
			label, found = l.meansAbove(g)
		}
		if i > 0 && counts[i] == 0 {
			l.tree.SetMeans(g, label, found) // what the formula gives, too
			continue
		}
		n, new := float64(counts[i]), float64(finds[i])
		sum := float64(sums[i])/labelSteps - float64(n*mean)
		if i == 0 && l.trade.foreign != nil { // the root is that of all partitions
			all := l.trade.all()
			sum, n, new = 0, n+all[lessonLabels], new+all[lessonFinds]
		}
		l.tree.SetMeans(g, float32((sum+float64(3*float64(label)))/(n+3)), float32((new+float64(3*float64(found)))/(n+3)))
	}
}

// rootSteps is the number of steps of 1 in the logarithm of a target.
const rootSteps = 4 * labelSteps

// largestTarget is the target of labels that are 6 above the mean, or more.
const largestTarget = 2 * math.Sqrt2

// target returns what the model is to predict for a label: 2^(l/4), where l is the label less
// the mean, 6 at most.
func (l *learner) target(label uint16) float64 {
	d := min(steps(label)-int64(l.mean()*labelSteps), 6*labelSteps)
	whole := d / rootSteps
	if d < whole*rootSteps {
		whole--
	}
	return math.Ldexp(l.roots[d-whole*rootSteps], int(whole))
}

// beginFit gives the oldest nine tenths of the memory to the model. It reports whether they
// are enough.
func (l *learner) beginFit() bool {
	n, used := l.memo.page.Len()*9/10, l.trade.examples()
	most := max(1, min(l.share(float64(l.numbers.At(learnFetched))), fitted-used))
	step := max(1, (n+most-1)/most)
	for i := 0; i < n; i += step {
		if l.label.At(int(l.memo.page.At(i))) != 0 {
			used++
		}
	}
	if used < leastFitted {
		return false
	}
	for i := 0; i < n; i += step {
		if label := l.label.At(int(l.memo.page.At(i))); label != 0 {
			l.model.Add(l.memo.features(i), l.target(label))
		}
	}
	l.trade.each(func(x []float32, label uint16) { l.model.Add(x, l.target(label)) })
	l.payFit(used)
	l.model.Begin()
	return true
}

// rescored returns how many of the waiting pages with the highest values get new ones. After a
// fit all values may change; after other checkpoints those of a few.
func rescored(known, fetched int, refit bool) int {
	if refit {
		return max(5000, fetched/4)
	}
	return max(400, min(1000, (known-fetched)/4), fetched/16)
}

// leastFitted is the least number of examples of a fit.
const leastFitted = 100

// credits returns by board the mean label of the pages that it chose lately, the newest tenth
// left out, once after each checkpoint. A board with few pages has infinitely much.
func (l *learner) credits() (means []float64, ok bool) {
	if l.numbers.At(learnCredit) == 0 {
		return nil, false
	}
	l.numbers.Set(learnCredit, 0)
	n := l.memo.page.Len()
	means, counts := make([]float64, l.memo.boards), make([]float64, l.memo.boards)
	for i := max(0, n-max(60, n/4)); i < n*9/10; i++ {
		board, label := int(l.memo.board.At(i)), l.label.At(int(l.memo.page.At(i)))
		if label != 0 && board < len(means) { // otherwise another policy beside it chose the page
			means[board] += float64(steps(label)) / labelSteps
			counts[board]++
		}
	}
	for i, n := range counts {
		means[i] /= n
		if n < hedgeFewer {
			means[i] = math.Inf(1)
		}
	}
	return means, true
}
