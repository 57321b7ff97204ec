package policy

import (
	"bytes"

	"github.com/zeebo/xxh3"

	"github.com/winnow-crawler/winnow/graph"
)

// directories numbers the groups of pages that are alike, in the order in which they become
// known. If URLs are known, a group is a directory: the pages of a site whose paths begin
// with the same segments, the first three at most, the name of the file not counted.
// Otherwise a group is the pages that were found on the same page.
//
// The table is one of linear hashing: for each directory that is added, one chain is split.
// So no directory costs more than a few steps, and nothing ever moves.
type directories struct {
	graph.Set
	env  *Env
	url  []byte // reused for each page; no state
	keys *graph.Column[uint64]
	next *graph.Column[uint32] // by directory: 1 + the next one of its chain, 0 for the last
	head *graph.Column[uint32] // by chain: 1 + its first directory, 0 if it is empty
}

func newDirectories(e *Env, name string) *directories {
	d := &directories{env: e}
	d.keys = graph.NewColumnIn[uint64](&d.Set, name+" directory keys", e.MaxPages)
	d.next = graph.NewColumnIn[uint32](&d.Set, name+" directory next", e.MaxPages)
	d.head = graph.NewColumnIn[uint32](&d.Set, name+" directory chains", e.MaxPages+1)
	d.head.Grow(1)
	return d
}

// len returns the number of directories.
func (d *directories) len() int { return d.keys.Len() }

// of returns the directory of p, which was found on from, and adds it if it is new.
func (d *directories) of(p, from graph.Page) int {
	key := Hash(uint64(from))
	if d.env.URL != nil {
		d.url = d.env.URL(d.url[:0], p)
		key = Hash(xxh3.Hash(directoryOf(d.url)), uint64(d.env.Facts.Site(p)))
	}
	for at := d.head.At(d.chain(key)); at != 0; at = d.next.At(int(at - 1)) {
		if d.keys.At(int(at-1)) == key {
			return int(at - 1)
		}
	}
	n := d.len()
	d.keys.Append(key)
	d.next.Append(0)
	d.link(n)
	d.split()
	return n
}

// chain returns the chain of a key: its lower bits, as many as there are chains for.
func (d *directories) chain(key uint64) int {
	size := uint64(1)
	for size < uint64(d.head.Len()) {
		size *= 2
	}
	if c := key & (size - 1); c < uint64(d.head.Len()) {
		return int(c)
	}
	return int(key & (size/2 - 1))
}

// link puts directory n at the front of its chain.
func (d *directories) link(n int) {
	c := d.chain(d.keys.At(n))
	d.next.Set(n, d.head.At(c))
	d.head.Set(c, uint32(n)+1)
}

// split adds a chain, and moves there what belongs to it: a part of one other chain.
func (d *directories) split() {
	added := d.head.Len()
	half := 1
	for 2*half <= added {
		half *= 2
	}
	at := d.head.At(added - half)
	d.head.Set(added-half, 0)
	d.head.Grow(added + 1)
	for at != 0 {
		n := int(at - 1)
		at = d.next.At(n)
		d.link(n)
	}
}

// directorySegments is the number of segments of a path that tell directories apart.
const directorySegments = 3

// directoryOf returns the directory of a URL: its path up to the last slash, and three
// segments of it at most.
func directoryOf(url []byte) []byte {
	path, _ := urlPath(url)
	path = path[:max(0, bytes.LastIndexByte(path, '/'))]
	slashes := 0
	for i, b := range path {
		if b == '/' {
			if slashes++; slashes > directorySegments {
				return path[:i]
			}
		}
	}
	return path
}
