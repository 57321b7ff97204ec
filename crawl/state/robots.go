package state

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// robotsFiles holds the rules of all sites, and where and when to request a robots.txt that
// moved or is unavailable.
type robotsFiles struct {
	names    *names
	rules    *graph.Column[uint32] // by site: number of its rules
	texts    ruleTexts
	hops     map[graph.Site]hop     // sites whose robots.txt moved
	failures map[graph.Site]noRules // sites whose robots.txt is unavailable
}

// A hop is the place to which the robots.txt of a site has moved.
type hop struct {
	URL string
	N   int // redirects followed so far
}

// noRules counts the failures of a robots.txt in a row.
type noRules struct {
	N     int
	Since time.Duration
}

func newRobotsFiles(n *names) robotsFiles {
	return robotsFiles{names: n, texts: newRuleTexts(), hops: map[graph.Site]hop{}, failures: map[graph.Site]noRules{}}
}

// mapBytes returns about how many bytes the maps take.
func (x *robotsFiles) mapBytes() int64 {
	const hop, small = 96, 32 // with their share of the tables
	return hop*int64(len(x.hops)) + small*int64(len(x.failures))
}

// Of returns the rules of the robots.txt of a site for us.
func (x *robotsFiles) Of(id graph.Site) robots.Rules { return x.texts.list[x.rules.At(int(id))] }

// set sets the rules of a site.
func (x *robotsFiles) set(id graph.Site, r robots.Rules) {
	n := x.texts.use(r)
	x.texts.drop(x.rules.At(int(id)))
	x.rules.Set(int(id), n)
}

// HopAt returns where the robots.txt of a site has moved to, if that is at the site that is
// requested. If it is elsewhere, that site was given up, and the frontier requests the
// robots.txt of the site itself again.
func (x *robotsFiles) HopAt(of, asked graph.Site) (h hop, ok bool) {
	if h, ok = x.hops[of]; !ok {
		return hop{}, false
	}
	if at, _ := page.Site([]byte(h.URL)); !bytes.Equal(at, x.names.Table.Name(asked)) {
		return hop{}, false
	}
	return h, true
}

// note records the end of a request for a robots.txt.
func (x *robotsFiles) note(r *journal.Record) {
	e := &r.Event
	id := e.For
	switch {
	case e.Hop:
		h, _ := x.HopAt(id, e.Site)
		x.hops[id] = hop{r.Facts.Hop, h.N + 1}
		return
	case e.Again:
		f := x.failures[id]
		if f.N == 0 {
			f.Since = e.End
		}
		f.N++
		x.failures[id] = f
	default:
		delete(x.failures, id) // it has rules, or is given up
	}
	if !e.Again && !e.Class.Failed() {
		rules, err := robots.Decode(r.Facts.Rules)
		if err != nil { // the record has a checksum, so it was written so
			x.names.fail(fmt.Errorf("rules of %s in record %d: %w", x.names.Table.Name(id), r.Seq, err))
		}
		x.set(id, rules)
	}
	delete(x.hops, id)
}

// Judge returns what a response to the request for the robots.txt of a site means, and
// after what time to request it again.
func (x *robotsFiles) Judge(l robots.Limits, q robots.Response, id graph.Site, now time.Duration) (robots.Class, time.Duration) {
	f := x.failures[id]
	if q.Failures = f.N; f.N > 0 {
		q.Down = now - f.Since
	}
	class, again := l.Judge(q)
	if q.Status == 0 && class == robots.Unreachable {
		again /= silent
	}
	return class, again
}

// silent is the factor by which a server that gave no answer is tried again sooner than one
// that answered with an error. That costs no server anything, and most of them are gone.
const silent = 10

// ruleTexts holds the rules of all robots.txt files. Most sites have none or the same as
// many others, so each text is kept once, with the number of sites that have it. A text
// that no site has any more is forgotten. Number 0 allows everything.
type ruleTexts struct {
	list    []robots.Rules
	uses    []uint32
	numbers map[robots.Rules]uint32
	free    freeNumbers
	size    int64 // bytes of all texts
}

func newRuleTexts() ruleTexts {
	return ruleTexts{list: []robots.Rules{{}}, uses: []uint32{0}, numbers: map[robots.Rules]uint32{}}
}

// use returns the number of a text and counts one more user of it.
func (x *ruleTexts) use(r robots.Rules) uint32 {
	if r == (robots.Rules{}) {
		return 0
	}
	n, ok := x.numbers[r]
	if !ok {
		if n, ok = x.free.take(); !ok {
			n = uint32(len(x.list))
			x.list, x.uses = append(x.list, robots.Rules{}), append(x.uses, 0)
		}
		x.set(n, r)
	}
	x.uses[n]++
	return n
}

func (x *ruleTexts) set(n uint32, r robots.Rules) {
	x.list[n], x.numbers[r] = r, n
	x.size += int64(r.Size())
}

// drop removes a user.
func (x *ruleTexts) drop(n uint32) {
	if n == 0 {
		return // they are not counted
	}
	if x.uses[n]--; x.uses[n] > 0 {
		return
	}
	x.size -= int64(x.list[n].Size())
	delete(x.numbers, x.list[n])
	x.list[n] = robots.Rules{}
	x.free.put(n)
}

// bytes returns the memory of the texts, their places in the list and their entries in the
// map.
func (x *ruleTexts) bytes() int64 { return x.size + 64*int64(cap(x.list)) }

// save returns all texts by number. Those of free numbers are empty.
func (x *ruleTexts) save() (list [][]byte) {
	for n, r := range x.list {
		var b []byte
		if x.uses[n] > 0 {
			b, _ = r.AppendBinary(nil) // it never fails
		}
		list = append(list, b)
	}
	return list
}

// load replaces the texts by saved ones. by holds the number of each site.
func (x *ruleTexts) load(list [][]byte, by []uint32) error {
	*x = newRuleTexts()
	for n := 1; n < len(list); n++ {
		x.list, x.uses = append(x.list, robots.Rules{}), append(x.uses, 0)
		if len(list[n]) == 0 {
			continue
		}
		r, err := robots.Decode(list[n])
		if err != nil {
			return err
		}
		x.set(uint32(n), r)
	}
	for _, n := range by {
		if int(n) >= len(x.list) {
			return fmt.Errorf("a site has rules %d of %d", n, len(x.list))
		}
		x.uses[n] += min(1, n)
	}
	x.free = unused(x.uses)
	return nil
}

// freeNumbers holds numbers that are no longer used, the largest first. The smallest is
// used first, so that a number depends on the records alone, and not on what was saved and
// loaded in between.
type freeNumbers []uint32

// put adds a number.
func (f *freeNumbers) put(n uint32) {
	i, _ := slices.BinarySearchFunc(*f, n, func(a, b uint32) int { return int(int64(b) - int64(a)) })
	*f = slices.Insert(*f, i, n)
}

// take removes and returns the smallest number, if there is one.
func (f *freeNumbers) take() (n uint32, ok bool) {
	last := len(*f) - 1
	if last < 0 {
		return 0, false
	}
	n, *f = (*f)[last], (*f)[:last]
	return n, true
}

// unused returns the numbers from 1 on that are not used, the largest first.
func unused(uses []uint32) (free freeNumbers) {
	for n := len(uses) - 1; n > 0; n-- {
		if uses[n] == 0 {
			free = append(free, uint32(n))
		}
	}
	return free
}
