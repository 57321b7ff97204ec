package policy

import (
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/score"
)

// The stages of a checkpoint of scored.
const (
	scoreIdle      = iota
	scoreRanks     // PageRank, and that of remote links
	scoreHits      // HITS
	scoreHitsFar   // HITS over links between sites
	scoreCitations // sites that link to a page
	scoreSums      // PageRank of sites
	scoreMeans     // and its means
	scoreQuantiles
	scoreRescore // the waiting pages
	scoreEnd
)

const (
	// hitsSweeps is the number of sweeps of HITS at a checkpoint. Each begins with the result of
	// the last.
	hitsSweeps = 5
	// evalCost is what an evaluation costs in links of a sweep, and fitCost what a fit of
	// quantiles does.
	evalCost = 256
	fitCost  = 100_000
)

// Work does a part of a checkpoint when it is time.
func (s *scored) Work(links int) (more bool) {
	num := s.numbers.Slice()
	if num[scoreStage] == scoreIdle {
		if num[scoreFetched] < num[scoreNext] || num[scoreKnown] == 0 {
			return false
		}
		num[scoreNext] = num[scoreFetched] + max(20, num[scoreFetched]/pace(num[scoreFetched]))
		num[scorePages] = num[scoreKnown]
		s.turn()
	}
	if !s.step(links) {
		s.turn()
	}
	return num[scoreStage] != scoreIdle
}

// turn begins the next stage.
func (s *scored) turn() {
	num := s.numbers.Slice()
	num[scoreAt] = 0
	switch num[scoreStage]++; num[scoreStage] {
	case scoreHits, scoreHitsFar:
		if h := s.hits[num[scoreStage]-scoreHits]; h != nil {
			h.Begin(hitsSweeps)
		}
	case scoreCitations:
		if s.sites != nil {
			s.sites.Begin()
		}
	case scoreEnd:
		num[scoreStage] = scoreIdle
	}
}

// step continues the present stage, and reports whether more of it is left.
func (s *scored) step(links int) (more bool) {
	num := s.numbers.Slice()
	switch stage := num[scoreStage]; stage {
	case scoreRanks:
		return s.ranks != nil && s.ranks.Work(batchBound, links) || s.far != nil && s.far.Work(batchBound, links)
	case scoreHits, scoreHitsFar:
		h := s.hits[stage-scoreHits]
		return h != nil && h.Step(&s.web, links)
	case scoreCitations:
		return s.sites != nil && s.sites.Step(&s.web, links)
	case scoreSums:
		return s.of.rank != nil && s.each(links/linkCost, int(num[scorePages]), s.addRank)
	case scoreMeans:
		return s.of.rank != nil && s.each(links/linkCost, s.of.rank.Len(), s.setMean)
	case scoreQuantiles:
		return s.each(links/fitCost, int(score.Terms), s.fit)
	}
	return s.board != nil && s.each(links/evalCost, int(num[scorePages]), func(i int) {
		if p := graph.Page(i); s.board.Waits(p) {
			s.rescore(p)
		}
	})
}

// each calls do for one more than a number of pages, sites or terms, and reports whether more
// are left.
func (s *scored) each(many, end int, do func(int)) bool {
	num := s.numbers.Slice()
	at := int(num[scoreAt])
	stop := min(at+many+1, end)
	for ; at < stop; at++ {
		do(at)
	}
	num[scoreAt] = uint64(at)
	return at < end
}

// addRank adds the PageRank of a page to the sum of its site.
func (s *scored) addRank(i int) {
	p := graph.Page(i)
	s.of.sum.Slice()[s.e.Facts.Site(p)] += s.value(score.PageRank, p)
}

// setMean sets the mean PageRank of a site.
func (s *scored) setMean(i int) {
	mean := 0.0
	if n := s.of.pages.At(i); n > 0 {
		mean = s.of.sum.At(i) / float64(n)
	}
	s.of.rank.Set(i, mean)
	s.of.sum.Set(i, 0)
}

// fit reads the values of a term for its quantiles.
func (s *scored) fit(i int) {
	s.places.Fit(score.Term(i), func(p graph.Page) float64 { return s.value(score.Term(i), p) })
}

// pace returns by which part fetched pages grow from one checkpoint to the next: a large crawl
// changes less.
func pace(fetched uint64) (part uint64) {
	switch {
	case fetched < 10_000:
		return 20
	case fetched < 100_000:
		return 12
	}
	return 8
}
