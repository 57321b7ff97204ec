package frontier

import (
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
)

// Census is the number of pages by state, refused ones by bar, and failed ones by class.
func (f *Frontier) Census() (states [1 << stateBits]int64, bars, failed [event.MaxBar + 1]int64) {
	for b, k := range f.census {
		state := State(b & stateMask)
		states[state] += k
		switch state {
		case RefusedPage:
			bars[b>>stateBits] += k
		case Failed:
			failed[b>>stateBits] += k
		}
	}
	return states, bars, failed
}

// recountPages counts the pages of a state that was loaded.
func (f *Frontier) recountPages() {
	f.census = [256]int64{}
	for _, b := range f.state.Slice() {
		f.census[b]++
	}
}

// Instant is the instant before which a site is not asked again.
func (f *Frontier) Instant(s graph.Site) time.Duration { return time.Duration(f.next.At(int(s))) }

// SitePages is the number of known pages of a site, of all states.
func (f *Frontier) SitePages(s graph.Site) int { return int(f.sites.pages.At(int(s))) }

// AddressHolds is the instant until which the address of a site holds; 0 for ever, or
// it has none.
func (f *Frontier) AddressHolds(s graph.Site) time.Duration {
	return time.Duration(f.names.At(int(s)))
}
