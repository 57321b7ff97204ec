package past

import (
	"context"
	"fmt"
	"math"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/urltable"
)

// A Prior is what a new crawl takes from the earlier crawl that --history names. Afterwards
// the journal has it.
type Prior struct {
	Values Values // nil: there is none, or the journal has it
	Packed []byte // for the session record
	from   string
}

// ReadPrior reads the values of the earlier crawl of a new crawl. The crawl may use so many bytes of
// memory.
func ReadPrior(ctx context.Context, c *config.Config, key urltable.Key, scope *gather.Scope, memory int64) (x Prior, err error) {
	x.from = c.History
	if x.from == "" {
		return x, nil
	}
	if x.Values, err = Open(ctx, x.from, memory/4); err != nil {
		return x, priorError(err)
	}
	if c.List || c.SitemapOnly {
		scope = nil // it does not tell which pages will be fetched
	}
	if err = x.pack(ctx, key, scope, memory); err != nil {
		x.Close()
		return x, priorError(err)
	}
	return x, nil
}

// priorError adds the flag to an error about the earlier crawl.
func priorError(err error) error { return fmt.Errorf("--history: %w", err) }

// packedBytes is the number of bytes that a page of the earlier crawl takes while a crawl
// begins: its value in the state, which counts twice, in x.Packed and in the
// group of the journal.
const packedBytes = 2*state.PriorBytes + 2*16

// pack packs the values, scaled to a mean of 1. One of the pages must be in the scope, if that
// is not nil.
func (x *Prior) pack(ctx context.Context, key urltable.Key, scope *gather.Scope, most int64) error {
	total, n, inside := 0.0, int64(0), 0
	err := x.Values.Each(func(url []byte, value float64) error {
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
		x.Packed = state.PackPrior(x.Packed, key, url, value)
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
	state.ScalePrior(x.Packed, policy.MeanScale(float64(n), total))
	return nil
}

// Each calls fn with each page of the earlier crawl.
func (x *Prior) Each(fn func(url []byte)) error {
	err := x.Values.Each(func(url []byte, _ float64) error {
		fn(url)
		return nil
	})
	if err != nil {
		return priorError(err)
	}
	return nil
}

// Close frees what the beginning of the crawl needed.
func (x *Prior) Close() {
	if x.Values != nil {
		x.Values.Close()
		x.Values, x.Packed = nil, nil
	}
}
