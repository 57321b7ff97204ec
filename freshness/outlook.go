package freshness

import (
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// An Outlook is what a plan knows of a page, and how soon it would visit it.
type Outlook struct {
	Seen    time.Duration // the last visit
	Changes float64       // visits that found a change; old ones count less
	Rate    float64       // changes a second, as estimated from the visits and the place
	Late    float64       // changes found by changes expected at its place of late
	Weight  float64       // what the page is worth to the plan
	Gone    int           // visits in a row that found no page
	Told    bool          // a sitemap, a feed or a notice says that it has changed since
	Fresh   float64       // probability that the copy is up to date
	Before  int           // pages where a visit gains more now
	Pages   int           // that were fetched
}

// Outlook returns what the plan knows of a page that was fetched. It looks at all pages.
func (p *Plan) Outlook(now time.Duration, id graph.Page) Outlook {
	at := float64(second(now))
	p.places.begin(second(now))
	p.places.setRatios(0, p.places.all.Len())
	all := p.pages.Slice()
	x := &all[id]
	o := Outlook{Seen: p.Seen(id), Rate: p.rateOf(x), Weight: p.weightOf(x), Gone: x.gone(), Pages: p.fetched, Late: p.places.ratio(x.place())}
	if p.o.Allocation.Name != adaptiveName {
		o.Changes = p.number.evidence(x).Changes
	}
	c := p.copyOf(x, at)
	o.Fresh, o.Told = Fresh(c.Rate, c.Age), x.told() != 0
	gain := p.o.Allocation.gain(c)
	for i := range all {
		if y := &all[i]; y.fetched() && p.o.Allocation.gain(p.copyOf(y, at)) > gain {
			o.Before++
		}
	}
	return o
}
