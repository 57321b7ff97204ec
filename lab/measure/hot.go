package measure

import "sort"

// A Hot is a set of hot pages of E: all that are at least as important as some page
// or threshold, ties included.
type Hot struct {
	// G is the least importance of a hot page, on the mean-1 scale if the truth has
	// it.
	G     float64
	Pages int // H
	limit uint32
}

// nearly allows for the rounding of values that were scaled to the mean 1: on a ring
// of pages, all of which have importance 1, all are hot for G = 1.
const nearly = 1 - 1e-9

// HotAbove returns the pages with importance at least g.
func (j *Judge) HotAbove(g float64) Hot {
	least := g
	if j.truth.MeanScale {
		least = g * nearly
	}
	return j.hotFirst(g, sort.Search(len(j.ranked), func(i int) bool {
		return j.truth.Value[j.ranked[i]]*j.scale < least
	}))
}

// HotBest returns the pages at least as important as the k-th best of E: I(R_K) of Crawl &
// Stop, I(R_B) of the limited buffer.
func (j *Judge) HotBest(k int) Hot {
	k = min(k, len(j.ranked))
	if k <= 0 {
		return Hot{}
	}
	kth := j.ranked[k-1]
	return j.hotFirst(j.truth.Value[kth]*j.scale, sort.Search(len(j.ranked), func(i int) bool {
		return j.class[j.ranked[i]] > j.class[kth]
	}))
}

// HotTop returns the best share of E: the percentile threshold beside the absolute one.
func (j *Judge) HotTop(of float64) Hot { return j.HotBest(PagesAt(of, len(j.pages))) }

// hotFirst returns the best h pages, after which no class continues.
func (j *Judge) hotFirst(g float64, h int) Hot {
	if h == len(j.ranked) {
		return Hot{g, h, uint32(j.classes)}
	}
	return Hot{g, h, j.class[j.ranked[h]]}
}

// Found returns P_ST(k), the share of all hot pages that is among the first k fetches
// (Crawl & Stop with Threshold, P2); 0 when no page is hot.
func (t *Trial) Found(h Hot) Curve {
	c := Curve{make([]float64, len(t.order)), len(t.judge.pages)}
	found := 0
	for k, p := range t.order {
		if t.judge.class[p] < h.limit {
			found++
		}
		c.Y[k] = Share(found, h.Pages)
	}
	return c
}

// CrawlStop returns P_CS(k), the share of the first k fetches that are at least as
// important as the k-th best page of E (Crawl & Stop, P1).
//
// From one k to the next the line between hot and not falls and one page is added,
// so it takes no more than counting the pages fetched in each class below the line.
func (t *Trial) CrawlStop() Curve {
	j := t.judge
	c := Curve{make([]float64, len(t.order)), len(j.pages)}
	below := make([]uint32, j.classes) // fetched pages of each class that is not hot yet
	line, hot := uint32(0), 0          // classes before line are hot
	for k, p := range t.order {
		for ; line <= j.class[j.ranked[k]]; line++ {
			hot += int(below[line])
		}
		if class := j.class[p]; class < line {
			hot++
		} else {
			below[class]++
		}
		c.Y[k] = Share(hot, k+1)
	}
	return c
}
