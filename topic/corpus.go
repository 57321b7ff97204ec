package topic

import (
	"math"
	"slices"
)

// A Corpus is a collection of documents that are known as a whole. It computes the IS of Cho,
// Garcia-Molina and Page, section 2: a document is a vector with an element for each word of the
// collection, which is the number of its occurrences, as its title counts, by the inverse
// document frequency of the word over all documents.
type Corpus struct {
	rule    Rule
	words   *Words
	ids     map[string]uint32
	docs    []document
	with    []int // by word: documents with it
	count   []int // by word: its occurrences in all documents
	length  int   // words of all documents
	scratch map[uint32]float64
}

// A document has its distinct words in ascending order.
type document struct {
	words  []element
	length int // words, without those of the title
}

type element struct {
	id uint32
	n  float64 // occurrences, as the title counts
}

// NewCorpus returns an empty corpus.
func NewCorpus(rule Rule) *Corpus {
	return &Corpus{rule: rule, words: NewWords(rule.Stem), ids: map[string]uint32{}, scratch: map[uint32]float64{}}
}

// Add adds a document.
func (c *Corpus) Add(title, text []byte) {
	d := document{}
	clear(c.scratch)
	for word := range c.words.All(text) {
		c.add(word, 1)
		d.length++
	}
	for word := range c.words.All(title) {
		c.add(word, c.rule.title())
	}
	for id, n := range c.scratch {
		d.words = append(d.words, element{id, n})
		c.with[id]++
	}
	slices.SortFunc(d.words, func(a, b element) int { return int(a.id) - int(b.id) })
	c.length += d.length
	c.docs = append(c.docs, d)
}

// add counts a word of a document.
func (c *Corpus) add(word []byte, n float64) {
	id, ok := c.ids[string(word)]
	if !ok {
		id = uint32(len(c.ids))
		c.ids[string(word)] = id
		c.with, c.count = append(c.with, 0), append(c.count, 0)
	}
	c.scratch[id] += n
	c.count[id]++
}

// title returns what a word of a title counts.
func (r *Rule) title() float64 { return max(1, r.Title) }

// Len returns the number of documents.
func (c *Corpus) Len() int { return len(c.docs) }

// IDF returns the inverse document frequency of a word.
func (c *Corpus) IDF(word string) float64 {
	if id, ok := c.ids[word]; ok {
		return c.idf(id)
	}
	return c.rule.IDF.of(len(c.docs), 0, 0)
}

func (c *Corpus) idf(id uint32) float64 { return c.rule.IDF.of(len(c.docs), c.with[id], c.count[id]) }

// of returns the inverse document frequency of a word that so many of all pages have, so often in
// all.
func (x IDF) of(pages, with, count int) float64 {
	switch n, df := float64(pages), float64(with); x {
	case LogIDF:
		return math.Log1p((n - df + 0.5) / (df + 0.5))
	case InverseIDF:
		return 1 / float64(max(1, count))
	}
	return 1
}

// Similarities returns how similar all documents are to a query. Unlike those of a Collection,
// they do not depend on how much of a document the query is.
func (c *Corpus) Similarities(q *Query) []float64 {
	v, rest := c.vector(q)
	all := make([]float64, len(c.docs))
	for i := range c.docs {
		switch d := &c.docs[i]; c.rule.Measure {
		case BM25:
			all[i] = c.bm25(q, d)
		case Cosine:
			all[i] = min(1, c.inner(d, v)/math.Sqrt(float64(c.inner(d, d)*(c.inner(v, v)+rest))))
		default:
			all[i] = c.inner(d, v)
		}
		if math.IsNaN(all[i]) {
			all[i] = 0 // a document without words
		}
	}
	return all
}

// vector returns a query as a document, and the square of what no document has.
func (c *Corpus) vector(q *Query) (d *document, rest float64) {
	d = &document{}
	for _, t := range q.Terms {
		if id, ok := c.ids[t.Word]; ok {
			d.words = append(d.words, element{id, t.Weight})
			continue
		}
		w := float64(t.Weight * c.IDF(t.Word))
		rest += float64(w * w)
	}
	slices.SortFunc(d.words, func(a, b element) int { return int(a.id) - int(b.id) })
	return d, rest
}

// Between returns how similar two documents are: the inner product of their vectors, or the
// cosine of the angle between them.
func (c *Corpus) Between(i, j int) float64 {
	a, b := &c.docs[i], &c.docs[j]
	if c.rule.Measure == Inner {
		return c.inner(a, b)
	}
	return c.inner(a, b) / math.Sqrt(float64(c.inner(a, a)*c.inner(b, b)))
}

// inner returns the inner product of the vectors of two documents.
func (c *Corpus) inner(a, b *document) (sum float64) {
	x, y := a.words, b.words
	for len(x) > 0 && len(y) > 0 {
		switch {
		case x[0].id < y[0].id:
			x = x[1:]
		case x[0].id > y[0].id:
			y = y[1:]
		default:
			idf := c.idf(x[0].id)
			sum += float64(float64(x[0].n*idf) * float64(y[0].n*idf))
			x, y = x[1:], y[1:]
		}
	}
	return sum
}

// bm25 returns what Collection does for the last of its pages.
func (c *Corpus) bm25(q *Query, d *document) float64 {
	long := longer(float64(d.length), float64(c.length), len(c.docs))
	sum, most := 0.0, 0.0
	for _, t := range q.Terms {
		w := float64(t.Weight * c.IDF(t.Word))
		most += float64(w * (k1 + 1))
		id, ok := c.ids[t.Word]
		at, found := slices.BinarySearchFunc(d.words, id, func(e element, id uint32) int { return int(e.id) - int(id) })
		if ok && found {
			n := d.words[at].n
			sum += float64(w*n) * (k1 + 1) / (n + float64(k1*long))
		}
	}
	return sum / most
}
