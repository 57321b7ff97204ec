package policytest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zeebo/xxh3"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/topic"
)

// A TextSpec describes a web whose pages have words. Each page is about one of several subjects
// of equal shares; subject 0 is the topic of the crawl. Words are either those of a subject or
// common ones.
type TextSpec struct {
	Pages  int
	Share  float64 // of each subject
	Prefer float64 // share of links that lead to a page of the same subject, beyond chance
	Local  float64 // share of pages that are about the subject of their directory, beyond chance
	Named  float64 // share of words of links that are words of the subject of the target
	Heard  float64 // share of off-topic pages that have some term of the topic
}

// DefaultText returns the web of the evaluation: a subject has a share of 5 %, and links prefer
// their own subject with 0.5.
func DefaultText() TextSpec {
	return TextSpec{Pages: 5000, Share: 0.05, Prefer: 0.5, Local: 0.3, Named: 0.3, Heard: 0.1}
}

const (
	subjectWords = 30 // words of a subject; the first two of subject 0 are the terms of the topic
	commonWords  = 300
	directory    = 12 // pages of a directory
	site         = 48 // pages of a site
)

// NewText returns a web with texts. It depends on the seed alone.
func NewText(random uint64, s TextSpec) *World {
	w := &World{Random: random, Prior: make([]float64, s.Pages), Place: make([]int, s.Pages)}
	by := make([][]int, s.subjects())
	for p := range s.Pages {
		about := w.about(s, p)
		by[about] = append(by[about], p)
		w.Site = append(w.Site, p/site)
	}
	for p := range s.Pages {
		w.URL = append(w.URL, w.textURL(s, p))
		w.Out = append(w.Out, w.textLinks(s, p, by))
	}
	for i := range uint64(5) {
		w.Seeds = append(w.Seeds, w.draw(s.Pages, 30, i))
	}
	slices.Sort(w.Seeds)
	w.Seeds = slices.Compact(w.Seeds)
	w.Truth = pageRank(w.Out, nil)
	w.Score = everyTerm()
	w.write(s)
	return w
}

func (s TextSpec) subjects() int { return max(1, int(1/s.Share+0.5)) }

func (w *World) draw(below int, n ...uint64) int {
	return int(policy.Hash(w.Random, n...) % uint64(below))
}

// chance reports whether something with a probability happens.
func (w *World) chance(of float64, n ...uint64) bool { return w.draw(1<<30, n...) < int(of*(1<<30)) }

// about returns the subject of a page.
func (w *World) about(s TextSpec, p int) int {
	if i := uint64(p); !w.chance(s.Local, 40, i) {
		return w.draw(s.subjects(), 41, i)
	}
	return w.draw(s.subjects(), 42, uint64(p/directory))
}

// textURL returns a URL that has a word of the subject of the page one time in three.
func (w *World) textURL(s TextSpec, p int) string {
	word := w.word(s, w.about(s, p), 1.0/3, 43, uint64(p))
	return fmt.Sprintf("%s/d%d/%s-%d", w.SiteName(w.Site[p]), p/directory, word, p)
}

// textLinks returns the links of a page: to a page of the same subject, of the same site, or any.
func (w *World) textLinks(s TextSpec, p int, by [][]int) []int {
	i, same := uint64(p), by[w.about(s, p)]
	var out []int
	for l := range uint64(2 + w.draw(14, 50, i)) {
		to := w.draw(s.Pages, 51, i, l)
		switch {
		case w.chance(s.Prefer, 52, i, l):
			to = same[w.draw(len(same), 53, i, l)]
		case w.chance(0.5, 54, i, l):
			to = min(s.Pages-1, p/site*site+w.draw(site, 55, i, l))
		}
		out = append(out, to)
	}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(to int) bool { return to == p })
}

// word returns a word of a subject with a probability, else a common one.
func (w *World) word(s TextSpec, about int, of float64, n ...uint64) string {
	if w.chance(of, append(n, 1)...) { // lower numbers are more frequent
		return subjectWord(about, w.draw(w.draw(subjectWords, append(n, 2)...)+1, append(n, 3)...))
	}
	return "the" + letters(w.draw(commonWords, append(n, 4)...))
}

// subjectWord returns a word of a subject.
func subjectWord(about, i int) string { return "about" + letters(about) + "of" + letters(i) }

// letters writes a number without digits.
func letters(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprint(n))
}

// write gives all pages their words, and the links theirs.
func (w *World) write(s TextSpec) {
	query := topic.Query{Name: "test", Terms: []topic.Term{{Word: subjectWord(0, 0), Weight: 1}, {Word: subjectWord(0, 1), Weight: 1}}}
	var err error
	if w.Topic, err = topic.New([]topic.Query{query}, topic.Rule{}, topic.PaperHot()); err != nil {
		panic(err)
	}
	for p := range w.Out {
		w.Read = append(w.Read, w.page(s, p))
		w.Anchors = append(w.Anchors, w.links(s, p))
	}
}

// page returns what a page has of the topic, without its links. Two pages of three about the
// topic are hot by the rule of Cho, Garcia-Molina and Page.
func (w *World) page(s TextSpec, p int) event.Reading {
	i := uint64(p)
	r := event.Reading{Words: uint32(100 + w.draw(400, 60, i))}
	on := w.about(s, p) == 0
	for term := range uint64(2) {
		m := event.Match{Term: uint8(term)}
		if on {
			m.Body = uint16(w.draw(9, 61, i, term))
			m.Title = uint16(w.draw(4, 62, i, term) / 3)
		} else if w.chance(s.Heard/2, 63, i, term) {
			m.Body = uint16(1 + w.draw(3, 64, i, term))
			m.Title = uint16(w.draw(20, 65, i, term) / 19)
		}
		if m.Body > 0 || m.Title > 0 {
			r.Matches = append(r.Matches, m)
		}
	}
	return r
}

// links returns the anchors of a page, and adds the terms at its links to its reading.
func (w *World) links(s TextSpec, p int) (anchors []event.Anchor) {
	i, r := uint64(p), &w.Read[p]
	for l, to := range w.Out[p] {
		link, a := uint64(l), event.Anchor{Region: event.Content}
		if w.draw(3, 70, i, link) == 0 {
			a.Region = event.Navigation
		}
		var text, around []string
		for j := range uint64(1 + w.draw(4, 71, i, link)) {
			word := w.word(s, w.about(s, to), s.Named, 72, i, link, j)
			text = append(text, word)
			a.Words.Add(uint16(xxh3.HashString(word)))
		}
		for j := range uint64(8) {
			about := []int{w.about(s, to), w.about(s, p)}[j%2]
			around = append(around, w.word(s, about, s.Named/2, 73, i, link, j))
		}
		anchors = append(anchors, a)
		if h := (event.Hit{Link: uint32(l), Anchor: w.mask(text), Around: w.mask(around)}); h.Anchor|h.Around != 0 {
			r.Hits = append(r.Hits, h)
		}
	}
	return anchors
}

// mask returns the terms among words.
func (w *World) mask(words []string) (mask uint64) {
	for i, term := range w.Topic.Terms() {
		if slices.Contains(words, term) {
			mask |= 1 << i
		}
	}
	return mask
}
