package trap

import (
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// newsGuard is a guard of one site.
func newsGuard() *guarded {
	g := newGuarded(10_000, 10)
	g.AddSite([]byte("a.example"), 0, "a.example")
	return g
}

// sample is so many pairs of numbers from one on.
func sample(first, n int) (s [8]uint32) {
	for i := range n {
		s[i] = uint32(first + i)
	}
	return s
}

// What is news: each page comes after one with the same words.
func TestNews(t *testing.T) {
	const rest, other = "/x/2.html", "/y/2.html"
	for _, c := range []struct {
		name, rest string
		n          News
		want       bool
	}{
		{"the same words", rest, News{Change: 7}, false},
		{"other words", rest, News{Change: 8}, true},
		{"nearly the words of a page", rest, News{Change: 8, Same: true, Like: 0}, false},
		{"the same words in another place", other, News{Change: 7}, true},
		{"nearly the same in another place", other, News{Change: 8, Same: true, Like: 0}, true},
		{"under an id", "/s0123456789a/2.html", News{Change: 7}, false},
		{"another title", rest, News{Change: 8, Same: true, Title: 4}, true},
		{"the same title", rest, News{Change: 8, Same: true, Title: 3}, false},
		{"other pictures", rest, News{Change: 7, Pictures: 6}, true},
		{"the same pictures", rest, News{Change: 7, Pictures: 5}, false},
		{"other numbers", rest, News{Change: 7, Numbers: sample(100, 8)}, true},
		{"few other numbers", rest, News{Change: 7, Numbers: sample(100, leastPairs-1)}, false},
		{"half of them others", rest, News{Change: 7, Numbers: sample(5, 8)}, true},
		{"less than half", rest, News{Change: 7, Numbers: sample(4, 8)}, false},
		{"numbers under an id", "/x/0123456789ab.html", News{Change: 7, Numbers: sample(100, 8)}, false},
		{"not found", rest, News{Change: 8, Soft: true}, false},
		{"no words", rest, News{}, true},
	} {
		g := newsGuard()
		g.Fetched(g.page(0, "/x/1.html"), News{Change: 7, Title: 3, Pictures: 5, Numbers: sample(1, 8)})
		if got := g.Fetched(g.page(0, "%s", c.rest), c.n); got != c.want {
			t.Errorf("%s: news is %v", c.name, got)
		}
	}
}

// A calendar with names has a new text for each month with each first weekday, but only so
// many words. A glossary has a new word on each page.
func TestNewsOfFewWords(t *testing.T) {
	calendar, glossary := newsGuard(), newsGuard()
	months, words := 0, 0
	for i := range 100 {
		terms := uint64(0xff) | 1<<(8+i%12) // days, and the month
		if calendar.Fetched(calendar.page(0, "/cal/%d.html", i), News{Change: uint64(i + 1), Terms: terms}) {
			months++
		}
		if glossary.Fetched(glossary.page(0, "/word/%d.html", i), News{Change: uint64(i + 1), Terms: 1 << (i * 37 % 64)}) {
			words++
		}
	}
	if months != 12 {
		t.Errorf("%d months were new, want 12", months)
	}
	if words < 80 {
		t.Errorf("%d of 100 words were new", words)
	}
	if p := calendar.page(0, "/cal/x.html"); !calendar.KnowsWords(p, 999, 0xff|1<<8) || calendar.KnowsWords(p, 999, 1<<40) {
		t.Error("the words of a calendar are new, or others are not")
	}
}

// A list that brings nothing is held, and released when what its like lead to proves good.
func TestListsAreWorthTheirPages(t *testing.T) {
	g := newsGuard()
	g.Parent = func(p *Page) (Page, bool) { return g.pages[p.ID-1], p.ID > 0 }
	var held []graph.Page
	for i := range 8 {
		p := g.page(0, "/page/%d", i)
		if g.ask(p, News{Change: 1}) == event.BarNoNews {
			held = append(held, p.ID)
		}
	}
	if len(held) != 8-1-groupLeast {
		t.Fatalf("%d lists are held", len(held))
	}
	if list := g.release(false); len(list) > 0 {
		t.Fatalf("%v are released before anything has come", list)
	}
	for _, p := range g.pages[1:3] {
		g.Led(&p)
	}
	if list := g.release(false); !slices.Equal(list, held) {
		t.Errorf("%v are released, want %v", list, held)
	}
}

// A member of a list is an end, a site of a farm is not.
func TestEnds(t *testing.T) {
	g := farmOf(t, 100)
	for i := 2; i < 12; i++ {
		g.leads.Set(i, 0)
	}
	if !g.isEnd(2) || g.isEnd(graph.Site(101)) {
		t.Fatal("a domain that was asked and leads nowhere is no end, or one is that was not asked")
	}
	if bar := g.Judge(g.page(2, "/more")); bar != event.NoBar {
		t.Errorf("another page of a member is judged %v", bar)
	}
	for range 2 {
		g.MadeKnown(0, 2, 3)
	}
	g.MadeKnown(0, 3, 3) // itself
	g.MadeKnown(0, 3, 0) // not of its kind
	if g.isEnd(2) || !g.isEnd(3) {
		t.Error("a domain that leads to others of its kind is an end, or one that does not is none")
	}
	if bar := g.Judge(g.page(2, "/more")); bar != event.BarFarm {
		t.Errorf("another page of a farm is judged %v", bar)
	}
}

// What came long ago is forgotten, and called new again.
func TestNovel(t *testing.T) {
	n := newNovel(new(graph.Set))
	if n.has(5) {
		t.Error("a thing is known before it came")
	}
	if n.add(5); !n.has(5) {
		t.Error("a thing is not known after it came")
	}
	if n.add(5 + 1<<40); !n.has(5+1<<40) || n.has(5) {
		t.Error("two things have one place")
	}
}

// The last pages count most: a group that was good for long is known to be tired after a
// while, and recovers.
func TestWindow(t *testing.T) {
	g := newGroups(new(graph.Set), "test", "test", [16]byte{1}, 10)
	g.window = groupWindow
	id, _ := g.enter(1)
	for range 1000 {
		g.count(id, true)
	}
	n := 0
	for ; !g.tired(id, groupLeast, groupTimes); n++ {
		g.count(id, false)
	}
	if n > 3*groupWindow {
		t.Errorf("it is tired after %d pages", n)
	}
	g.correct(id)
	g.correct(id)
	if g.tired(id, groupLeast, groupTimes) {
		t.Error("it is tired after two of them proved good")
	}
}
