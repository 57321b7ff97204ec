package state

import (
	"slices"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/exchange"
)

// A Budget is what a partition knows of --pages, which all partitions share. It asks partition 0, the
// coordinator, and gives back what it does not need. Both sides are records and messages:
//
//	Wanted                  -- Want -->     partition 0 notes it (Linked)
//	                                        Granted
//	Allowed grows (Linked)  <-- Grant --
type Budget struct {
	Allowed int64           // pages that the partition may have fetched in all
	Limit   int64           // of all partitions, as the last record Wanted says; 0: there was none
	Waits   bool            // it has asked, and waits for a grant
	Purse   *exchange.Purse // of partition 0; otherwise nil
}

// A Want says what a partition gives back, and whether it asks for more.
type Want struct {
	Back, Limit int64
	More        bool
}

// A Grant lets a partition fetch more pages of a limit.
type Grant struct{ Pages, Limit int64 }

func newBudget(self, of int) Budget {
	if self > 0 || of == 0 {
		return Budget{}
	}
	return Budget{Purse: exchange.NewPurse(of)}
}

// copy returns the budget for a snapshot.
func (b *Budget) copy() Budget {
	c := *b
	if p := b.Purse; p != nil {
		c.Purse = &exchange.Purse{Held: slices.Clone(p.Held), Limits: slices.Clone(p.Limits), Tickets: slices.Clone(p.Tickets), Last: p.Last}
	}
	return c
}

// wanted gives back pages, or asks for some.
func (b *Budget) wanted(m *mail, e *event.Event) {
	b.Allowed -= e.Pages
	b.Limit, b.Waits = e.Limit, e.Again
	if b.Purse != nil {
		b.Purse.Tell(0, e.Pages, e.Limit, e.Again)
		return
	}
	m.add(0, noteWant, pack(&Want{e.Pages, e.Limit, e.Again}))
}

// granted grants pages to a partition.
func (b *Budget) granted(m *mail, e *event.Event) {
	b.Purse.Grant(int(e.Part), e.Pages)
	if x := (Grant{e.Pages, b.Purse.Limits[e.Part]}); e.Part > 0 {
		m.add(int(e.Part), noteGrant, pack(&x))
	} else {
		b.got(m, &x)
	}
}

// got adds pages of a grant. One of another limit than the present one goes back.
func (b *Budget) got(m *mail, x *Grant) {
	if x.Limit != b.Limit {
		m.add(0, noteWant, pack(&Want{x.Pages, b.Limit, b.Waits}))
		return
	}
	b.Allowed += x.Pages
	b.Waits = false
}
