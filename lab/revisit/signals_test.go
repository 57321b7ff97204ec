package revisit

import (
	"context"
	"math"
	"testing"

	"github.com/winnow-crawler/winnow/freshness"
)

// lively returns pages that change at random, at rates and with weights of their own.
func lively(pages int) *Collection {
	rates := make([]float64, pages)
	c := &Collection{}
	sum := 0.0
	for i := range pages {
		rates[i] = math.Exp(1.5*math.Sin(float64(i*i))) / 20
		c.Weight = append(c.Weight, math.Exp(1.5*math.Cos(float64(3*i))))
		sum += c.Weight[i]
	}
	for i := range c.Weight {
		c.Weight[i] /= sum
	}
	c.Log = Poisson(rates, 400*day, 3)
	return c
}

func TestSignalsPay(t *testing.T) {
	for name, c := range map[string]*Collection{"random": lively(800), "bursts": bursts()} {
		a, _ := freshness.Choose("default")
		for _, rate := range []float64{10, 20, 40, 80} {
			c.Sources = nil
			r, _ := c.Run(context.Background(), a, rate)
			none := r.Staleness
			cl, _ := c.Clairvoyant(context.Background(), rate)
			t.Logf("%s rate %v none %.4f clairvoyant %.4f", name, rate, none, cl.Staleness)
			for what, s := range map[string]Source{
				"honest": Honest(c.Log, 1), "honest half": Honest(c.Log, 0.5), "all": Random(1), "tenth": Random(0.1), "2%": Random(0.02),
			} {
				c.Sources = []Source{s}
				r, _ := c.Run(context.Background(), a, rate)
				t.Logf("   %-12s %.4f  %+.1f%%", what, r.Staleness, 100*(r.Staleness/none-1))
			}
		}
	}
}
