package content

import (
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/naming"
	"github.com/winnow-crawler/winnow/crawl/near"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/urltable"
)

// Texts finds the page that had a content first, by the digest of its structural text:
// pages that differ in their formatting alone have the same content. It takes 26 bytes for
// each different content. Two contents share 64 bits of their digests with probability
// n^2/2^65: 3e-6 over 10 million pages.
//
// Two pages with one text need not be the same: their links may lead elsewhere, and they
// may show other pictures. Only if these are equal too is one of them a duplicate.
type Texts struct {
	names   *naming.Names
	seen    *urltable.Table
	key     urltable.Key
	first   *graph.Column[graph.Page] // by number of the content
	targets *graph.Column[uint64]     // by number of the content: Facts.Targets of its first page
	near    *near.Index               // contents that differ in a few words
}

// NewTexts returns what is known before the first page, with room for a number of pages.
func NewTexts(n *naming.Names, secret [16]byte, pages int) Texts {
	s := urltable.New("content", secret, pages, 1)
	return Texts{
		names: n, seen: s, key: s.Key(), near: near.New(nearSize),
		first: graph.NewColumn[graph.Page]("content page", pages), targets: graph.NewColumn[uint64]("content targets", pages),
	}
}

// nearSize is the number of last contents among which near duplicates are searched for: 29
// MiB at most, and some microseconds for a search.
const nearSize = 1 << 20

// Hash returns the hash of a digest. It is keyed, so that no author of pages can fill one
// part of the table.
func (c *Texts) Hash(digest [16]byte) uint64 { return c.key.Page(0, digest[:]) }

// Original returns the page that had a content first, if one had, and where its links
// lead. A page without words has no content to compare.
func (c *Texts) Original(digest [16]byte) (p graph.Page, targets uint64, ok bool) {
	if digest == [16]byte{} {
		return graph.NoPage, 0, false
	}
	n, ok := c.seen.LookupPage(c.Hash(digest))
	if !ok {
		return graph.NoPage, 0, false
	}
	return c.first.At(int(n)), c.targets.At(int(n)), true
}

// PageOf returns the page that had the content with a hash first.
func (c *Texts) PageOf(hash uint64) (p graph.Page, ok bool) {
	n, ok := c.seen.LookupPage(hash)
	if !ok {
		return graph.NoPage, false
	}
	return c.first.At(int(n)), true
}

// Add records the content of p. If another page had it before, that one stays the original,
// unless p is the same in everything and replaces it.
func (c *Texts) Add(digest [16]byte, targets uint64, p graph.Page, takes bool) {
	if digest == [16]byte{} {
		return
	}
	n, fresh := c.seen.Page(c.Hash(digest))
	if fresh {
		c.first.Append(p)
		c.targets.Append(targets)
	} else if takes && c.targets.At(int(n)) == targets {
		c.first.Set(int(n), p)
	}
}

// Note records the content of a fetched page. A page that is not called a duplicate though
// its content was known is the original from now on.
func (c *Texts) Note(r *journal.Record) {
	e, x := &r.Event, &r.Facts
	c.Add(x.Digest, x.Targets, e.Page, e.Class == event.OK)
	if e.Class == event.OK && x.Status != journal.NotModified {
		c.near.Add(x.SimHash, e.Page)
	}
}

// Seen returns the hashes of the texts. Snapshots have it before the other columns.
func (c *Texts) Seen() *urltable.Table { return c.seen }

// AddTo adds the columns to a set, in the order of snapshots: answers are those of Kinds.
func (c *Texts) AddTo(set *graph.Set, k *Kinds) {
	graph.AddTo(set, c.first, k.answers, c.targets, c.near)
}

// Agrees reports whether q was fetched with the words that were found, or nearly.
func (c *Texts) Agrees(q graph.Page, f *gather.Found) bool {
	first, _, ok := c.Original(f.Digest)
	return ok && first == q || c.near.Has(f.SimHash, q)
}

// Duplicate reports whether another page had the content of p before: the same words and
// numbers, links to the same pages, the same pictures. The page with the shorter path
// counts as the original, whichever was fetched first. A page that names itself as
// canonical is the original in any case: the other one, with the same targets, names it too.
func (c *Texts) Duplicate(p graph.Page, f *gather.Found) bool {
	first, targets, ok := c.Original(f.Digest)
	if !ok || f.Class != event.OK || first == p || targets != f.Targets || f.Canonical.Self {
		return false
	}
	_, rest, _ := c.names.Read(first)
	n := len(rest)
	_, rest, _ = c.names.Read(p)
	return len(rest) >= n
}

// NearDuplicate returns a page whose content differs from that of p in a few words, or in
// nothing but where its links lead.
func (c *Texts) NearDuplicate(p graph.Page, f *gather.Found) (graph.Page, bool) {
	if f.Class != event.OK || f.Status == journal.NotModified {
		return graph.NoPage, false
	}
	if first, targets, known := c.Original(f.Digest); known {
		return first, first != p && targets != f.Targets // otherwise p replaces its copy
	}
	q, ok := c.near.Find(f.SimHash)
	return q, ok && q != p
}

// Like returns the page whose text the page of a record repeats, or nearly; NoPage without
// one. same reports whether the texts are equal, exact whether links and pictures are, too,
// except for ids.
func (c *Texts) Like(r *journal.Record) (p graph.Page, same, exact bool) {
	if p, targets, ok := c.Original(r.Facts.Digest); ok && p != r.Event.Page {
		return p, true, uint32(targets) == uint32(r.Facts.Targets) // the lower half has no ids: see gather.Found
	}
	if n := r.Facts.Near; n > 0 && int(n) <= c.names.Table.Pages() {
		return graph.Page(n - 1), false, false
	}
	return graph.NoPage, false, false
}
