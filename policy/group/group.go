// Package group sorts pages into groups by the look of their URLs: those of a site, of its
// directories, of the same kind of file in a directory, and of the same pattern of a name
// with numbers. What happened in a group tells something about its other pages. The groups
// are a tree; a page belongs to one group and to all those above it.
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

// A Kind is the kind of a group.
type Kind uint8

// The kinds, from the root down. Directories are nested in each other.
const (
	Root Kind = iota
	Site
	Dir
	Type    // files with the same ending and the same names in the query
	Pattern // files whose names differ in their numbers only
)

const (
	// deepest is the number of directories of a path that count.
	deepest = 8
	// shallow is the number of directories up to which Near goes.
	shallow = 3
)

// A Tree holds groups and counts their pages.
type Tree struct {
	graph.Set
	up     *graph.Column[uint32]
	kind   *graph.Column[uint8]
	dir    *graph.Column[uint32] // the directory, or site, of the group
	near   *graph.Column[uint32] // the same, but not deeper than shallow
	site   *graph.Column[uint32]
	known  *graph.Column[uint32]
	taken  *graph.Column[uint32]
	hashes *graph.Column[uint64] // of the keys of the groups
	slots  *graph.Column[uint32] // by hash: 1 + group, 0 for none; a power of two of them
	most   int
}

// leastSlots is the number of slots at first.
const leastSlots = 1 << 10

// New returns a tree with the root alone, and room for a number of groups. When it is full,
// new pages belong to the nearest group above.
func New(most int) *Tree {
	most = max(most, 1)
	t := &Tree{most: most}
	t.up = graph.NewColumnIn[uint32](&t.Set, "groups: up", most)
	t.kind = graph.NewColumnIn[uint8](&t.Set, "groups: kinds", most)
	t.dir = graph.NewColumnIn[uint32](&t.Set, "groups: directories", most)
	t.near = graph.NewColumnIn[uint32](&t.Set, "groups: near directories", most)
	t.site = graph.NewColumnIn[uint32](&t.Set, "groups: sites", most)
	t.known = graph.NewColumnIn[uint32](&t.Set, "groups: known", most)
	t.taken = graph.NewColumnIn[uint32](&t.Set, "groups: taken", most)
	t.hashes = graph.NewColumnIn[uint64](&t.Set, "groups: hashes", most)
	room := leastSlots
	for room < 2*most {
		room *= 2
	}
	t.slots = graph.NewColumnIn[uint32](&t.Set, "groups: slots", room)
	t.slots.Grow(leastSlots)
	t.add(0, Root, 0)
	return t
}

// Len returns the number of groups.
func (t *Tree) Len() int { return t.up.Len() }

// Up returns the group above g, and the root for itself.
func (t *Tree) Up(g ID) ID { return ID(t.up.At(int(g))) }

// Kind returns the kind of g.
func (t *Tree) Kind(g ID) Kind { return Kind(t.kind.At(int(g))) }

// Dir returns the directory to which the files of g belong, or the site.
func (t *Tree) Dir(g ID) ID { return ID(t.dir.At(int(g))) }

// Near returns the directory as Dir does, but of the first three directories of a path only.
func (t *Tree) Near(g ID) ID { return ID(t.near.At(int(g))) }

// Site returns the site of g.
func (t *Tree) Site(g ID) ID { return ID(t.site.At(int(g))) }

// Known returns the number of pages of g.
func (t *Tree) Known(g ID) int { return int(t.known.At(int(g))) }

// Taken returns the number of pages of g that Take was called for.
func (t *Tree) Taken(g ID) int { return int(t.taken.At(int(g))) }

// Add returns the group of a new page, by its site and the look of its path, and counts the
// page.
func (t *Tree) Add(s graph.Site, p *Path) ID {
	g := t.child(0, Site, uint64(s))
	for i := range min(p.Dirs, deepest) {
		g = t.child(g, Dir, xxh3.Hash(p.Dir(i)))
	}
	g = t.child(g, Type, p.kind)
	if p.Numbers {
		g = t.child(g, Pattern, p.pattern)
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
func (t *Tree) child(g ID, k Kind, key uint64) ID {
	if g == 0 && k != Site {
		return 0
	}
	hash := mix(mix(uint64(g)<<8|uint64(k)) ^ key)
	mask := uint64(t.slots.Len() - 1)
	for i := hash; ; i++ {
		at := int(i & mask)
		x := t.slots.At(at)
		switch {
		case x == 0 && t.Len() == t.most:
			return g
		case x == 0:
			return t.make(g, k, hash, at)
		case t.hashes.At(int(x-1)) == hash && t.Up(ID(x-1)) == g:
			return ID(x - 1)
		}
	}
}

// mix mixes the bits of a number, as splitmix64 does.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// make makes a group, whose slot is free.
func (t *Tree) make(up ID, k Kind, hash uint64, slot int) ID {
	g := t.add(up, k, hash)
	t.slots.Set(slot, uint32(g)+1)
	if 2*t.Len() > t.slots.Len() {
		t.spread()
	}
	return g
}

// add appends a group.
func (t *Tree) add(up ID, k Kind, hash uint64) ID {
	g := uint32(t.Len())
	t.up.Append(uint32(up))
	t.kind.Append(uint8(k))
	t.hashes.Append(hash)
	t.known.Append(0)
	t.taken.Append(0)
	dir, near, site := uint32(0), uint32(0), uint32(0)
	switch k {
	case Site:
		dir, near, site = g, g, g
	case Dir:
		dir, near, site = g, g, t.site.At(int(up))
		if t.level(up) >= shallow {
			near = t.near.At(int(up))
		}
	case Type, Pattern:
		dir, near, site = t.dir.At(int(up)), t.near.At(int(up)), t.site.At(int(up))
	}
	t.dir.Append(dir)
	t.near.Append(near)
	t.site.Append(site)
	return ID(g)
}

// level returns the number of directories on the way to g.
func (t *Tree) level(g ID) (n int) {
	for ; t.Kind(g) == Dir; g = t.Up(g) {
		n++
	}
	return n
}

// spread doubles the slots.
func (t *Tree) spread() {
	t.slots.Grow(2 * t.slots.Len())
	slots := t.slots.Slice()
	clear(slots)
	mask := uint64(len(slots) - 1)
	for g, hash := range t.hashes.Slice() {
		if g == 0 {
			continue
		}
		i := hash & mask
		for slots[i] != 0 {
			i = (i + 1) & mask
		}
		slots[i] = uint32(g) + 1
	}
}
