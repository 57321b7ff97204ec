package topic

import (
	"math"
	"math/bits"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// A Collection knows how frequent the terms of a topic are in the pages fetched so far, and by
// that how similar pages are to the topic.
type Collection struct {
	graph.Set
	t *Topic
	// By place, and in the last elements over all pages.
	pages  *graph.Column[uint64] // pages with the term; pages
	counts *graph.Column[uint64] // occurrences; words
	weight [MaxTerms]float64     // scratch: IDF by place
}

// NewCollection returns an empty collection.
func NewCollection(t *Topic) *Collection {
	c := &Collection{t: t}
	n := len(t.words) + 1
	c.pages = graph.NewColumnIn[uint64](&c.Set, "topic pages", n)
	c.counts = graph.NewColumnIn[uint64](&c.Set, "topic words", n)
	c.pages.Grow(n)
	c.counts.Grow(n)
	return c
}

// Add adds a page.
func (c *Collection) Add(r *event.Reading) {
	pages, counts, last := c.pages.Slice(), c.counts.Slice(), len(c.t.words)
	pages[last]++
	counts[last] += uint64(r.Words)
	for _, m := range r.Matches {
		pages[m.Term]++
		counts[m.Term] += uint64(m.Title) + uint64(m.Body)
	}
}

// Pages returns the number of pages.
func (c *Collection) Pages() int { return int(c.pages.At(len(c.t.words))) }

// IDF returns the inverse document frequency of a term.
func (c *Collection) IDF(place uint8) float64 {
	if given := c.t.idf[place]; given != 0 {
		return given
	}
	return c.t.Rule.IDF.of(c.Pages(), int(c.pages.At(int(place))), int(c.counts.At(int(place))))
}

// The parameters of BM25.
const (
	k1 = 1.2
	b  = 0.75
)

// Similarity returns how similar a page is to the topic: 0 without a term, 1 at most unless the
// measure is the inner product.
func (c *Collection) Similarity(r *event.Reading) float64 {
	best, _ := c.Nearest(r)
	return best
}

// Nearest returns how similar a page is to the query that is nearest, and its place.
func (c *Collection) Nearest(r *event.Reading) (best float64, query int) {
	if len(r.Matches) == 0 {
		return 0, 0
	}
	var at [MaxTerms]*event.Match
	hits := uint64(0)
	for i := range r.Matches {
		m := &r.Matches[i]
		at[m.Term], c.weight[m.Term] = m, c.IDF(m.Term)
		hits += uint64(m.Body)
	}
	for i := range c.t.Queries {
		if s := c.similarity(&c.t.Queries[i], r, &at); s > best {
			best, query = s, i
		}
	}
	return best * stuffing(hits, r.Words), query
}

// similarity returns how similar a page is to a query.
func (c *Collection) similarity(q *Query, r *event.Reading, at *[MaxTerms]*event.Match) float64 {
	switch c.t.Rule.Measure {
	case BM25:
		return c.bm25(q, r, at)
	case Cosine:
		return c.cosine(q, r, at)
	}
	sum := 0.0
	for _, t := range q.Terms {
		if m := at[t.Place]; m != nil {
			idf := c.weight[t.Place]
			sum += float64(float64(t.Weight*idf) * float64(c.count(m)*idf))
		}
	}
	return sum
}

// count returns how often a page has a term, as its title counts.
func (c *Collection) count(m *event.Match) float64 {
	return float64(m.Body) + float64(c.t.Rule.title()*float64(m.Title))
}

// bm25 returns the sum of BM25 by the largest that a page can have.
func (c *Collection) bm25(q *Query, r *event.Reading, at *[MaxTerms]*event.Match) float64 {
	long := longer(float64(r.Words), float64(c.counts.At(len(c.t.words))), c.Pages())
	sum, most := 0.0, 0.0
	for _, t := range q.Terms {
		w := float64(t.Weight * c.IDF(t.Place))
		most += float64(w * (k1 + 1))
		if m := at[t.Place]; m != nil {
			n := c.count(m)
			sum += float64(w*n) * (k1 + 1) / (n + float64(k1*long))
		}
	}
	return sum / most
}

// longer returns by how much a page discounts the occurrences of words because it is longer than
// the mean of so many pages. Unlike in BM25 as it was published, a short page gains nothing.
func longer(length, all float64, pages int) float64 {
	mean := max(1, all/float64(max(1, pages)))
	return 1 - b + float64(b*max(1, length/mean))
}

// cosine returns the cosine of the angle between the vector of the page, whose weights are
// 1 + log n for n occurrences, and that of the query, whose weights are those of its terms by
// their IDF: lnc.ltc in the notation of SMART. So a page needs no IDF of words that are no
// terms.
func (c *Collection) cosine(q *Query, r *event.Reading, at *[MaxTerms]*event.Match) float64 {
	if r.Norm == 0 {
		return 0
	}
	sum, square := 0.0, 0.0
	for _, t := range q.Terms {
		w := float64(t.Weight * c.IDF(t.Place))
		square += float64(w * w)
		if m := at[t.Place]; m != nil {
			sum += float64(w * Tame(c.count(m)))
		}
	}
	return min(1, sum/float64(math.Sqrt(square)*float64(r.Norm)))
}

// Tame returns 1 + log n, the weight of n occurrences in a vector.
func Tame(n float64) float64 { return 1 + math.Log(n) }

// maxShare is the largest share of its words that a page about something has of the terms of a
// query. Pages with more are stuffed with them.
const maxShare = 0.2

// stuffing returns what is left of the similarity of a page with so many terms among its words:
// all of it for pages that people write.
func stuffing(hits uint64, words uint32) float64 {
	if share := float64(hits) / float64(max(1, words)); share > maxShare {
		return maxShare / share * (maxShare / share)
	}
	return 1
}

// Share returns how much of a query some terms are, which are bits: the sum of their weights by
// their IDF, as a share of that of all terms, in the query of which it is most.
func (c *Collection) Share(terms uint64) (best float64) {
	if terms == 0 {
		return 0
	}
	for i := range c.t.Queries {
		some, all := 0.0, 0.0
		for _, t := range c.t.Queries[i].Terms {
			w := float64(t.Weight * c.IDF(t.Place))
			if all += w; terms>>t.Place&1 != 0 {
				some += w
			}
		}
		if all > 0 {
			best = max(best, some/all)
		}
	}
	return best
}

// Hot reports whether a page of a similarity is about the topic.
func (c *Collection) Hot(r *event.Reading, similarity float64) bool {
	h := &c.t.Hot
	title, body := 0, 0
	for _, m := range r.Matches {
		title, body = title+int(m.Title), body+int(m.Body)
	}
	return h.Similarity > 0 && similarity >= h.Similarity || h.Title > 0 && title >= h.Title || h.Body > 0 && body >= h.Body
}

// Terms returns the number of terms among bits.
func Terms(mask uint64) int { return bits.OnesCount64(mask) }

// Topic returns the topic.
func (c *Collection) Topic() *Topic { return c.t }
