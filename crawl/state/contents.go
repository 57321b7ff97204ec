package state

import (
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/near"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/urltable"
)

// contents finds the page that had a content first, by the digest of its structural text:
// pages that differ in their formatting alone have the same content. It takes 26 bytes for
// each different content. Two contents share 64 bits of their digests with probability
// n^2/2^65: 3e-6 over 10 million pages.
//
// Two pages with one text need not be the same: their links may lead elsewhere, and they
// may show other pictures. Only if these are equal too is one of them a duplicate.
type contents struct {
	names   *names
	seen    *urltable.Table
	key     urltable.Key
	first   *graph.Column[graph.Page] // by number of the content
	targets *graph.Column[uint64]     // by number of the content: Facts.Targets of its first page
	near    *near.Index               // contents that differ in a few words
}

func newContents(n *names, secret [16]byte, pages int) contents {
	s := urltable.New("content", secret, pages, 1)
	return contents{
		names: n, seen: s, key: s.Key(), near: near.New(nearSize),
		first: graph.NewColumn[graph.Page]("content page", pages), targets: graph.NewColumn[uint64]("content targets", pages),
	}
}

// nearSize is the number of last contents among which near duplicates are searched for: 29
// MiB at most, and some microseconds for a search.
const nearSize = 1 << 20

// hash returns the hash of a digest. It is keyed, so that no author of pages can fill one
// part of the table.
func (c *contents) hash(digest [16]byte) uint64 { return c.key.Page(0, digest[:]) }

// original returns the page that had a content first, if one had, and where its links
// lead. A page without words has no content to compare.
func (c *contents) original(digest [16]byte) (p graph.Page, targets uint64, ok bool) {
	if digest == [16]byte{} {
		return graph.NoPage, 0, false
	}
	n, ok := c.seen.LookupPage(c.hash(digest))
	if !ok {
		return graph.NoPage, 0, false
	}
	return c.first.At(int(n)), c.targets.At(int(n)), true
}

// add records the content of p. If another page had it before, that one stays the original,
// unless p is the same in everything and replaces it.
func (c *contents) add(digest [16]byte, targets uint64, p graph.Page, takes bool) {
	if digest == [16]byte{} {
		return
	}
	n, fresh := c.seen.Page(c.hash(digest))
	if fresh {
		c.first.Append(p)
		c.targets.Append(targets)
	} else if takes && c.targets.At(int(n)) == targets {
		c.first.Set(int(n), p)
	}
}

// note records the content of a fetched page. A page that is not called a duplicate though
// its content was known is the original from now on.
func (c *contents) note(r *journal.Record) {
	e, x := &r.Event, &r.Facts
	c.add(x.Digest, x.Targets, e.Page, e.Class == event.OK)
	if e.Class == event.OK && x.Status != NotModified {
		c.near.Add(x.SimHash, e.Page)
	}
}

// NotModified is the status of an answer without a body because nothing changed.
const NotModified = 304

// Duplicate reports whether another page had the content of p before: the same words and
// numbers, links to the same pages, the same pictures. The page with the shorter path
// counts as the original, whichever was fetched first. A page that names itself as
// canonical is the original in any case: the other one, with the same targets, names it too.
func (c *contents) Duplicate(p graph.Page, f *gather.Found) bool {
	first, targets, ok := c.original(f.Digest)
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
func (c *contents) NearDuplicate(p graph.Page, f *gather.Found) (graph.Page, bool) {
	if f.Class != event.OK || f.Status == NotModified {
		return graph.NoPage, false
	}
	if first, targets, known := c.original(f.Digest); known {
		return first, first != p && targets != f.Targets // otherwise p replaces its copy
	}
	q, ok := c.near.Find(f.SimHash)
	return q, ok && q != p
}

// Like returns the page whose text the page of a record repeats, or nearly; NoPage without
// one. same reports whether the texts are equal, exact whether links and pictures are, too,
// except for ids.
func (c *contents) Like(r *journal.Record) (p graph.Page, same, exact bool) {
	if p, targets, ok := c.original(r.Facts.Digest); ok && p != r.Event.Page {
		return p, true, uint32(targets) == uint32(r.Facts.Targets) // the lower half has no ids: see gather.Found
	}
	if n := r.Facts.Near; n > 0 && int(n) <= c.names.Table.Pages() {
		return graph.Page(n - 1), false, false
	}
	return graph.NoPage, false, false
}
