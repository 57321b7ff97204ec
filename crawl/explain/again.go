package explain

import (
	"math"
	"time"
)

// Again is what the crawl expects of another visit of a fetched page, if it divides its visits
// by what they gain.
type Again struct {
	Last     time.Time `json:"last"`          // the last visit
	Found    float64   `json:"changes_found"` // by visits; old ones count less
	Every    float64   `json:"changes_every_seconds"`
	OfLate   float64   `json:"changes_nearby"` // found by expected changes at pages beside it, of late
	Weight   float64   `json:"weight"`         // what the page is worth among the others
	Told     bool      `json:"told"`           // a sitemap, a feed or a notice says that it has changed since
	UpToDate float64   `json:"up_to_date"`     // probability that the copy is
	Before   int       `json:"before"`         // pages where a visit gains more now
	Pages    int       `json:"pages"`          // that were fetched
	// In is about the time until its visit, in seconds, if nothing changes: nothing before it
	// gains less by and by, and no other page more.
	In float64 `json:"in_seconds"`
}

// addAgain adds what is expected of another visit.
func (x *explainer) addAgain() {
	plan := x.s.Revisits
	if plan == nil || !plan.Knows(x.p) {
		return
	}
	o := plan.Outlook(x.now, x.p)
	x.Again = &Again{
		Last: x.s.Wall(o.Seen), Found: o.Changes, Every: min(1/o.Rate, math.MaxFloat64), OfLate: o.Late, Weight: o.Weight, Told: o.Told, UpToDate: o.Fresh, Before: o.Before, Pages: o.Pages,
		In: float64(o.Before) * x.conf.Recrawl.Seconds() / float64(max(1, o.Pages)),
	}
}
