package answer

import (
	"errors"
	"fmt"
	"time"
)

// Changes makes pages change with time. Each does by a Poisson process of its own, and the
// version of a page at an instant is the number of its changes until then: a function of
// the seed, the page and the instant. Links never change.
//
// Without Median, the mean interval of a page is log-uniform between Min and Max, and a
// version has another text altogether. With Median, pages of one directory have similar
// intervals, and a version differs from the one before in a sentence.
type Changes struct {
	Clock    func() time.Duration // since the web began; nil: nothing ever changes
	Began    time.Time            // date of instant 0; zero means 2025-01-01
	Min, Max time.Duration        // 0 means an hour and 90 days

	// Median is the median of the mean intervals; not 0: they are log-normal. ln(interval)
	// has the standard deviation Spread between directories and PageSpread between the
	// pages of one; 0 means 1 and 0.5.
	Median             time.Duration
	Spread, PageSpread float64
	Bursts             float64 // share of the changes in which pages of a directory change together

	Noise      float64 // share of pages with a clock, a counter or a banner that differs at every request
	Validators ValidatorShares
	Dates      DateShares
	Feeds      float64 // share of sites with a feed of the pages that changed last
	FalseFeeds float64 // share of the feeds that name pages which did not change

	Fates     FateShares
	Outages   float64       // share of sites that answer 404 to everything but robots.txt once, for OutageFor
	OutageFor time.Duration // 0 means 1 h
	Within    time.Duration // pages vanish and move, and sites are out, in the last nine tenths of it; 0 means 30 days
}

// ValidatorShares holds the shares of sites whose ETag and Last-Modified mislead. They
// exclude each other; other sites are honest. Options.NoValidators comes before them.
type ValidatorShares struct {
	Varying float64 // an ETag that differs at each request
	Now     float64 // a Last-Modified that is always now, and no ETag
	Future  float64 // a Last-Modified one year too late, and no ETag
	Always  float64 // 304 to every conditional request
	Never   float64 // never 304
}

// DateShares holds the shares of sites by the lastmod of their sitemaps. They exclude each
// other; other sites are honest.
type DateShares struct {
	Today float64 // always now
	None  float64 // no lastmod
}

// FateShares holds the shares of pages that do not stay where they are. They exclude each
// other. Only pages of class OK are met, no home and index pages.
type FateShares struct {
	Vanish float64 // 404 or 410 from some instant on
	Return float64 // the same, for a time
	Move   float64 // 301 or 308 from some instant on, to a new URL with the content
}

// list returns the shares in the order of Validators, which follows NoValidators.
func (v *ValidatorShares) list() []float64 {
	return []float64{v.Varying, v.Now, v.Future, v.Always, v.Never}
}

// list returns the shares in the order of Dates.
func (d *DateShares) list() []float64 { return []float64{d.Today, d.None} }

// list returns the shares in the order of FateKind.
func (f *FateShares) list() []float64 { return []float64{f.Vanish, f.Return, f.Move} }

// Shares returns the shares that only a changing web has, in a fixed order.
func (c *Changes) Shares() []Share {
	v, f := &c.Validators, &c.Fates
	return []Share{
		{"bursts", "changes in which pages of a directory change together", &c.Bursts},
		{"noise", "pages with a clock, a counter or a banner that differs at every request", &c.Noise},
		{"etag-varying", "sites whose ETag differs at each request", &v.Varying},
		{"modified-now", "sites whose Last-Modified is always now", &v.Now},
		{"modified-future", "sites whose Last-Modified is in the future", &v.Future},
		{"always-304", "sites that answer 304 to every conditional request", &v.Always},
		{"never-304", "sites that never answer 304", &v.Never},
		{"lastmod-today", "sites whose sitemap says that all pages changed now", &c.Dates.Today},
		{"lastmod-none", "sites whose sitemap has no dates", &c.Dates.None},
		{"feeds", "sites with an RSS or Atom feed of their last changes", &c.Feeds},
		{"false-feeds", "feeds that name pages which did not change", &c.FalseFeeds},
		{"vanish", "pages that vanish for good", &f.Vanish},
		{"return", "pages that vanish and come back", &f.Return},
		{"move", "pages that move for good", &f.Move},
		{"outage", "sites that answer 404 for an hour", &c.Outages},
	}
}

// fill puts defaults in place of zeros.
func (c *Changes) fill() {
	set(&c.Max, max(90*24*time.Hour, c.Min)) // first, since Min is at most Max
	set(&c.Min, min(time.Hour, c.Max))
	if c.Began.IsZero() {
		c.Began = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	set(&c.Spread, 1)
	set(&c.PageSpread, 0.5)
	set(&c.OutageFor, time.Hour)
	set(&c.Within, 30*24*time.Hour)
}

// check returns an error for impossible options, after fill.
func (c *Changes) check() error {
	timed := c.Bursts + c.Feeds + c.Outages + c.Fates.Vanish + c.Fates.Return + c.Fates.Move
	switch {
	case c.Min <= 0 || c.Max < c.Min:
		return fmt.Errorf("intervals of change of %v to %v", c.Min, c.Max)
	case c.Median < 0:
		return fmt.Errorf("a median interval of change of %v", c.Median)
	case !(c.Spread >= 0 && c.Spread <= maxSpread && c.PageSpread >= 0 && c.PageSpread <= maxSpread):
		return fmt.Errorf("spreads of change of %v and %v: want 0 to %d", c.Spread, c.PageSpread, maxSpread)
	case c.OutageFor < 0 || c.Within < time.Minute:
		return fmt.Errorf("outages of %v within %v", c.OutageFor, c.Within)
	case timed > 0 && c.Clock == nil:
		return errors.New("bursts, feeds, outages, and pages that vanish or move need a clock of changes")
	case c.Bursts > 0 && c.Median == 0:
		return errors.New("bursts need a median interval of change")
	}
	return nil
}

// maxSpread bounds Spread and PageSpread.
const maxSpread = 3

// AddChanges makes a web change by a clock that begins at a date, with some of everything
// that a crawler meets when it comes back.
func (o *Options) AddChanges(clock func() time.Duration, began time.Time) {
	o.Changes = Changes{
		Clock: clock, Began: began,
		Median: 10 * 24 * time.Hour, Bursts: 0.3, Noise: 0.2,
		Validators: ValidatorShares{Varying: 0.1, Now: 0.1, Future: 0.05, Always: 0.05, Never: 0.1},
		Dates:      DateShares{Today: 0.2, None: 0.2},
		Feeds:      0.4, FalseFeeds: 0.3,
		Fates:   FateShares{Vanish: 0.03, Return: 0.03, Move: 0.03},
		Outages: 0.1,
	}
	o.NoValidators = max(o.NoValidators, 0.2)
	o.Sitemaps = max(o.Sitemaps, 0.5)
}
