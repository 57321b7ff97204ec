package revisit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/policy"
)

// Drawn says how often the pages of a made world change: at rates that are log-normal by
// directory and page. Spreads are standard deviations of the natural logarithm.
type Drawn struct {
	Median  float64 // changes a day
	OfPlace float64 // spread of the directories
	OfPage  float64 // spread of the pages of a directory
	Random  uint64
}

// DefaultDrawn returns the rates of made worlds unless others are wanted.
func DefaultDrawn(random uint64) Drawn {
	return Drawn{Median: 1.0 / 60, OfPlace: 1, OfPage: 1, Random: random}
}

// PoissonName is what names a world whose pages change at random, instead of a file.
const PoissonName = "poisson"

// ParseDrawn returns the rates that a text says: poisson, poisson:MEDIAN or
// poisson:MEDIAN:SPREAD, with the changes a day of the median page, and the spread of
// directories and of pages. ok is false if the text names something else, as a file.
func ParseDrawn(text string, random uint64) (d Drawn, ok bool, err error) {
	parts := strings.Split(text, ":")
	if d = DefaultDrawn(random); parts[0] != PoissonName {
		return d, false, nil
	}
	if len(parts) > 3 {
		return d, true, fmt.Errorf("%q: want poisson, poisson:MEDIAN or poisson:MEDIAN:SPREAD", text)
	}
	for i, part := range parts[1:] {
		what, most, value := "number of changes a day of the median page", float64(maxMedian), &d.Median
		if i > 0 {
			what, most, value = "spread", maxSpread, &d.OfPlace
		}
		v, err := strconv.ParseFloat(part, 64)
		switch {
		case part == "":
			return d, true, fmt.Errorf("%q: after the last colon comes the %s, from 0 to %g", text, what, most)
		case err != nil || !(v >= 0 && v <= most):
			return d, true, fmt.Errorf("%q: the %s is %q, and not from 0 to %g", text, what, part, most)
		}
		*value = v
	}
	if len(parts) == 3 {
		d.OfPage = d.OfPlace
	}
	return d, true, nil
}

// Bounds of ParseDrawn.
const (
	maxMedian = 1000
	maxSpread = 5
)

// MadeLength is the length of the log of a made world, unless another is wanted.
const MadeLength = 720 * day

// Log returns a log of pages that change at random. place is the directory of each page; nil:
// all pages are in one.
func (d Drawn) Log(pages int, place []int, length time.Duration) *Log {
	rates := make([]float64, pages)
	for i := range rates {
		in := 0
		if place != nil {
			in = place[i]
		}
		rates[i] = d.Median * math.Exp(d.OfPlace*normal(d.Random, 1, uint64(in))+d.OfPage*normal(d.Random, 2, uint64(i)))
	}
	return Poisson(rates, length, d.Random)
}

// normal returns a number drawn from the normal distribution.
func normal(random uint64, n ...uint64) float64 {
	h := policy.Hash(random, n...)
	u, v := (float64(h>>11)+0.5)/(1<<53), float64(policy.Hash(h)>>11)/(1<<53)
	return math.Sqrt(-2*math.Log(u)) * math.Cos(2*math.Pi*v)
}
