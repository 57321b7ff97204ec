package advise

import (
	"math"

	"github.com/winnow-crawler/winnow/graph"
)

// A Count is how many pages about the topic a tenth more of a budget would bring. It is between
// Low and High, which are whole numbers, in four of five cases.
type Count struct {
	Pages, Low, High float64
	Last             int // what the last tenth of the budget brought
}

// votes counts the fetched pages that link to a page, and those of them that are about the topic.
type votes struct{ all, hot uint32 }

// vote counts the links of a page.
func (w *walk) vote(p graph.Page, links []graph.Page) {
	if w.votes == nil {
		return
	}
	hot := w.Hot(p)
	for _, q := range links {
		w.votes[q].all++
		if hot {
			w.votes[q].hot++
		}
	}
}

// promises reports whether at least half of the known links to a page are from pages about the
// topic.
func (w *walk) promises(p graph.Page) bool {
	if w.votes == nil {
		return false
	}
	v := w.votes[p]
	return v.hot > 0 && 2*v.hot >= v.all
}

// hotSoFar returns the number of pages about the topic after each number of fetches.
func (w *walk) hotSoFar() []int {
	sums := make([]int, len(w.Order)+1)
	for i, p := range w.Order {
		if sums[i+1] = sums[i]; w.Hot != nil && w.Hot(p) {
			sums[i+1]++
		}
	}
	return sums
}

// The model of pages about the topic. A rate is a share of pages, as a logarithm. With
//
//	last    that of the last tenth of the budget
//	recent  that of the last four tenths
//	all     that of all fetched pages
//	supply  waiting pages that promise to be hot for each page expected, as a logarithm
//
// the rate of the next tenth is
//
//	recent + one + last (last - recent) + all (all - recent) + supply (supply - recent)
//
// and the ends of its interval lie low and high times exp(one - few log(number of hot pages) +
// hours, if it is about hours) away. The numbers are from virtual crawls of eight synthetic webs
// with topics: see docs/advise.md.
func hotModel() (one, last, all, supply float64) { return -0.589, 0.223, 0.267, 0.177 }

// hotScale returns the numbers of the interval.
func hotScale() (one, few, hours, low, high float64) { return -0.75, 0.2, -0.15, -2.176, 2.129 }

// recentTenths is the number of tenths by which the recent rate goes.
const recentTenths = 4

// rate returns the logarithm of a share. Nothing of nothing is a half.
func rate(hot, pages int) float64 { return math.Log((float64(hot) + 0.5) / (float64(pages) + 1)) }

// hot returns the forecast of pages about the topic, given their numbers after each fetch.
func (s *series) hot(sums []int, v *view) (c Count) {
	k, a, i := s.cuts[0], s.cuts[1], 1
	for i < recentTenths && s.valid(i) {
		i++
	}
	m, from := min(s.more(0), v.waiting), s.cuts[i]
	recent := rate(sums[k]-sums[from], k-from)
	one, ofLast, ofAll, ofSupply := hotModel()
	y := recent + one + float64(ofLast*(rate(sums[k]-sums[a], k-a)-recent)) + float64(ofAll*(rate(sums[k], k)-recent)) +
		float64(ofSupply*(rate(v.promising, m)-recent))
	one, few, ofHours, low, high := hotScale()
	if s.budget != Hours {
		ofHours = 0
	}
	unit := math.Exp(one - float64(few*math.Log(math.Exp(y)*float64(m+1)+0.5)) + ofHours)
	pages := func(y float64) float64 { return max(0, min(math.Exp(y)*float64(m+1)-0.5, float64(m))) }
	return Count{
		Pages: pages(y), Low: math.Round(pages(y + float64(low*unit))), High: math.Round(pages(y + float64(high*unit))),
		Last: sums[k] - sums[a],
	}
}
