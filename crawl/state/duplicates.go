package state

import (
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/urltable"
)

// originals finds the page that had a content first (W20): by the digest of its
// structural text, so that a page whose formatting alone differs is the same. 26 bytes
// for each different content. Two contents share 64 bits of their digests with
// probability n^2/2^65: 3e-6 over 10 million pages.
//
// Two pages with one text are not yet the same: their links may lead elsewhere, and they
// may show other pictures. Only if these are equal too is one of them a duplicate.
type originals struct {
	seen    *urltable.Table
	first   *graph.Column[graph.Page] // by number of the content
	targets *graph.Column[uint64]     // by number of the content: Facts.Targets of its first page
	key     urltable.Key
}

func newOriginals(secret [16]byte, pages int) originals {
	s := urltable.New("content", secret, pages, 1)
	return originals{
		seen: s, key: s.Key(),
		first: graph.NewColumn[graph.Page]("content page", pages), targets: graph.NewColumn[uint64]("content targets", pages),
	}
}

// hash is that of a digest. It is keyed, so that nobody can fill one part of the table.
func (o *originals) hash(digest [16]byte) uint64 { return o.key.Page(0, digest[:]) }

// Of is the page that had this content first, if one had, and where its links lead. A page
// without words has no content to compare.
func (o *originals) Of(digest [16]byte) (p graph.Page, targets uint64, ok bool) {
	if digest == [16]byte{} {
		return graph.NoPage, 0, false
	}
	n, ok := o.seen.LookupPage(o.hash(digest))
	if !ok {
		return graph.NoPage, 0, false
	}
	return o.first.At(int(n)), o.targets.At(int(n)), true
}

// Note says that p has this content. Where another page had it before, that one stays the
// original unless p is the same in all and takes its place.
func (o *originals) Note(digest [16]byte, targets uint64, p graph.Page, takes bool) {
	if digest == [16]byte{} {
		return
	}
	n, fresh := o.seen.Page(o.hash(digest))
	if fresh {
		o.first.Append(p)
		o.targets.Append(targets)
	} else if takes && o.targets.At(int(n)) == targets {
		o.first.Set(int(n), p)
	}
}

// alikeTargets reports whether the links of two pages lead to the same, and whether they
// show the same, but for ids: see gather.Found.
func alikeTargets(a, b uint64) bool { return uint32(a) == uint32(b) }

// alikeSize is among how many of the last contents near duplicates are looked for: 29 MiB
// at most, and some microseconds for a look.
const alikeSize = 1 << 20

// noteContent takes over the content of a page that came. One that is not called a
// duplicate though its content was known is the original from now on: see duplicate.
func (s *State) noteContent(r *journal.Record) {
	e, x := &r.Event, &r.Facts
	s.Content.Note(x.Digest, x.Targets, e.Page, e.Class == event.OK)
	if e.Class == event.OK && x.Status != NotModified {
		s.Near.Add(x.SimHash, e.Page)
	}
}

// NotModified is the status of an answer that brings nothing because nothing changed.
const NotModified = 304
