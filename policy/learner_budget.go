package policy

import "math"

// The links of fetched pages pay for the work of foresight, so that it costs about the same for
// each link on all webs. Where pages have few links, checkpoints and fits are rarer. Work is
// counted, not timed, in what takes about a nanosecond.
const (
	linkPay   = 2100 // what a link brings
	pageWork  = 2400 // of a page that is known: its groups, its places on boards, its hand-out
	largeWork = 1200 // in addition of one beyond the pages of a small crawl, since memory is slower
	scoreWork = 110  // of a new value
)

// What pages, groups, links and examples take at a checkpoint.
const (
	sweepPageWork  = 8
	sweepGroupWork = 6
	sweepLinkWork  = 3
	labelPageWork  = 32
	labelGroupWork = 10
	exampleWork    = 750
	fitWork        = 150_000
)

// fitShare is the share of what is left for checkpoints that fits may take.
const fitShare = 0.4

// earned returns what is left for checkpoints of what links have brought.
func (l *learner) earned() float64 {
	known := l.group.Len()
	large := max(0, known-smallPages)
	return float64(linkPay*l.numbers.At(learnLinks)) - float64(pageWork*known+largeWork*large)
}

// spend notes that work is done.
func (l *learner) spend(work int) { l.numbers.Slice()[learnSpent] += uint64(work) }

// pays reports whether links have paid for what was done so far. In any case there is a checkpoint
// when there are twice as many fetched pages as at the last one. Of several partitions each has few
// links, and what it learns is for all: nothing has to be paid there.
func (l *learner) pays() bool {
	num := l.numbers.Slice()
	return l.trade.foreign != nil || float64(num[learnSpent]) <= l.earned() || l.clock() >= 2*num[learnBegan]
}

// paysFit reports whether links have paid for a fit since the last one. In any case there is one
// when there are twice as many fetched pages as at the last one, and in several partitions.
func (l *learner) paysFit() bool {
	num := l.numbers.Slice()
	if l.trade.foreign != nil || 5*l.clock() >= 8*num[learnNextFit] { // which is a quarter more than at the last one
		return true
	}
	most := fitted
	if l.small() {
		most = smallFitted
	}
	since := l.earned() - math.Float64frombits(num[learnFitPaid])
	return fitShare*since >= float64(workOfFit(min(l.memo.page.Len(), most)))
}

// workOfFit returns the work of a fit to so many examples.
func workOfFit(examples int) int { return fitWork + exampleWork*examples }

// payFit notes that a fit to so many examples begins.
func (l *learner) payFit(examples int) {
	l.spend(workOfFit(examples))
	l.numbers.Set(learnFitPaid, math.Float64bits(l.earned()))
}
