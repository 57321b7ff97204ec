package trap

import "github.com/winnow-crawler/winnow/graph"

// novelSize is how many of the last things are remembered: 1 MiB.
const novelSize = 1 << 18

// novel remembers the last words, pictures and numbers of sites and places, by hash. It
// forgets a thing when another takes its place, so it may call a thing new that is not.
type novel struct {
	marks *graph.Column[uint32] // by a part of the hash: another part; empty until the first add
}

func newNovel(set *graph.Set) novel {
	return novel{graph.NewColumnIn[uint32](set, "trap novel", novelSize)}
}

// has reports whether a thing is remembered.
func (n *novel) has(hash uint64) bool {
	return n.marks.Len() > 0 && n.marks.At(int(hash%novelSize)) == uint32(hash>>32)|1
}

// add remembers a thing, and reports whether it is new.
func (n *novel) add(hash uint64) bool {
	if n.has(hash) {
		return false
	}
	n.marks.Grow(novelSize)
	n.marks.Set(int(hash%novelSize), uint32(hash>>32)|1)
	return true
}
