package topic

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/event"
)

// made returns a topic of one query.
func made(t testing.TB, text string, rule Rule, hot Hot) *Topic {
	t.Helper()
	topic, err := New([]Query{query(t, text, rule)}, rule, hot)
	if err != nil {
		t.Fatal(err)
	}
	return topic
}

func TestParse(t *testing.T) {
	q := query(t, "Crawlers crawl; a crawler", Rule{Stem: "english"})
	want := []Term{{Word: "crawler", Weight: 2}, {Word: "crawl", Weight: 1}, {Word: "a", Weight: 1}}
	if !reflect.DeepEqual(q.Terms, want) {
		t.Errorf("terms %+v, want %+v", q.Terms, want)
	}
	for _, text := range []string{"", "  ", "?!", "..."} {
		if _, err := Parse("q", text, Rule{}); err == nil {
			t.Errorf("%q is a query", text)
		}
	}
}

func TestNewErrors(t *testing.T) {
	many := Query{Name: "many"}
	for i := range MaxTerms + 1 {
		many.Terms = append(many.Terms, Term{Word: strings.Repeat("x", i+1), Weight: 1})
	}
	for want, queries := range map[string][]Query{
		"no words":     nil,
		"\"empty\"":    {{Name: "empty"}},
		"more than":    {many},
		"positive":     {{Terms: []Term{{Word: "x", Weight: math.NaN()}}}},
		"is no word":   {{Terms: []Term{{Word: "", Weight: 1}}}},
		"\":x\" is no": {{Terms: []Term{{Word: ":x", Weight: 1}}}},
	} {
		if _, err := New(queries, Rule{}, Hot{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

func TestText(t *testing.T) {
	rule, hot := Rule{Measure: Cosine, Stem: "english"}, Hot{Similarity: 0.2}
	topic, err := New([]Query{query(t, "web crawler", rule), query(t, "crawler order order", rule)}, rule, hot)
	if err != nil {
		t.Fatal(err)
	}
	topic.Give("crawler", 3.5)
	topic.Give("unknown", 1)
	const want = ":web crawler\nweb\t1\ncrawler\t1\t3.5\n:crawler order order\ncrawler\t1\t3.5\norder\t2\n"
	if topic.Text() != want {
		t.Errorf("text %q, want %q", topic.Text(), want)
	}
	again, err := ReadText(topic.Text(), rule, hot)
	if err != nil || !reflect.DeepEqual(again, topic) {
		t.Errorf("read %+v, error %v, want %+v", again, err, topic)
	}
}

func FuzzReadText(f *testing.F) {
	f.Add(":a\nx\t1\ny\t2\t0.5\n:b\ny\t1\n")
	f.Add("x\t1")
	f.Add(":a\nx\tNaN\n")
	f.Add(":\n5\n")
	f.Fuzz(func(t *testing.T, text string) {
		topic, err := ReadText(text, Rule{}, Hot{})
		if err != nil {
			return
		}
		again, err := ReadText(topic.Text(), Rule{}, Hot{})
		if err != nil || again.Text() != topic.Text() {
			t.Errorf("%q became %q, then error %v", text, topic.Text(), err)
		}
		topic.NewReader().Page([]byte(text), []byte(text), new(event.Reading))
	})
}

// A page of nothing but the query does not win against one that is about it.
func TestStuffing(t *testing.T) {
	about := "web crawler " + strings.Repeat("a crawler fetches pages of the web in some order and keeps them on a disk ", 5)
	stuffed := strings.Repeat("web crawler ", 200)
	for _, m := range []Measure{BM25, Cosine, Inner} {
		topic := made(t, "web crawler", Rule{Measure: m}, Hot{})
		c, r := NewCollection(topic), topic.NewReader()
		var a, b, other event.Reading
		r.Page([]byte("Crawlers of the web"), []byte(about), &a)
		r.Page([]byte("web crawler web crawler"), []byte(stuffed), &b)
		for range 20 {
			r.Page(nil, []byte(strings.Repeat("other words of pages about anything else ", 10)), &other)
			c.Add(&other)
		}
		c.Add(&a)
		c.Add(&b)
		x, y := c.Similarity(&a), c.Similarity(&b)
		if m == Inner {
			y /= 40 // the inner product knows no length: as many words as the other page
		}
		if !(x > y) || !(y > 0) {
			t.Errorf("%v: a page about the topic has %v, a stuffed one %v", m, x, y)
		}
	}
}

func TestHot(t *testing.T) {
	paper := NewCollection(made(t, "computer", Rule{}, PaperHot()))
	near := NewCollection(made(t, "computer", Rule{}, Hot{Similarity: 0.5}))
	for _, test := range []struct {
		m     event.Match
		s     float64
		paper bool
		near  bool
	}{
		{event.Match{Body: 9}, 0.4, false, false},
		{event.Match{Body: 10}, 0.5, true, true},
		{event.Match{Title: 1}, 0.1, true, false},
		{event.Match{}, 0.6, false, true},
	} {
		r := &event.Reading{Words: 50, Matches: []event.Match{test.m}}
		if a, b := paper.Hot(r, test.s), near.Hot(r, test.s); a != test.paper || b != test.near {
			t.Errorf("%+v is hot: %t by the paper, %t by similarity", test.m, a, b)
		}
	}
}

// Several queries: a page is as near as to the nearest.
func TestNearest(t *testing.T) {
	topic, err := New([]Query{query(t, "soup bread", Rule{}), query(t, "boat lake", Rule{})}, Rule{}, Hot{})
	if err != nil {
		t.Fatal(err)
	}
	c, r := NewCollection(topic), event.Reading{}
	topic.NewReader().Page(nil, []byte("a boat on the lake, and some soup for the whole crew of that boat and its guests"), &r)
	c.Add(&r)
	if s, at := c.Nearest(&r); at != 1 || s <= 0.4 || s > 1 {
		t.Errorf("query %d with %v", at, s)
	}
	if s := c.Share(1 << 2); s != 0.5 {
		t.Errorf("one of two words is %v of the query", s)
	}
}
