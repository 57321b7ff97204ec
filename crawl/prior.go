package crawl

import (
	"context"
	"fmt"
	"math"

	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/past"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/urltable"
)

// A prior is what a new crawl takes from the earlier crawl that --history names. Afterwards
// the journal has it.
type prior struct {
	from   string
	values past.Values // nil: there is none, or the journal has it
	packed []byte      // for the session record
}

// readPrior reads the values of the earlier crawl of a new crawl.
func readPrior(ctx context.Context, o *RunOptions, secret [16]byte, scope *gather.Scope) (x prior, err error) {
	x.from = o.Config.History
	if x.from == "" {
		return x, nil
	}
	most := memoryLimit(o)
	if x.values, err = past.Open(ctx, x.from, most/4); err != nil {
		return x, historyError(err)
	}
	if o.Config.List || o.Config.SitemapOnly {
		scope = nil // it does not tell which pages will be fetched
	}
	if err = x.pack(ctx, urltable.NewKey(secret), scope, most); err != nil {
		x.close()
		return x, historyError(err)
	}
	return x, nil
}

// historyError adds the flag to an error about the earlier crawl.
func historyError(err error) error { return fmt.Errorf("--history: %w", err) }

// packedBytes is the number of bytes that a page of the earlier crawl takes while a crawl
// begins: its value in the state, which counts twice (see ceiling), in x.packed and in the
// group of the journal.
const packedBytes = 2*state.PriorBytes + 2*16

// pack packs the values, scaled to a mean of 1. One of the pages must be in the scope, if that
// is not nil.
func (x *prior) pack(ctx context.Context, key urltable.Key, scope *gather.Scope, most int64) error {
	total, n, inside := 0.0, int64(0), 0
	err := x.values.Each(func(url []byte, value float64) error {
		if n++; n > state.MaxPrior {
			return &hint.Error{Text: fmt.Sprintf("%s has more than %d pages", x.from, state.MaxPrior), Hint: "give a list of the best: winnow rank GRAPH --urls --top 10000000 -o FILE"}
		}
		if n*packedBytes > most {
			return &hint.Error{Text: x.from + " has more pages than fit into the memory", Hint: fmt.Sprintf("give the crawl more memory: --max-memory %dM", 2*most>>20)}
		}
		total += value
		if site, rest := page.Site(url); scope == nil || scope.Judge(site, rest) == event.NoBar {
			inside++
		}
		x.packed = state.PackPrior(x.packed, key, url, value)
		return ctx.Err()
	})
	switch {
	case err != nil:
		return err
	case inside == 0:
		return &hint.Error{Text: fmt.Sprintf("none of the %d pages of %s is in the scope of this crawl", n, x.from), Hint: "leave --history out, or give the crawl another --scope"}
	case !(total > 0) || math.IsInf(total, 0):
		return &hint.Error{Text: fmt.Sprintf("the values of %s sum to %v", x.from, total), Hint: "values are positive numbers, such as those of winnow rank --urls"}
	}
	state.ScalePrior(x.packed, policy.MeanScale(float64(n), total))
	return nil
}

// close frees what the beginning of the crawl needed.
func (x *prior) close() {
	if x.values != nil {
		x.values.Close()
		x.values, x.packed = nil, nil
	}
}

// maxOldURLs is the largest number of bytes of URLs in one record.
const maxOldURLs = 1 << 31

// recallOld makes the pages of the earlier crawl known that are in scope, after the seeds, if
// the policy wants that.
func (a *admission) recallOld(c *ceiling) error {
	if a.prior.values == nil || !a.wantsOld() {
		return nil
	}
	r, left, size := a.begin(event.Seed, a.base), 0, 0
	r.Facts.Old = true
	err := a.prior.values.Each(func(url []byte, _ float64) error {
		site, rest := page.Site(url)
		if a.scope.Judge(site, rest) != event.NoBar {
			return nil
		}
		size += len(url)
		if c.look(a.state, false); size > maxOldURLs || c.full() || !a.state.Recall(r, url) {
			left++
		}
		return nil
	})
	if err != nil {
		return historyError(err)
	}
	if left > 0 {
		a.log.Warn("there is no room for all pages of the earlier crawl: the others must be found by links", "pages", left)
	}
	if len(r.Event.New) > 0 {
		a.record()
	}
	return nil
}

// wantsOld reports whether a policy wants the pages of the earlier crawl to be known from the
// start.
func (a *admission) wantsOld() bool {
	set := a.state.Setup
	return set.Policy.OldKnown() || set.SitePolicy != nil && set.SitePolicy.OldKnown()
}
