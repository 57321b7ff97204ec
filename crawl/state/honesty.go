package state

import (
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// Some servers answer 304 to every conditional request, whether the page changed or not. So
// one visit in eight is made without conditions. If such visits find changes at a site, and
// those with conditions hardly any, its 304s are not true: from then on one visit in eight has
// conditions, to see whether that is still so, and a 304 shows nothing.

// An answers counts what visits of the pages of a site found, each number up to 255. When one
// is full all are halved, so that a site can change.
type answers [4]uint8

// The numbers of answers.
const (
	asked        = iota // visits with conditions
	askedChanged        // of these, those that found a change
	plain               // visits without conditions
	plainChanged
)

// plainEvery is the number of visits of which one is made in the other way.
const plainEvery = 8

// lie reports whether the 304s of a site are not true: as many changes as at visits without
// conditions would have been found at four times as many visits with them, and some more.
func (a answers) lie() bool {
	return a[plainChanged] >= 3 && 4*(int(a[askedChanged])+2)*int(a[plain]) < int(a[plainChanged])*int(a[asked])
}

// answersOf returns the answers of a site.
func (v *revisits) answersOf(s graph.Site) (a answers) {
	if int(s) < v.told.Len() {
		w := v.told.At(int(s))
		a = answers{uint8(w), uint8(w >> 8), uint8(w >> 16), uint8(w >> 24)}
	}
	return a
}

// count counts a visit of a page of a site.
func (v *revisits) count(s graph.Site, conditions, changed bool) {
	a := v.answersOf(s)
	first := plain
	if conditions {
		first = asked
	}
	if a[first] == 255 {
		for i := range a {
			a[i] /= 2
		}
	}
	a[first]++
	if changed {
		a[first+1]++
	}
	v.told.Grow(int(s) + 1)
	v.told.Set(int(s), uint32(a[0])|uint32(a[1])<<8|uint32(a[2])<<16|uint32(a[3])<<24)
}

// Plain reports whether the next visit of a page is to be made without conditions.
func (v *revisits) Plain(p graph.Page) bool {
	if v == nil || !v.Knows(p) {
		return false
	}
	other := policy.Hash(uint64(p), uint64(v.Seen(p)))%plainEvery == 0
	return other != v.answersOf(v.s.Frontier.Site(p)).lie()
}

// asks reports whether the visit of a page that has ended was made with conditions. Of a page
// without validators it is not.
func (v *revisits) asks(p graph.Page) bool {
	return v.s.Visits.HasValidators(p) && !v.Plain(p)
}
