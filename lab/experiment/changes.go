package experiment

import (
	"time"

	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/revisit"
)

// ChangeFields describes the worlds, how they change, and how often they are visited.
func (b *Bench) ChangeFields(visits func(*Bench, *Place) float64) (h []show.Field) {
	for _, p := range b.Places {
		h = append(h, Field("world", "%s", p.Describe()))
		if p.Changes != nil {
			h = append(h, Field("changes", "%s in %s days; left out %s of edits of many pages, %s of other pages", show.Grouped(p.Changes.Count), show.Grouped(int(Days(p.Changes.Length))),
				show.Counted(p.Changes.Mass, "row"), show.Counted(p.Changes.Unknown, "row")))
		} else {
			h = append(h, Field("changes", "at random, at rates drawn for directories and pages, in %.0f days", Days(revisit.MadeLength)))
		}
		h = append(h, Field("visits", "%.1f a day", visits(b, p)))
	}
	return append(h, b.SeedField())
}

// Days returns a duration in days.
func Days(d time.Duration) float64 { return d.Hours() / 24 }

// Collection returns the pages of a place with their PageRank as weights, and when they
// change.
func (b *Bench) Collection(p *Place) (*revisit.Collection, error) {
	truth, err := ByPageRank(b, p, nil)
	if err != nil {
		return nil, err
	}
	c := &revisit.Collection{Log: p.Changes}
	sum := 0.0
	for _, v := range truth.Value {
		sum += v
	}
	for _, v := range truth.Value {
		c.Weight = append(c.Weight, v/sum)
	}
	if url := p.World.Sim.URL; url != nil {
		c.Place, c.Above = revisit.Directories(p.World.Pages(), url)
	}
	if c.Log == nil {
		c.Log = revisit.DefaultDrawn(b.Random).Log(p.World.Pages(), c.Place, revisit.MadeLength)
	}
	return c, nil
}
