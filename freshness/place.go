package freshness

import (
	"math"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
)

// A place is a directory or a whole site. What was found at some of its pages says what to
// expect at the others: how often they change, and whether they have changed of late.
type place [8]uint32

// What the words of a place hold. All but placeParent and placeRate are float32.
const (
	placeParent    = iota // the place above it, plus 1; 0: it is the highest
	placeFound            // visits of late that found a change; they count for some weeks
	placeExpected         // changes expected at these visits
	placeChanges          // Evidence of all visits
	placeChanged          //
	placeUnchanged        //
	placeRate             // code of the rate that Evidence shows; 0: to be computed
	placeSeen             // the time that Evidence was of when the rate was computed
)

// Visits of late lose their weight by and by: a 20th of it a day. The ratio of found and
// expected changes is drawn towards that of the place above by a fifth of a change.
const (
	fading = 20 * 86400 // seconds
	drawn  = 0.2
)

func (x *place) float(i int) float64       { return float64(math.Float32frombits(x[i])) }
func (x *place) setFloat(i int, v float64) { x[i] = math.Float32bits(float32(v)) }
func (x *place) add(i int, v float64)      { x.setFloat(i, x.float(i)+v) }

func (x *place) evidence() Evidence {
	return Evidence{Changes: x.float(placeChanges), Changed: x.float(placeChanged), Unchanged: x.float(placeUnchanged)}
}

// visited counts a visit of a page of the place, age seconds after the one before.
func (x *place) visited(age float64, r reading, changed bool) {
	x.add(placeExpected, r.weight*r.expected)
	if changed {
		x.add(placeFound, r.weight)
		x.add(placeChanges, 1)
		x.add(placeChanged, age-r.quiet)
		x.add(placeUnchanged, r.quiet)
	} else {
		x.add(placeUnchanged, age)
	}
	if seen := x.float(placeChanged) + x.float(placeUnchanged); seen > x.float(placeSeen)*renewed {
		x.setFloat(placeSeen, seen)
		x.setRate(0)
	}
}

// renewed is how much longer visits must have lasted until a rate is computed again.
const renewed = 1.1

func (x *place) rate() code     { return code(x[placeRate]) }
func (x *place) setRate(c code) { x[placeRate] = uint32(c) }

// places holds the places, each after the one above it.
type places struct {
	all    *graph.Column[place]
	ratios []float32 // by place: found by expected changes, for the present round
	number decoder
	base   float64 // the rate that is expected where nothing is known
}

// add adds a place below another, -1 for none, and returns its number.
func (x *places) add(above int) int {
	x.all.Append(place{placeParent: uint32(above + 1)})
	return x.all.Len() - 1
}

// visited counts a visit at the place and at all above it.
func (x *places) visited(id int, age float64, r reading, changed bool) {
	all := x.all.Slice()
	for n := uint32(id) + 1; n != 0; n = all[n-1][placeParent] {
		all[n-1].visited(age, r, changed)
	}
}

// widest bounds what a place can make expect: a page may be unlike those beside it, and a
// place that was quiet may wake.
const widest = 8

// rate returns the rate that one expects of a page of the place before its first visit.
func (x *places) rate(id int) float64 {
	p := &x.all.Slice()[id]
	if p.rate() == 0 {
		above := x.base
		if up := p[placeParent]; up != 0 {
			above = x.rate(int(up - 1))
		}
		p.setRate(encode(min(max(Rate(p.evidence(), above), x.base/widest), x.base*widest)))
	}
	return float64(x.number[p.rate()])
}

// ratio returns found by expected changes at the place.
func (x *places) ratio(id int) float64 {
	if id >= len(x.ratios) {
		return 1
	}
	return float64(x.ratios[id])
}

// fade lowers the weight of earlier visits by the time that passed, in seconds.
func (x *places) fade(passed float64) {
	left := math.Exp(-passed / fading)
	all := x.all.Slice()
	for i := range all {
		p := &all[i]
		p.setFloat(placeFound, p.float(placeFound)*left)
		p.setFloat(placeExpected, p.float(placeExpected)*left)
	}
}

// setRatios computes the ratios of all places, each drawn towards that of the place above.
func (x *places) setRatios() {
	all := x.all.Slice()
	x.ratios = slices.Grow(x.ratios[:0], len(all))[:len(all)]
	for i := range all {
		p := &all[i]
		above := 1.0
		if up := p[placeParent]; up != 0 {
			above = float64(x.ratios[up-1])
		}
		x.ratios[i] = float32(p.drawnTo(above))
	}
}

// drawnTo returns found by expected changes, drawn towards the ratio of the place above.
func (x *place) drawnTo(above float64) float64 {
	return (x.float(placeFound) + drawn*above) / (x.float(placeExpected) + drawn)
}

// present returns the ratio of a place as it is now, not as the round began.
func (x *places) present(id int) float64 {
	p, above := &x.all.Slice()[id], 1.0
	if up := p[placeParent]; up != 0 {
		above = x.present(int(up - 1))
	}
	return p.drawnTo(above)
}
