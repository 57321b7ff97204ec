// Package group sorts pages into groups by the look of their URLs: those of a site, of its
// directories, of the same kind of file in a directory, and of the same pattern of a name
// with numbers. Where URLs are not known, a group is the pages that were found on the same
// page, and below it some that were found there one after the other. What happened in a group
// tells something about its other pages. The groups are a tree; a page belongs to one group
// and to all those above it.
//
// The package is passive. Groups have numbers in the order in which they became known, and
// all state is in columns.
package group

import (
	"github.com/winnow-crawler/winnow/graph"
	"github.com/zeebo/xxh3"
)

// An ID is the number of a group. The root, 0, is the group of all pages.
type ID uint32

// The kinds of groups below the root. They are part of the key of a group: directories are
// nested in each other, and the others are of one level each.
const (
	site uint64 = iota
	dir
	kind    // files with the same ending and the same names in the query
	pattern // files whose names differ in their numbers only
	found   // pages that were found on one page
	row     // some of these, found one after the other
)

// deepest is the number of directories of a path that count, or of pages on the way to one.
const deepest = 8

// shallow is the number of directories up to which Near goes.
const shallow = 3

// A Tree holds groups and counts their pages. It takes 41 bytes for each group.
type Tree struct {
	graph.Set
	keys  *Table // group g has the key g-1
	up    *graph.Column[uint32]
	dir   *graph.Column[uint32] // the directory, or site, of the group
	site  *graph.Column[uint32]
	level *graph.Column[uint8] // groups on the way to the root
	known *graph.Column[uint32]
	taken *graph.Column[uint32]
	most  int
	last  [deepest + 4]struct { // by level: the group found last, to save a search
		hash uint64
		g    ID
	}
}

// New returns a tree with the root alone, and room for a number of groups. When it is full,
// new pages belong to the nearest group above.
func New(most int) *Tree {
	most = max(most, 1)
	t := &Tree{most: most, keys: NewTable("groups:", most)}
	graph.AddTo(&t.Set, t.keys)
	t.up = graph.NewColumnIn[uint32](&t.Set, "groups: up", most)
	t.dir = graph.NewColumnIn[uint32](&t.Set, "groups: directories", most)
	t.site = graph.NewColumnIn[uint32](&t.Set, "groups: sites", most)
	t.level = graph.NewColumnIn[uint8](&t.Set, "groups: levels", most)
	t.known = graph.NewColumnIn[uint32](&t.Set, "groups: known", most)
	t.taken = graph.NewColumnIn[uint32](&t.Set, "groups: taken", most)
	t.append(0, 0, 0, 0)
	return t
}

// Len returns the number of groups.
func (t *Tree) Len() int { return t.up.Len() }

// Up returns the group above g, and the root for itself.
func (t *Tree) Up(g ID) ID { return ID(t.up.At(int(g))) }

// Dir returns the directory to which the files of g belong, or the site. Without URLs it is g.
func (t *Tree) Dir(g ID) ID { return ID(t.dir.At(int(g))) }

// Near returns the directory as Dir does, but of the first three directories of a path only.
func (t *Tree) Near(g ID) ID {
	g = t.Dir(g)
	for t.site.At(int(g)) != 0 && t.level.At(int(g)) > 1+shallow {
		g = t.Up(g)
	}
	return g
}

// Site returns the site of g. Without URLs it is the root.
func (t *Tree) Site(g ID) ID { return ID(t.site.At(int(g))) }

// Known returns the number of pages of g.
func (t *Tree) Known(g ID) int { return int(t.known.At(int(g))) }

// Taken returns the number of pages of g that Take was called for.
func (t *Tree) Taken(g ID) int { return int(t.taken.At(int(g))) }

// Add returns the group of a new page, by its site and the look of its path, and counts the
// page.
func (t *Tree) Add(s graph.Site, p *Path) ID {
	g := t.child(0, site, uint64(s))
	for i := range min(p.Dirs, deepest) {
		g = t.child(g, dir, xxh3.Hash(p.Dir(i)))
	}
	g = t.child(g, kind, p.kind)
	if p.Numbers {
		g = t.child(g, pattern, p.pattern)
	}
	t.count(t.known.Slice(), g)
	return g
}

// rowPages is the number of pages of a row. Links side by side lead to pages of one kind more
// often than those far apart do.
const rowPages = 8

// AddFound returns the group of a new page that was found on a page of group up after nth
// others: a row. It counts the page. It is for pages whose URLs are not known. A page that was
// not found on another is one of the root. Groups deep down are beside each other rather than
// below.
func (t *Tree) AddFound(up ID, on graph.Page, nth int) ID {
	g := up
	if on != graph.NoPage {
		for t.level.At(int(up)) >= deepest {
			up = t.Up(up)
		}
		if g = t.child(up, found, uint64(on)); g != up {
			g = t.child(g, row, uint64(nth/rowPages))
		}
	}
	t.count(t.known.Slice(), g)
	return g
}

// Take counts a page of g that is handed out.
func (t *Tree) Take(g ID) { t.count(t.taken.Slice(), g) }

func (t *Tree) count(column []uint32, g ID) {
	for ; g != 0; g = t.Up(g) {
		column[g]++
	}
	column[0]++
}

// child returns the group below g with a key. It makes one if there is none, unless the tree
// is full or the groups above could not be made.
func (t *Tree) child(g ID, k, key uint64) ID {
	if g == 0 && k != site && k != found {
		return 0
	}
	hash := mix(mix(uint64(g)<<8|k) ^ key)
	last := &t.last[t.level.At(int(g))]
	if last.hash == hash && last.g != 0 {
		return last.g
	}
	n, ok := t.keys.Find(hash)
	switch {
	case !ok && t.Len() == t.most:
		return g
	case !ok:
		n = t.keys.Add(hash)
		t.add(g, k)
	}
	last.hash, last.g = hash, ID(n+1)
	return last.g
}

// mix mixes the bits of a number, as splitmix64 does.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// add appends a group below another.
func (t *Tree) add(up ID, k uint64) ID {
	g := uint32(t.Len())
	dir, at := g, t.site.At(int(up))
	switch k {
	case site:
		at = g
	case kind, pattern:
		dir = t.dir.At(int(up))
	}
	t.append(uint32(up), dir, at, t.level.At(int(up))+1)
	return ID(g)
}

func (t *Tree) append(up, dir, site uint32, level uint8) {
	t.up.Append(up)
	t.dir.Append(dir)
	t.site.Append(site)
	t.level.Append(level)
	t.known.Append(0)
	t.taken.Append(0)
}
