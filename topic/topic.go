package topic

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// MaxTerms is the largest number of terms of a topic: they are bits of a word.
const MaxTerms = 64

// A Topic is what a crawl is about. It does not change once it is made.
type Topic struct {
	Queries []Query
	Rule    Rule
	Hot     Hot

	words []string // of all terms, distinct, in the order of their places
	idf   []float64
}

// A Query is one of the things that a topic is about. A page is as similar to a topic as to the
// query that is nearest.
type Query struct {
	Name  string
	Terms []Term
}

// A Term is a word of a query.
type Term struct {
	Word   string  // as Words returns it
	Weight float64 // how often the query has it, or what examples give it
	Place  uint8   // of the word among all words of the topic
}

// A Rule says how similar a page is to a query.
type Rule struct {
	Measure Measure
	IDF     IDF
	Title   float64 // a word of the title counts as so many others; 0 means 1
	Stem    string  // language whose words are reduced to their stems; "" for none
}

// A Measure is a way to compute similarity.
type Measure uint8

// The measures.
const (
	BM25   Measure = iota // with k1 = 1.2 and b = 0.75, as a share of the most that there can be
	Cosine                // of the angle between the vectors
	Inner                 // product of the vectors
)

var measureNames = []string{"bm25", "cosine", "inner"}

func (m Measure) String() string { return measureNames[m] }

// Measures returns the names of the measures.
func Measures() []string { return slices.Clone(measureNames) }

// Set sets a measure by its name.
func (m *Measure) Set(name string) error {
	i := slices.Index(measureNames, name)
	if i < 0 {
		return fmt.Errorf("%q: want %s", name, strings.Join(measureNames, ", "))
	}
	*m = Measure(i)
	return nil
}

// An IDF is a way to weigh words by how rare they are.
type IDF uint8

// The ways.
const (
	LogIDF     IDF = iota // logarithm of pages by pages with the word
	InverseIDF            // 1 by the occurrences in all pages, as in Cho, Garcia-Molina and Page
	NoIDF                 // all words count alike
)

var idfNames = []string{"log", "inverse", "none"}

func (x IDF) String() string { return idfNames[x] }

// IDFs returns the names of the ways.
func IDFs() []string { return slices.Clone(idfNames) }

// Set sets a way by its name.
func (x *IDF) Set(name string) error {
	i := slices.Index(idfNames, name)
	if i < 0 {
		return fmt.Errorf("%q: want %s", name, strings.Join(idfNames, ", "))
	}
	*x = IDF(i)
	return nil
}

// Hot says which pages are about the topic: those that have any of these. 0 leaves one out.
type Hot struct {
	Similarity float64 // at least so similar
	Title      int     // at least so many terms in the title
	Body       int     // at least so many terms in the rest
}

// PaperHot is the rule of Cho, Garcia-Molina and Page, section 7: a term in the title, or ten in
// the rest.
func PaperHot() Hot { return Hot{Title: 1, Body: 10} }

// errNoWords reports a query without words.
var errNoWords = errors.New("the query has no words")

// New returns a topic. Places are set. It returns an error if a query has no terms, a weight is
// no positive number, or there are too many terms.
func New(queries []Query, rule Rule, hot Hot) (*Topic, error) {
	t := &Topic{Rule: rule, Hot: hot}
	if len(queries) == 0 {
		return nil, errNoWords
	}
	for _, q := range queries {
		if len(q.Terms) == 0 {
			return nil, fmt.Errorf("query %q: %w", q.Name, errNoWords)
		}
		q.Terms = slices.Clone(q.Terms)
		for i := range q.Terms {
			if err := t.add(&q.Terms[i]); err != nil {
				return nil, err
			}
		}
		t.Queries = append(t.Queries, q)
	}
	return t, nil
}

// add gives a term its place.
func (t *Topic) add(term *Term) error {
	if term.Word == "" || term.Word[0] == ':' || strings.ContainsAny(term.Word, "\t\n") {
		return fmt.Errorf("%q is no word", term.Word)
	}
	if !(term.Weight > 0) || math.IsInf(term.Weight, 1) {
		return fmt.Errorf("the weight of %q is %v: it must be a positive number", term.Word, term.Weight)
	}
	at := slices.Index(t.words, term.Word)
	if at < 0 {
		at = len(t.words)
		t.words, t.idf = append(t.words, term.Word), append(t.idf, 0)
	}
	if at >= MaxTerms {
		return fmt.Errorf("the topic has more than %d words", MaxTerms)
	}
	term.Place = uint8(at)
	return nil
}

// Terms returns the words of the topic in the order of their places.
func (t *Topic) Terms() []string { return t.words }

// Words returns the words of terms, which are bits.
func (t *Topic) Words(mask uint64) (list []string) {
	for i, word := range t.words {
		if mask>>i&1 != 0 {
			list = append(list, word)
		}
	}
	return list
}

// Give sets the IDF of a word, which is then not estimated from the pages of the crawl.
func (t *Topic) Give(word string, idf float64) {
	if i := slices.Index(t.words, word); i >= 0 {
		t.idf[i] = idf
	}
}

// Given returns the IDF that was given for a place, 0 if none was.
func (t *Topic) Given(place uint8) float64 { return t.idf[place] }

// Parse returns a query of a text: its words with the numbers of their occurrences.
func Parse(name, text string, rule Rule) (Query, error) {
	q := Query{Name: name}
	w := NewWords(rule.Stem)
	for word := range w.All([]byte(text)) {
		i := slices.IndexFunc(q.Terms, func(t Term) bool { return t.Word == string(word) })
		if i < 0 {
			i = len(q.Terms)
			q.Terms = append(q.Terms, Term{Word: string(word)})
		}
		q.Terms[i].Weight++
	}
	if len(q.Terms) == 0 {
		return q, errNoWords
	}
	return q, nil
}

// Text returns the queries as ReadText reads them: a line for each term, with tabs between word,
// weight and, if it was given, IDF. A line that begins with a colon names a query.
func (t *Topic) Text() string {
	var b strings.Builder
	for _, q := range t.Queries {
		fmt.Fprintf(&b, ":%s\n", strings.ReplaceAll(q.Name, "\n", " "))
		for _, term := range q.Terms {
			b.WriteString(term.Word + "\t" + strconv.FormatFloat(term.Weight, 'g', -1, 64))
			if idf := t.idf[term.Place]; idf != 0 {
				b.WriteString("\t" + strconv.FormatFloat(idf, 'g', -1, 64))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// ReadText returns the topic that Text wrote.
func ReadText(text string, rule Rule, hot Hot) (*Topic, error) {
	var queries []Query
	given := map[string]float64{}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if name, ok := strings.CutPrefix(line, ":"); ok {
			queries = append(queries, Query{Name: name})
			continue
		}
		part := strings.Split(line, "\t")
		if len(part) < 2 || len(part) > 3 || len(queries) == 0 {
			return nil, fmt.Errorf("line %d of the topic: %q is no term", i+1, line)
		}
		weight, err := number(part[1])
		if err == nil && len(part) == 3 {
			given[part[0]], err = number(part[2])
		}
		if err != nil {
			return nil, fmt.Errorf("line %d of the topic: %w", i+1, err)
		}
		q := &queries[len(queries)-1]
		q.Terms = append(q.Terms, Term{Word: part[0], Weight: weight})
	}
	t, err := New(queries, rule, hot)
	if err != nil {
		return nil, err
	}
	for word, idf := range given {
		t.Give(word, idf)
	}
	return t, nil
}

// number returns the positive number that a text has.
func number(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err == nil && (!(v > 0) || math.IsInf(v, 1)) {
		err = fmt.Errorf("%q is no positive number", text)
	}
	return v, err
}
