package experiment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
)

// Band returns a line through the means of several start sets, each of which has a value
// for every x; of more than one also the 95 % interval of the mean.
func (b *Bench) Band(name string, x []float64, sets [][]float64) plot.Series {
	s := plot.Series{Name: name, X: x}
	at := make([]float64, len(sets))
	for k := range x {
		for i, y := range sets {
			at[i] = y[k]
		}
		in := b.Summarise(at)
		s.Y = append(s.Y, in.Mean)
		if len(sets) > 1 {
			s.Low, s.High = append(s.Low, in.Low), append(s.High, in.High)
		}
	}
	return s
}

// Summarise returns measure.Summarise with the random seed of the bench. When the context has
// ended it returns nothing, because the result is not used.
func (b *Bench) Summarise(x []float64) measure.Interval {
	if b.Context.Err() != nil {
		return measure.Interval{}
	}
	return measure.Summarise(x, b.Random)
}

// Percents returns a line over the percents crawled, from the curves of one policy on
// one or several start sets, their values in percent. at0 is put at 0 % crawled.
func (b *Bench) Percents(name string, at0 float64, curves ...measure.Curve) plot.Series {
	x, sets := make([]float64, 101), make([][]float64, len(curves))
	for k := range x {
		x[k] = float64(k)
	}
	for i, c := range curves {
		sets[i] = []float64{100 * at0}
		for k := 1; k <= 100; k++ {
			y, _ := c.At(float64(k) / 100)
			sets[i] = append(sets[i], 100*y)
		}
	}
	return b.Band(name, x, sets)
}

// Baseline draws a line as what others are measured against.
func Baseline(s plot.Series) plot.Series {
	s.Baseline = true
	return s
}

// Diagonal returns what a random crawler has of everything: k/T.
func Diagonal() plot.Series {
	return plot.Series{Name: "random", X: []float64{0, 100}, Y: []float64{0, 100}, Baseline: true}
}

// BandText explains lines and bands.
func BandText(sets int) string {
	if sets < 2 {
		return ""
	}
	return fmt.Sprintf("\n\nLines are means over %d start sets, the seeds of the place and as many pages drawn at random, bands the 95 %% bootstrap intervals of the means.", sets)
}

// Field returns a line of the header.
func Field(name, format string, args ...any) show.Field {
	return show.Field{Name: name, Value: fmt.Sprintf(format, args...)}
}

// Sizes returns how often each positive size occurs.
func Sizes(name string, sizes []int) plot.Series {
	s, count := plot.Series{Name: name}, make([]int, slices.Max(sizes)+1)
	for _, n := range sizes {
		count[n]++
	}
	for n, k := range count {
		if n > 0 && k > 0 {
			s.Add(float64(n), float64(k))
		}
	}
	return s
}

// OrderHeader returns the header of experiments without a model of time.
func OrderHeader(policies []string, options ...string) func(*Bench) []show.Field {
	return TimedHeader(policies, append([]string{"one fetcher, no time model"}, options...)...)
}

// TimedHeader returns the header of experiments whose options say how time passes.
func TimedHeader(policies []string, options ...string) func(*Bench) []show.Field {
	return func(b *Bench) []show.Field {
		var worlds, seeds []string
		for _, p := range b.Places {
			worlds = append(worlds, p.Describe())
			seeds = append(seeds, fmt.Sprintf("%s: %s (%d)", p.World.Name, p.SeedsName, len(p.Seeds)))
		}
		h := []show.Field{Field("worlds", "%s", strings.Join(worlds, "; ")), Field("seeds", "%s", strings.Join(seeds, "; "))}
		if policies != nil {
			h = append(h, Field("policies", "%s", strings.Join(policies, ", ")))
		}
		o := strings.Join(options, ", ")
		if b.Starts > 0 {
			o += fmt.Sprintf(", %d further start sets at random", b.Starts)
		}
		return append(h, Field("options", "%s", o), Field("random seed", "%d", b.Random))
	}
}

func (b *Bench) SeedField() show.Field { return Field("random seed", "%d", b.Random) }
