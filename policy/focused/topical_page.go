package focused

import (
	"math"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/order"
)

// A prospect holds what a classifier knows of a page before it is fetched, in one place of the
// memory: words of links to it, words of its URL, shares of the topic, links, region and directory.
type prospect [8]uint32

// The indexes of shares in a prospect. Each is a number from 0 to 1 in 16 bits.
const (
	shareURL    = iota // of the topic in its URL
	shareAnchor        // and in links to it
	shareAround        // and around them
	shareParent        // similarity of a page that links to it, or half of that of one before
)

const (
	prospectWords    = 0 // two elements, four words
	prospectURLWords = 2
	prospectShares   = 4 // two elements, four shares
	prospectLinks    = 6 // links from hot pages, then all links
	prospectDir      = 7 // region in the two highest bits, then directory
	dirBits30        = 1<<30 - 1
)

// words returns the words at a place.
func (r *prospect) words(at int) event.Words {
	return event.Words{uint16(r[at]), uint16(r[at] >> 16), uint16(r[at+1]), uint16(r[at+1] >> 16)}
}

func (r *prospect) setWords(at int, w event.Words) {
	r[at], r[at+1] = uint32(w[0])|uint32(w[1])<<16, uint32(w[2])|uint32(w[3])<<16
}

// join adds the words of a link.
func (r *prospect) join(more event.Words) {
	have := r.words(prospectWords)
	have.Join(more)
	r.setWords(prospectWords, have)
}

// share returns one of the shares.
func (r *prospect) share(i int) float64 {
	return float64(r[prospectShares+i/2]>>(i%2*16)&math.MaxUint16) / math.MaxUint16
}

// raise sets a share if it is less. A share above 0 is never 0.
func (r *prospect) raise(i int, to float64) {
	if to <= r.share(i) {
		return
	}
	at, shift := &r[prospectShares+i/2], i%2*16
	bits := max(1, uint32(to*math.MaxUint16))
	*at = *at&^(math.MaxUint16<<shift) | bits<<shift
}

// links returns the number of links to the page, and of those from hot pages, as far as there is
// room for them.
func (r *prospect) links() (all, hot uint16) {
	return uint16(r[prospectLinks] >> 16), uint16(r[prospectLinks])
}

// link counts a link.
func (r *prospect) link(hot bool) {
	all, some := r.links()
	if hot {
		some = max(some, some+1)
	}
	r[prospectLinks] = uint32(max(all, all+1))<<16 | uint32(some)
}

func (r *prospect) region() event.Region { return event.Region(r[prospectDir] >> 30) }
func (r *prospect) dir() int             { return int(r[prospectDir] & dirBits30) }

// in sets the region, if it is better.
func (r *prospect) in(region event.Region) {
	if region > r.region() {
		r[prospectDir] = r[prospectDir]&dirBits30 | uint32(region)<<30
	}
}

// inherit takes over what is known of a page that redirects to this one.
func (r *prospect) inherit(from *prospect) {
	for i := range shareParent + 1 {
		r.raise(i, from.share(i))
	}
	r.join(from.words(prospectWords))
	r.in(from.region())
	all, hot := r.links()
	before, hotBefore := from.links()
	r[prospectLinks] = uint32(max(all, before))<<16 | uint32(max(hot, hotBefore))
}

// A tally counts fetched pages and hot ones among them, by anything that has numbers.
type tally struct{ of *graph.Column[uint64] }

func newTally(set *graph.Set, name string, most int) tally {
	return tally{graph.NewColumnIn[uint64](set, name, most)}
}

// count counts a page.
func (t *tally) count(i int, hot bool) {
	if t.of.Slice()[i]++; hot {
		t.of.Slice()[i] += 1 << 32
	}
}

// odds returns the logarithm of the odds that a page is hot, drawn towards a share and less those
// of it: 0 if nothing is known.
func (t *tally) odds(i int, share, odds float64) float64 {
	const draws = 4
	v := t.of.At(i)
	if v == 0 {
		return 0
	}
	some := (float64(v>>32) + float64(draws*share)) / (float64(uint32(v)) + draws)
	return order.Log2(some/(1-some)) - odds
}
