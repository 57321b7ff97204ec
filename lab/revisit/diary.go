package revisit

import (
	"time"

	"github.com/winnow-crawler/winnow/freshness"
	"github.com/winnow-crawler/winnow/graph"
)

// A Diary measures what a crawl has of a collection that changes: which pages, and which of
// their copies are up to date. It is a sim.Witness.
type Diary struct {
	*keeper
	alpha  float64 // of equation 1 of WIRE, for the estimated value
	passed int     // points

	fetched   []bool
	gathered  float64   // weight times nanoseconds of copies, in the last two thirds
	pages     []float64 // by point: number times nanoseconds of copies
	weight    []float64 // by point: weight times nanoseconds of copies
	estimated []float64 // by point, at its end: the value as the crawl estimates it
	visits    []tally   // by point
}

// A tally counts the requests of pages.
type tally struct{ first, changed, unchanged, notModified, saved int64 }

// NewDiary returns a diary of a crawl that begins without copies. alpha is that of WIRE.
func NewDiary(c *Collection, alpha float64) *Diary {
	d := &Diary{keeper: newKeeper(c), alpha: alpha, fetched: make([]bool, c.Log.Pages())}
	for p, list := range c.Log.Changes {
		d.lacks[p] = len(list) // no copy, which is never out of date
	}
	d.pages, d.weight, d.visits = make([]float64, CurvePoints), make([]float64, CurvePoints), make([]tally, CurvePoints)
	return d
}

// Fetched counts the copy of a page: see sim.Witness.
func (d *Diary) Fetched(at time.Duration, p graph.Page, saved int64) {
	at = min(at, d.Log.Length)
	point := &d.visits[min(at/d.width, CurvePoints-1)]
	if !d.fetched[p] {
		point.first++
		d.add(at, p)
		return
	}
	changed := d.sum.Changed
	if d.visit(at, p); d.sum.Changed > changed {
		point.changed++
	} else {
		point.unchanged++
	}
	if saved >= 0 {
		point.notModified++
		point.saved += saved
	}
}

// add counts the first copy of a page.
func (d *Diary) add(at time.Duration, p graph.Page) {
	d.fetched[p] = true
	d.lacks[p] = d.Log.version(p, at)
	w := d.Weight[p]
	d.gathered += w * float64(d.Log.Length-max(at, d.from))
	for i := at / d.width; i < CurvePoints; i++ {
		begin, end := max(at, i*d.width), min(d.Log.Length, (i+1)*d.width)
		d.pages[i] += float64(max(0, end-begin))
		d.weight[i] += w * float64(max(0, end-begin))
	}
}

// Next returns the end of the next point: see sim.Witness.
func (d *Diary) Next() time.Duration {
	if d.passed == CurvePoints {
		return 1<<63 - 1
	}
	return min(d.Log.Length, time.Duration(d.passed+1)*d.width)
}

// Pass adds up the values of the copies, as the crawl estimates them.
func (d *Diary) Pass(fresh func(graph.Page) float64) {
	sum := 0.0
	for p, has := range d.fetched {
		if has {
			sum += freshness.Value(d.Weight[p], fresh(graph.Page(p)), d.alpha)
		}
	}
	d.estimated = append(d.estimated, sum)
	d.passed++
}

// A Course is what a diary has of a crawl. Weights are shares of those of all pages; means are
// over the time, and but for the value over its last two thirds.
type Course struct {
	Fresh     float64 `json:"freshness"`       // weighted share of the copies that are up to date
	Age       float64 `json:"age"`             // days since the first change that a copy lacks, weighted; 0 for fresh ones
	Staleness float64 `json:"staleness"`       // share of the readers who meet a copy that is out of date, or none
	Value     float64 `json:"value"`           // weight of the copies that are up to date, mean over the whole time
	Estimated float64 `json:"value_estimated"` // the same as the crawl estimates it, with the alpha of its allocation

	First       int64 `json:"first"`        // pages fetched for the first time
	Visits      int64 `json:"visits"`       // further requests of pages
	Wasted      int64 `json:"wasted"`       // of these, those that found no change
	NotModified int64 `json:"not_modified"` // of these, those that transferred nothing
	Saved       int64 `json:"bytes_saved"`  // by them; 0 without a model of time

	Curves *Curves `json:"curves"`
}

// Curves have a number for each hundredth of the time.
type Curves struct {
	Days      []float64 `json:"days"`      // the middle of it
	Volume    []float64 `json:"volume"`    // share of the pages that have copies
	Quality   []float64 `json:"quality"`   // share of the weight that has copies
	Fresh     []float64 `json:"freshness"` // weighted share of the copies that are up to date
	Age       []float64 `json:"age"`       // days
	Staleness []float64 `json:"staleness"` // met by readers
	Value     []float64 `json:"value"`
	Estimated []float64 `json:"value_estimated"`
	Visits    []float64 `json:"visits"` // share of the requests for pages that went to pages with copies
	Wasted    []float64 `json:"wasted"` // share that found no change
}

// Course returns the measures when the time has passed. Pages are the number of pages that a
// crawl can have.
func (d *Diary) Course(pages int) *Course {
	r := d.result()
	length := d.Log.Length
	last := max(1, float64(length-d.from))
	has := d.gathered / last
	c := &Course{Staleness: 1 - (has - r.Staleness), Curves: d.curves(r, pages)}
	if has > 0 {
		c.Fresh, c.Age = 1-r.Staleness/has, r.Age/has
	}
	for i, t := range d.visits {
		part := float64(d.span(i)) / max(1, float64(length))
		c.Value += part * c.Curves.Value[i]
		c.Estimated += part * c.Curves.Estimated[i]
		c.First += t.first
		c.Visits += t.changed + t.unchanged
		c.Wasted += t.unchanged
		c.NotModified += t.notModified
		c.Saved += t.saved
	}
	return c
}

// span returns the length of a point. The last one may be shorter.
func (d *Diary) span(i int) time.Duration {
	return max(0, min(d.Log.Length, time.Duration(i+1)*d.width)-time.Duration(i)*d.width)
}

func (d *Diary) curves(r *Result, pages int) *Curves {
	c := &Curves{}
	add := func(list *[]float64, v float64) { *list = append(*list, v) }
	for i, t := range d.visits {
		span := max(1, float64(d.span(i)))
		has, stale := d.weight[i]/span, d.stale[i]/span
		add(&c.Days, (time.Duration(i)*d.width+d.span(i)/2).Hours()/24)
		add(&c.Volume, d.pages[i]/span/float64(max(1, pages)))
		add(&c.Quality, has)
		add(&c.Fresh, 1-share(stale, has))
		add(&c.Age, share(d.ages[i]/span/float64(day), has))
		add(&c.Staleness, 1-(has-stale))
		add(&c.Value, has-stale)
		add(&c.Visits, share(float64(t.changed+t.unchanged), float64(t.first+t.changed+t.unchanged)))
		add(&c.Wasted, share(float64(t.unchanged), float64(t.first+t.changed+t.unchanged)))
		add(&c.Estimated, 0)
		if i < len(d.estimated) {
			c.Estimated[i] = d.estimated[i]
		}
	}
	return c
}

// share returns a part of a whole, 0 if there is nothing.
func share(part, whole float64) float64 {
	if whole <= 0 {
		return 0
	}
	return part / whole
}
