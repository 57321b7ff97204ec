package experiment

import (
	"time"

	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

// The parameters of the thesis' simulations.
const (
	ThesisTimes = "thesis2004"     // the model of time
	ThesisDelay = 15 * time.Second // w
	Solves      = 30               // 30 to 40 solves in a crawl with K = 100,000 (4.3.1)
)

// Batch returns K for a crawl of T pages: as large a part of it as in the thesis.
// What K does depends on how often it solves, not on the pages in between.
func Batch(reachable int) int { return max(1, (reachable+Solves-1)/Solves) }

// Polite returns the setting of the thesis at a place: its model of time, w = 15 s, c = 1,
// r = 1.
func (b *Bench) Polite(p *Place, t *measure.Truth) (s lab.Setting, err error) {
	s = b.Setting(p, t)
	s.Times, err = sim.Preset(ThesisTimes, b.Random)
	s.Fetchers, s.Frontier.Delay, s.Frontier.PerConnection = 1, ThesisDelay, 1
	return s, err
}
