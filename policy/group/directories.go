package group

import (
	"bytes"

	"github.com/zeebo/xxh3"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/order"
	"github.com/winnow-crawler/winnow/score"
)

// Directories numbers the groups of pages that are alike, in the order in which they become
// known. If URLs are known, a group is a directory: the pages of a site whose paths begin
// with the same segments, the first three at most, the name of the file not counted.
// Otherwise a group is the pages that were found on the same page.
type Directories struct {
	*Table
	env *order.Env
	url []byte // reused for each page; no state
}

// NewDirectories returns no directories yet. The names of its columns begin with name.
func NewDirectories(e *order.Env, name string) *Directories {
	return &Directories{Table: NewTable(name+" directory", e.MaxPages), env: e}
}

// Of returns the directory of p, which was found on from, and adds it if it is new.
func (d *Directories) Of(p, from graph.Page) int {
	key := order.Hash(uint64(from))
	if d.env.URL != nil {
		d.url = d.env.URL(d.url[:0], p)
		key = order.Hash(xxh3.Hash(directoryOf(d.url)), uint64(d.env.Facts.Site(p)))
	}
	if n, ok := d.Find(key); ok {
		return n
	}
	return d.Add(key)
}

// directorySegments is the number of segments of a path that tell directories apart.
const directorySegments = 3

// directoryOf returns the directory of a URL: its path up to the last slash, and three
// segments of it at most.
func directoryOf(url []byte) []byte {
	path := score.Path(url)
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
