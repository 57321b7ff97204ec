package state

import (
	"encoding/binary"
	"math"

	"github.com/winnow-crawler/winnow/crawl/naming"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/urltable"
)

// A Prior holds the values that pages had in an earlier crawl, by the hashes of their URLs.
// The first session record of a crawl has them all, so that they stay the same whatever
// happens to the earlier crawl.
type Prior struct {
	names  *naming.Names
	seen   *urltable.Table        // numbers the pages of the earlier crawl
	values *graph.Column[float64] // by that number; the mean is 1
	policy policy.Prior
}

// MaxPrior is the largest number of pages of an earlier crawl. All are in one group of the
// journal, perhaps with their URLs.
const MaxPrior = 1 << 25

// PriorBytes is about the number of bytes that a page of an earlier crawl takes in memory.
const PriorBytes = 22

// newPrior returns an empty Prior with columns in a set.
func newPrior(set *graph.Set, n *naming.Names, secret [16]byte) *Prior {
	x := &Prior{names: n, seen: urltable.New("prior", secret, MaxPrior, 1)}
	graph.AddTo(set, x.seen)
	x.values = graph.NewColumnIn[float64](set, "prior values", MaxPrior)
	return x
}

// Policy returns the values for policies. It stays valid when values are added.
func (x *Prior) Policy() *policy.Prior { return &x.policy }

// Len returns the number of pages that have a value.
func (x *Prior) Len() int { return x.values.Len() }

// Value returns the value of a URL in normal form, and reports whether it has one.
func (x *Prior) Value(url []byte) (float64, bool) {
	site, rest := page.Site(url)
	return x.find(site, rest)
}

func (x *Prior) find(site, rest []byte) (float64, bool) {
	id, ok := x.seen.LookupPage(x.names.Key.Page(x.names.Key.Site(site), rest))
	if !ok {
		return 0, false
	}
	return x.values.At(int(id)), true
}

// of returns the value of a known page.
func (x *Prior) of(p graph.Page) (float64, bool) {
	site, rest, ok := x.names.Read(p)
	if !ok {
		return 0, false
	}
	return x.find(x.names.Table.Name(site), rest)
}

// priorEntry is the number of bytes of a packed page: the hash of its URL and its value.
const priorEntry = 16

// PackPrior appends the hash of a URL in normal form and its value to the packed values of a
// session.
func PackPrior(b []byte, key urltable.Key, url []byte, value float64) []byte {
	site, rest := page.Site(url)
	b = binary.LittleEndian.AppendUint64(b, key.Page(key.Site(site), rest))
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(value))
}

// ScalePrior multiplies all packed values by a factor.
func ScalePrior(b []byte, factor float64) {
	for ; len(b) >= priorEntry; b = b[priorEntry:] {
		v := math.Float64frombits(binary.LittleEndian.Uint64(b[8:]))
		binary.LittleEndian.PutUint64(b[8:], math.Float64bits(v*factor))
	}
}

// add adds packed values. The first value of a URL counts.
func (x *Prior) add(b []byte) {
	for ; len(b) >= priorEntry; b = b[priorEntry:] {
		id, fresh := x.seen.Page(binary.LittleEndian.Uint64(b))
		if fresh && int(id) == x.values.Len() {
			x.values.Append(math.Float64frombits(binary.LittleEndian.Uint64(b[8:])))
		}
	}
	x.loaded()
}

// loaded passes the values on after they have changed.
func (x *Prior) loaded() { x.policy.All = x.values.Slice() }
