package live

import (
	"cmp"
	"fmt"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/internal/show"
)

// The memory of a process that reads a report, if the collector works for it. Measured with three
// crawls of 49,000 to 268,000 known pages and 0.5 to 2.8 million links: 45 MB, 930 bytes for a
// known page, 24 bytes for a link, and 155 bytes for a known page in each simulation. Most of a
// page is the state of the crawl, the answers that simulations repeat, and their frontiers.
const (
	needBase       = 64 << 20
	needPage       = 1000
	needLink       = 30
	needSimulation = 200 // for a known page
	outsidePage    = 800 // of needPage and needLink, outside the Go heap
	outsideLink    = 8
)

// A budget is how much memory a report may use, and what decides how much it needs.
type budget struct {
	most         int64 // bytes; 0: no limit
	pages, links int64
}

// budget returns that of a crawl, or an error if it is too small.
func (o *ReportOptions) budget(c *history.Crawl) (b budget, err error) {
	conf, err := c.Config()
	if err != nil {
		return b, err
	}
	b = budget{most: cmp.Or(o.MaxMemory, int64(conf.MaxMemory), o.MachineMemory/2), pages: int64(c.Known())}
	if s := c.StatusFile(); s != nil {
		b.links = s.Links
	}
	if o.Limit != nil {
		o.Limit(b.most, outsidePage*b.pages+outsideLink*b.links)
	}
	return b, b.check(c.Path)
}

// need returns the memory that the report needs with some simulations at a time.
func (b *budget) need(simulations int) int64 {
	return needBase + (needPage+needSimulation*int64(simulations))*b.pages + needLink*b.links
}

// simulations returns how many simulations fit beside the report, at most most.
func (b *budget) simulations(most int) int {
	n := most
	for b.most > 0 && n > 0 && b.need(n) > b.most {
		n--
	}
	return n
}

// check returns an error if not even the report without simulations fits.
func (b *budget) check(dir string) error {
	if b.most == 0 || b.need(0) <= b.most {
		return nil
	}
	return b.short("the report needs about %s for %s, and --max-memory is %s", dir, 0)
}

// missing returns the error about simulations that do not fit.
func (b *budget) missing(dir string) error {
	return b.short("without simulations: with them the report needs about %s for %s, and --max-memory is %s", dir, 1)
}

func (b *budget) short(format, dir string, simulations int) error {
	need := (b.need(simulations)>>20 + 1) << 20
	return &hint.Error{
		Text: fmt.Sprintf(format, show.Bytes(need), show.Counted(b.pages, "known page"), show.Bytes(b.most)),
		Hint: fmt.Sprintf("try: winnow report %s --max-memory %s", dir, config.Size(need)),
	}
}
