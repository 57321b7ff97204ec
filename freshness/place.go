package freshness

import (
	"math"

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
	placeRate             // code of the rate that Evidence shows, 0 before the first; above it, markOld
	placeSeen             // the time that Evidence was of when the rate was computed
)

// Visits of late lose their weight by and by: a 20th of it a day. Instead of lowering the
// weights of earlier visits, later ones count more. The ratio of found and expected changes is
// drawn towards that of the place above by a fifth of a change.
const (
	fading  = 20 * 86400 // seconds
	drawn   = 0.2
	longAgo = 25 * fading // the weights are scaled anew when one that was 1 is e^25
)

func (x *place) float(i int) float64       { return float64(math.Float32frombits(x[i])) }
func (x *place) setFloat(i int, v float64) { x[i] = math.Float32bits(float32(v)) }
func (x *place) add(i int, v float64)      { x.setFloat(i, x.float(i)+v) }

func (x *place) evidence() Evidence {
	return Evidence{Changes: x.float(placeChanges), Changed: x.float(placeChanged), Unchanged: x.float(placeUnchanged)}
}

// visited counts a visit of a page of the place, age seconds after the one before. Its weight
// is for the visits of late.
func (x *place) visited(weight, age float64, r reading, changed bool) {
	weight *= r.weight
	x.add(placeExpected, weight*r.expected)
	if changed {
		x.add(placeFound, weight)
		x.add(placeChanges, 1)
		x.add(placeChanged, age-r.quiet)
		x.add(placeUnchanged, r.quiet)
	} else {
		x.add(placeUnchanged, age)
	}
	if seen := x.float(placeChanged) + x.float(placeUnchanged); seen > x.float(placeSeen)*renewed {
		x.setFloat(placeSeen, seen)
		x[placeRate] |= markOld
	}
}

// renewed is how much longer visits must have lasted until a rate is computed again.
const renewed = 1.1

// markOld says that the rate is to be computed again.
const markOld = 1 << 16

func (x *place) rate() code     { return code(x[placeRate]) }
func (x *place) setRate(c code) { x[placeRate] = uint32(c) }

// known reports whether the rate is computed.
func (x *place) known() bool { return x[placeRate]&markOld == 0 && x[placeRate] != 0 }

// places holds the places, each after the one above it.
type places struct {
	all    *graph.Column[place]
	epoch  *graph.Column[uint32] // one number: the second at which visits count 1
	hour   int                   // since the epoch, of which later is
	later  float64               // the weight of a visit in that hour
	weight float64               // of visits now, as of the beginning of the round
	ratios []float32             // by place: found by expected changes, for the present round
	number *decoder
	base   float64 // the rate that is expected where nothing is known
}

func newPlaces(set *graph.Set, most int, base float64, number *decoder) places {
	x := places{base: base, number: number, weight: 1, later: 1}
	x.epoch = graph.NewColumnIn[uint32](set, "freshness epoch", 1)
	x.epoch.Grow(1)
	x.all = graph.NewColumnIn[place](set, "freshness places", most+1)
	return x
}

// add adds a place below another, -1 for none, and returns its number.
func (x *places) add(above int) int {
	x.all.Append(place{placeParent: uint32(above + 1)})
	return x.all.Len() - 1
}

// within returns the number of a place that a page can be in: this one, or one above it.
func (x *places) within(id int) int {
	for id >= MaxPlaces {
		id = int(x.all.Slice()[id][placeParent]) - 1
	}
	return max(id, 0)
}

// visited counts a visit at the place and at all above it.
func (x *places) visited(id int, now uint32, age float64, r reading, changed bool) {
	weight, all := x.weightAt(now), x.all.Slice()
	for n := uint32(id) + 1; n != 0; n = all[n-1][placeParent] {
		all[n-1].visited(weight, age, r, changed)
	}
}

// widest bounds what a place can make expect: a page may be unlike those beside it, and a
// place that was quiet may wake.
const widest = 8

// rate returns the rate that one expects of a page of the place before its first visit.
func (x *places) rate(id int) float64 {
	p := &x.all.Slice()[id]
	if !p.known() {
		above := x.base
		if up := p[placeParent]; up != 0 {
			above = x.rate(int(up - 1))
		}
		rate := rateFrom(p.evidence(), above, x.number.of(p.rate()))
		p.setRate(encode(min(max(rate, x.base/widest), x.base*widest)))
	}
	return x.number.of(p.rate())
}

// ratio returns found by expected changes at the place.
func (x *places) ratio(id int) float64 {
	if id >= len(x.ratios) {
		return 1
	}
	return float64(x.ratios[id])
}

// weightAt returns the weight of a visit, which is the same for an hour. It scales all weights
// anew if it became large.
func (x *places) weightAt(now uint32) float64 {
	passed := int(now) - int(x.epoch.At(0))
	if passed > longAgo {
		x.fade(float64(passed))
		x.epoch.Set(0, now)
		passed = 0
	}
	if hour := passed / 3600; hour != x.hour {
		x.hour, x.later = hour, math.Exp(float64(hour)*3600/fading)
	}
	return x.later
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

// begin makes room for the ratios of a round. It scales nothing anew: rounds are not replayed.
func (x *places) begin(now uint32) {
	x.weight = math.Exp((float64(now) - float64(x.epoch.At(0))) / fading)
	n := x.all.Len()
	for len(x.ratios) < n {
		x.ratios = append(x.ratios, 1)
	}
}

// setRatios computes the ratios of some places, each drawn towards that of the place above.
// Those of the places before them are computed already.
func (x *places) setRatios(from, to int) {
	all, pull := x.all.Slice(), drawn*x.weight
	for i := from; i < to; i++ {
		p := &all[i]
		above := 1.0
		if up := p[placeParent]; up != 0 {
			above = float64(x.ratios[up-1])
		}
		x.ratios[i] = float32(p.drawnTo(above, pull))
	}
}

// drawnTo returns found by expected changes, drawn towards the ratio of the place above.
func (x *place) drawnTo(above, pull float64) float64 {
	return (x.float(placeFound) + float64(pull*above)) / (x.float(placeExpected) + pull)
}

// present returns the ratio of a place as it is now, not as the round began: what is learned must not
// depend on rounds.
func (x *places) present(id int, pull float64) float64 {
	p, above := &x.all.Slice()[id], 1.0
	if up := p[placeParent]; up != 0 {
		above = x.present(int(up-1), pull)
	}
	return p.drawnTo(above, pull)
}
