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
	"math"

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

// A Tree holds groups and counts their pages. It takes 52 bytes for each group and 4 for each
// site.
type Tree struct {
	graph.Set
	keys    *Table // group g has the key g-1
	records *graph.Column[record]
	ups     *graph.Column[uint32] // by group: the one above it, as in its record
	sites   *graph.Column[uint32] // by site: its group, 0 if it has none
	most    int
	last    [deepest + 4]struct { // by level: the group found last, to save a search
		hash uint64
		g    ID
	}
}

// A record holds what is known of a group, in one place of the memory.
type record [8]uint32

// The indexes of a record.
const (
	recordUp    = iota
	recordDir   // the directory, or site, of the group
	recordSite  // 0 where URLs are not known
	recordLevel // groups on the way to the root
	recordKnown
	recordTaken
	recordLabel // see SetMeans
	recordFinds
)

// New returns a tree with the root alone, and room for numbers of groups and sites. When it is
// full, new pages belong to the nearest group above.
func New(most, sites int) *Tree {
	most = max(most, 1)
	t := &Tree{most: most, keys: NewTable("groups:", most)}
	graph.AddTo(&t.Set, t.keys)
	t.records = graph.NewColumnIn[record](&t.Set, "groups: records", most)
	t.sites = graph.NewColumnIn[uint32](&t.Set, "groups: sites", sites)
	t.ups = graph.NewColumnIn[uint32](&t.Set, "groups: above", most)
	t.records.Append(record{})
	t.ups.Append(0)
	return t
}

// Len returns the number of groups.
func (t *Tree) Len() int { return t.records.Len() }

func (t *Tree) at(g ID) *record { return &t.records.Slice()[g] }

// Up returns the group above g, and the root for itself.
func (t *Tree) Up(g ID) ID { return ID(t.at(g)[recordUp]) }

// Ups returns the groups above all groups.
func (t *Tree) Ups() []uint32 { return t.ups.Slice() }

// Dir returns the directory to which the files of g belong, or the site. Without URLs it is g.
func (t *Tree) Dir(g ID) ID { return ID(t.at(g)[recordDir]) }

// Near returns the directory as Dir does, but of the first three directories of a path only.
func (t *Tree) Near(g ID) ID {
	g = t.Dir(g)
	for r := t.at(g); r[recordSite] != 0 && r[recordLevel] > 1+shallow; r = t.at(g) {
		g = ID(r[recordUp])
	}
	return g
}

// Site returns the site of g. Without URLs it is the root.
func (t *Tree) Site(g ID) ID { return ID(t.at(g)[recordSite]) }

// Known returns the number of pages of g.
func (t *Tree) Known(g ID) int { return int(t.at(g)[recordKnown]) }

// Taken returns the number of pages of g that Take was called for.
func (t *Tree) Taken(g ID) int { return int(t.at(g)[recordTaken]) }

// SetMeans sets two numbers of g that its user computes. They are 0 before.
func (t *Tree) SetMeans(g ID, label, finds float32) {
	r := t.at(g)
	r[recordLabel], r[recordFinds] = math.Float32bits(label), math.Float32bits(finds)
}

// Means returns the numbers of g that were set.
func (t *Tree) Means(g ID) (label, finds float32) {
	r := t.at(g)
	return math.Float32frombits(r[recordLabel]), math.Float32frombits(r[recordFinds])
}

// Add returns the group of a new page, by its site and the look of its path, and counts the
// page.
func (t *Tree) Add(s graph.Site, p *Path) ID {
	g := t.site(s)
	for i := range min(p.Dirs, deepest) {
		g = t.child(g, dir, xxh3.Hash(p.Dir(i)))
	}
	g = t.child(g, kind, p.kind)
	if p.Numbers {
		g = t.child(g, pattern, p.pattern)
	}
	t.count(recordKnown, g)
	return g
}

// site returns the group of a site. It makes one if there is none, unless the tree is full.
func (t *Tree) site(s graph.Site) ID {
	t.sites.Grow(int(s) + 1)
	g := &t.sites.Slice()[s]
	if *g == 0 && t.Len() < t.most {
		*g = uint32(t.child(0, site, uint64(s)))
	}
	return ID(*g)
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
		for t.at(up)[recordLevel] >= deepest {
			up = t.Up(up)
		}
		if g = t.child(up, found, uint64(on)); g != up {
			g = t.child(g, row, uint64(nth/rowPages))
		}
	}
	t.count(recordKnown, g)
	return g
}

// Take counts a page of g that is handed out.
func (t *Tree) Take(g ID) { t.count(recordTaken, g) }

func (t *Tree) count(what int, g ID) {
	records := t.records.Slice()
	for ; g != 0; g = ID(records[g][recordUp]) {
		records[g][what]++
	}
	records[0][what]++
}

// child returns the group below g with a key. It makes one if there is none, unless the tree
// is full or the groups above could not be made.
func (t *Tree) child(g ID, k, key uint64) ID {
	if g == 0 && k != site && k != found {
		return 0
	}
	hash := mix(mix(uint64(g)<<8|k) ^ key)
	last := &t.last[t.at(g)[recordLevel]]
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
func (t *Tree) add(up ID, k uint64) {
	above, g := t.at(up), uint32(t.Len())
	r := record{recordUp: uint32(up), recordDir: g, recordSite: above[recordSite], recordLevel: above[recordLevel] + 1}
	switch k {
	case site:
		r[recordSite] = g
	case kind, pattern:
		r[recordDir] = above[recordDir]
	}
	t.records.Append(r)
	t.ups.Append(uint32(up))
}
