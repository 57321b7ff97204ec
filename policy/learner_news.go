package policy

import "math"

// The news of a crawl are the new pages that a fetched page has brought lately. Where there are
// few, all pages are known. Then nothing is left to explore, and what a page leads to is known
// already: its own importance counts, of which the estimate knows more than the model.

const (
	// newsShare is what the last checkpoint counts in the news.
	newsShare = 0.3
	// newsHalf are the news with which the model counts half.
	newsHalf = 0.1
	// leastModel is what the model counts at least.
	leastModel = 0.5
	// leastTurns is the share of the turns that a board has at least to explore.
	leastTurns = 0.02
	// firstTurns is its weight before the first checkpoint; the learned board has 1.
	firstTurns = 0.2
)

// noteNews brings the news up to date when a checkpoint begins.
func (l *learner) noteNews() {
	num, now := l.numbers.Slice(), l.clock()
	pages, fetched := l.trade.newPages(uint64(l.group.Len()), num[learnPages]), now-num[learnBegan]
	last, news := float64(pages)/float64(max(1, fetched)), l.news()
	if num[learnBegan] == 0 {
		news = last
	}
	news += float64(newsShare * (last - news))
	num[learnBegan], num[learnNews] = now, math.Float64bits(news)
}

// news returns the new pages for each fetched page.
func (l *learner) news() float64 { return math.Float64frombits(l.numbers.At(learnNews)) }

// modelShare returns what the model counts in the value of a page; the rest is the estimate.
func (l *learner) modelShare() float64 {
	news := l.news()
	return max(leastModel, news/(news+newsHalf))
}

// limitExploring limits the turns of XIM, the second board, to half of the news. The first one has
// the rest.
func limitExploring(weights []float64, news float64) {
	if most := max(leastTurns, news/2); weights[1] > most {
		weights[0] += weights[1] - most
		weights[1] = most
	}
}
