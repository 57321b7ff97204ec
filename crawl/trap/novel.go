package trap

import "github.com/winnow-crawler/winnow/graph"

// novelSize is how many of the last things that came are known again: 1 MiB.
const novelSize = 1 << 18

// novel knows what came lately, by hash: words, pictures and numbers of sites and places. It
// forgets what others have taken the place of, which makes it call things new that are not.
type novel struct {
	marks *graph.Column[uint32] // by a part of the hash: another part; empty before the first
}

func newNovel(set *graph.Set) novel {
	return novel{graph.NewColumnIn[uint32](set, "trap novel", novelSize)}
}

// has reports whether a thing came.
func (n *novel) has(hash uint64) bool {
	return n.marks.Len() > 0 && n.marks.At(int(hash%novelSize)) == uint32(hash>>32)|1
}

// add notes a thing, and reports whether it is new.
func (n *novel) add(hash uint64) bool {
	if n.has(hash) {
		return false
	}
	n.marks.Grow(novelSize)
	n.marks.Set(int(hash%novelSize), uint32(hash>>32)|1)
	return true
}
