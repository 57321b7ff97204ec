package topic

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// stops are words that say nothing about what a text is about, of some languages.
const stops = `
a about above after again all also am an and any are as at be because been before being below between both but by can could did
do does doing don't down during each else few for from further had has have having he her here hers him his how however i if in
into is it it's its itself just may me might more most must my no nor not now of off on once only or other our ours out over own
per same shall she should so some such than that the their theirs them then there these they this those through to too under
until up upon us use used using very was we were what when where whether which while who whom whose why will with within without
would yes you your yours
aber alle als also am an auch auf aus bei bin bis bist da damit dann das dass dem den denn der des dich die dies diese dieser du
durch ein eine einem einen einer eines er es für hat hatte ich ihr im in ist ja kann mit nach nicht noch nur oder ohne sein sich
sie sind so über um und uns unter vom von vor war was wenn wer wie wir wird wo zu zum zur
au aux avec ce ces cette dans de des du elle en est et eux il ils je la le les leur lui mais ne nous on ou où par pas pour que
qui sa se ses son sont sur tu un une vous à
al como con de del desde el ella en entre era es esta este esto fue ha han hay la las le lo los más me mi muy no o para pero por
que se si sin sobre su sus también te un una uno y ya
che chi con da dal dei del della di e gli ha il in io la le lo ma nel non o per più si sono su suo tra un una
ao as com da das do dos e em eu mais na nas no nos o os ou para pela pelo por que se sem seu sua uma um
aan bij dat de die dit een en er haar het hij ik in is je maar met na naar niet nog of om ook op te tot uit van voor was wat we
wel wij zij zijn
а без бы был была были было быть в вам вас во вот все вы да для до его ее если есть еще же за и из или им их к как ко который
ли мне мы на не него нет но о об он она они оно от по под при с со так также то только у что чтобы эта эти это я
`

// A Stop reports whether a word says nothing about what a text is about.
type Stop func(word string) bool

// NewStop returns the test for words as the rule has them.
func NewStop(rule Rule) Stop {
	set := map[string]bool{}
	for word := range NewWords(rule.Stem).All([]byte(stops)) {
		set[string(word)] = true
	}
	return func(word string) bool { return set[word] }
}

// Drop leaves out words that say nothing, unless nothing would be left. It reports whether only
// such words are there.
func (q *Query) Drop(stop Stop) (only bool) {
	kept := slices.Clone(q.Terms)
	if kept = slices.DeleteFunc(kept, func(t Term) bool { return stop(t.Word) }); len(kept) == 0 {
		return true
	}
	q.Terms = kept
	return false
}

// MostExtracted is the largest number of terms that Extract finds.
const MostExtracted = 32

// Extract returns the words that the documents of a corpus are about, as a query. Words count by
// the sum of 1 + log n for n occurrences in a document, and by their occurrences in each document
// that has them: what navigation and phrases repeat is in many documents once. given weighs words
// by how rare they are elsewhere, those that it lacks as its rarest ones; nil: all alike. Where
// there are three documents or more, a word must be in two.
func (c *Corpus) Extract(name string, stop Stop, given map[string]float64) (Query, error) {
	rarest := 1.0
	for _, v := range given {
		rarest = max(rarest, v)
	}
	sums := make([]float64, len(c.ids))
	for _, d := range c.docs {
		for _, w := range d.words {
			sums[w.id] += Tame(w.n)
		}
	}
	q := Query{Name: name}
	for word, id := range c.ids {
		if stop(word) || !telling(word) || len(c.docs) >= 3 && c.with[id] < 2 {
			continue
		}
		w := float64(sums[id] * math.Log1p(float64(c.count[id])/float64(c.with[id])))
		if given != nil {
			w *= cmp.Or(given[word], rarest)
		}
		q.Terms = append(q.Terms, Term{Word: word, Weight: w})
	}
	if len(q.Terms) == 0 {
		return q, errNoWords
	}
	slices.SortFunc(q.Terms, func(a, b Term) int { return cmp.Or(cmp.Compare(b.Weight, a.Weight), strings.Compare(a.Word, b.Word)) })
	q.Terms = q.Terms[:min(len(q.Terms), MostExtracted)]
	for i, most := 0, q.Terms[0].Weight; i < len(q.Terms); i++ {
		q.Terms[i].Weight = math.Round(1000*q.Terms[i].Weight/most) / 1000
	}
	q.Terms = slices.DeleteFunc(q.Terms, func(t Term) bool { return t.Weight == 0 })
	return q, nil
}

// telling reports whether a word can say what a text is about: it is no number, and no single
// letter of an alphabet.
func telling(word string) bool {
	letters, runes := 0, 0
	for _, r := range word {
		if runes++; unicode.IsLetter(r) {
			letters++
		}
		if unicode.Is(unicode.Han, r) {
			return true
		}
	}
	return runes > 1 && 2*letters > runes
}
