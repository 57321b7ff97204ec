package topic

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/event"
)

// fixture are 20 documents: title and text.
var fixture = [20][2]string{
	{"Computer science", "the computer science department teaches computer networks"},
	{"Admission", "admission to the department of science needs a form"},
	{"Sports", "the team plays football and the team wins"},
	{"", "computer computer computer"},
	{"Queue theory", "a queue is a line and a queue is fair"},
	{"Networks", "computer networks carry packets between computer and computer"},
	{"History", "the history of science and the history of art"},
	{"Art", "art is long and life is short"},
	{"Cooking", "cook the soup and serve the soup hot"},
	{"Soup", "soup soup and bread"},
	{"Bread", "bread needs flour water salt and time"},
	{"Travel", "travel by train and by boat"},
	{"Boats", "a boat on a lake and a computer on a boat"},
	{"Lake", "the lake is deep and the water cold"},
	{"Water", "water is wet"},
	{"Theory of computer science", "theory of computation asks what a computer can do"},
	{"Form", "fill in the form for admission"},
	{"Time", "time flies"},
	{"Department", "the department has one computer"},
	{"Nothing", "and so on"},
}

// corpusOf returns the fixture.
func corpusOf(rule Rule) *Corpus {
	c := NewCorpus(rule)
	for _, d := range fixture {
		c.Add([]byte(d[0]), []byte(d[1]))
	}
	return c
}

// The fixture has "computer" 13 times in 6 documents, and "science" 5 times in 4.
func TestInnerProduct(t *testing.T) { // M1, M2
	q := query(t, "computer science", Rule{})
	logOf := func(n, df float64) float64 { return math.Log(1 + (n-df+0.5)/(df+0.5)) }
	for _, test := range []struct {
		idf               IDF
		computer, science float64
	}{
		{InverseIDF, 1. / 13, 1. / 5},
		{LogIDF, logOf(20, 6), logOf(20, 4)},
		{NoIDF, 1, 1},
	} {
		c := corpusOf(Rule{Measure: Inner, IDF: test.idf})
		got := c.Similarities(&q)
		x, y := test.computer*test.computer, test.science*test.science
		want := [20]float64{0: 3*x + 2*y, 1: y, 3: 3 * x, 5: 3 * x, 6: y, 12: x, 15: 2*x + y, 18: x}
		for i := range want {
			if math.Abs(got[i]-want[i]) > 1e-9 {
				t.Errorf("%v: document %d has %v, want %v", test.idf, i, got[i], want[i])
			}
		}
	}
}

func query(t testing.TB, text string, rule Rule) Query {
	t.Helper()
	q, err := Parse(text, text, rule)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// Twice the weight of the title adds what the title has once more.
func TestTitleWeight(t *testing.T) { // M3
	q := query(t, "computer", Rule{})
	once := corpusOf(Rule{Measure: Inner, IDF: InverseIDF}).Similarities(&q)
	twice := corpusOf(Rule{Measure: Inner, IDF: InverseIDF, Title: 2}).Similarities(&q)
	for i := range once {
		more := 0.0
		if strings.Contains(strings.ToLower(fixture[i][0]), "computer") {
			more = 1. / 13 / 13
		}
		if math.Abs(twice[i]-once[i]-more) > 1e-12 {
			t.Errorf("document %d: %v with the title once, %v twice, want %v more", i, once[i], twice[i], more)
		}
	}
	topic := made(t, "computer", Rule{Measure: Inner, IDF: NoIDF, Title: 3}, Hot{})
	if s := NewCollection(topic).Similarity(&event.Reading{Words: 100, Matches: []event.Match{{Title: 2, Body: 5}}}); s != 11 {
		t.Errorf("similarity %v, want 5 + 3*2", s)
	}
}

func TestCosine(t *testing.T) { // M4
	for _, idf := range []IDF{LogIDF, InverseIDF, NoIDF} {
		c := corpusOf(Rule{Measure: Cosine, IDF: idf})
		for i := range fixture {
			if s := c.Between(i, i); math.Abs(s-1) > 1e-12 {
				t.Errorf("%v: the cosine of document %d with itself is %v", idf, i, s)
			}
		}
		if a, b := c.Between(0, 15), c.Between(15, 0); a != b || a <= 0 || a >= 1 {
			t.Errorf("%v: cosines %v and %v", idf, a, b)
		}
	}
	// Document 3 is 3 times computer; document 14 is water twice, is, wet.
	c := corpusOf(Rule{Measure: Cosine, IDF: NoIDF})
	q := query(t, "water", Rule{})
	got := c.Similarities(&q)
	if want := 2 / math.Sqrt(6); math.Abs(got[14]-want) > 1e-12 {
		t.Errorf("cosine %v, want %v", got[14], want)
	}
	if q := query(t, "computer zeppelin", Rule{}); math.Abs(c.Similarities(&q)[3]-math.Sqrt(0.5)) > 1e-12 {
		t.Errorf("cosine %v with a word that no document has", c.Similarities(&q)[3])
	}
}

func TestBM25(t *testing.T) {
	c := corpusOf(Rule{})
	q := query(t, "soup zeppelin", Rule{})
	length := 0
	for _, d := range fixture {
		length += len(strings.Fields(d[1]))
	}
	mean := float64(length) / 20
	idf := func(df float64) float64 { return math.Log(1 + (20-df+0.5)/(df+0.5)) }
	// Soup has it in 3 places and is short; Cooking in 2 of 8 words.
	for doc, n := range map[int]float64{8: 2, 9: 3} {
		long := 0.25 + 0.75*max(1, float64(len(strings.Fields(fixture[doc][1])))/mean)
		want := idf(2) * n * 2.2 / (n + 1.2*long) / (2.2 * (idf(2) + idf(0)))
		if got := c.Similarities(&q)[doc]; math.Abs(got-want) > 1e-12 {
			t.Errorf("document %d has %v, want %v", doc, got, want)
		}
	}
}

// The running frequencies of a crawl come near to those of the whole collection: after half of
// the documents, similarity by them orders all as the true one does.
func TestRunningFrequencies(t *testing.T) { // M5
	rng := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		words := make([]string, 40+rng.IntN(200))
		for i := range words {
			words[i] = fmt.Sprintf("w%d", int(math.Exp(rng.Float64()*math.Log(800))))
		}
		return strings.Join(words, " ")
	}
	docs := make([][]byte, 600)
	for i := range docs {
		docs[i] = []byte(text())
	}
	for _, rule := range []Rule{{}, {Measure: Inner}, {Measure: Inner, IDF: InverseIDF}} {
		topic := made(t, "w3 w17 w40 w111 w300", rule, Hot{})
		corpus, seen, r := NewCorpus(rule), NewCollection(topic), topic.NewReader()
		readings := make([]event.Reading, len(docs))
		for i, d := range docs {
			corpus.Add(nil, d)
			if r.Page(nil, d, &readings[i]); i < len(docs)/2 {
				seen.Add(&readings[i])
			}
		}
		truth, guess := corpus.Similarities(&topic.Queries[0]), make([]float64, len(docs))
		for i := range docs {
			guess[i] = seen.Similarity(&readings[i])
		}
		if c := spearman(truth, guess); c < 0.95 {
			t.Errorf("%+v: rank correlation %v, want 0.95 or more", rule, c)
		}
	}
}

// spearman returns the correlation of the ranks of two lists.
func spearman(a, b []float64) float64 {
	ranks := func(v []float64) []float64 {
		order := make([]int, len(v))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int {
			return int(math.Copysign(1, v[i]-v[j])) * min(1, int(math.Ceil(math.Abs(v[i]-v[j]))))
		})
		out := make([]float64, len(v))
		for rank, i := range order {
			out[i] = float64(rank)
		}
		return out
	}
	x, y := ranks(a), ranks(b)
	sum, n := 0.0, float64(len(a))
	for i := range x {
		sum += (x[i] - y[i]) * (x[i] - y[i])
	}
	return 1 - 6*sum/(n*(n*n-1))
}
