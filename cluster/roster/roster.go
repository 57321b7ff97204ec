// Package roster decides who is alive, who owns which partition of a crawl, and who should. It is
// passive: time is handed in, and others read and write the register in which nodes meet.
//
// Each node has a key in the register, which it renews. A node that renewed its key holds a
// [Lease] for a while, counted from the moment at which it sent the renewal. Who sees no change of
// a key for longer than any lease lasts buries the node: it marks the key, on condition that it has
// not changed. The owner of a partition is an incarnation of a node, and a lease that has lapsed
// never comes back: the node begins again, as another incarnation. So an incarnation is over for
// good when its node is buried or has a later one, and only then its partitions are free.
package roster

import (
	"cmp"
	"slices"
	"time"

	"github.com/zeebo/xxh3"
)

const (
	// TTL is the time after which a node that does not renew its key loses its partitions.
	TTL = 30 * time.Second
	// Margin is how much earlier the node itself stops, and how much later others bury it. Clocks
	// may differ in speed by a tenth: 27 s of the slowest are less than 33 s of the fastest.
	Margin = 3 * time.Second
	// Beat is the time between two renewals.
	Beat = 5 * time.Second
	// Patience is for how long another node must have been named for a partition before it is handed
	// over.
	Patience = 60 * time.Second
)

// An Instant has the readings of three clocks: one that never jumps, one that also counts the
// time for which the machine was suspended, and that of the calendar.
type Instant struct{ Monotonic, Boot, Wall time.Duration }

// longest returns the time since an instant by the clock that says most. A lease ends by it.
func (t Instant) longest(since Instant) time.Duration {
	return max(t.Monotonic-since.Monotonic, t.Boot-since.Boot, t.Wall-since.Wall)
}

// surest returns the time that has passed since an instant for certain: a calendar that is put
// forward must not bury anybody, and the time of a suspended machine is not that of an observer.
func (t Instant) surest(since Instant) time.Duration { return t.Monotonic - since.Monotonic }

// Epoch returns the number of an ownership or an incarnation that follows another one. It never
// returns, even if a register forgets the last ones.
func Epoch(last uint64, now Instant) uint64 {
	return max(last+1, uint64(max(0, now.Wall.Milliseconds())))
}

// A Lease is the right of one incarnation of a node to make requests. Its zero value is one that
// was never given.
type Lease struct {
	sent  Instant // of the last renewal that was acknowledged
	given bool
	over  bool
}

// Renew extends the lease by a renewal that was sent at an instant and is acknowledged now. It
// reports whether the lease holds: one that has lapsed does not come back.
func (l *Lease) Renew(sent, now Instant) bool {
	if l.given && !l.Holds(now) {
		return false
	}
	l.sent, l.given = sent, true
	return l.Holds(now)
}

// Holds reports whether the lease holds.
func (l *Lease) Holds(now Instant) bool { return l.Left(now) > 0 }

// Left returns for how long the lease holds.
func (l *Lease) Left(now Instant) time.Duration {
	if !l.given || l.over {
		return 0
	}
	left := TTL - Margin - now.longest(l.sent)
	if left <= 0 {
		l.over = true
	}
	return max(0, left)
}

// End ends the lease.
func (l *Lease) End() { l.over = true }

// A Node is what the register says about a node.
type Node struct {
	Incarnation uint64
	Gone        bool  // it was buried, or has left
	Without     []int // partitions that it cannot serve
}

// A Part is what the register says about a partition: its owner, if Node is not "".
type Part struct {
	Node        string
	Incarnation uint64
	Epoch       uint64
}

// A Roster is what one node has seen of the register.
type Roster struct {
	self  string
	nodes map[string]*member
	parts []holding
}

// member is a node, as it was seen.
type member struct {
	Node
	revision uint64
	since    Instant // when this revision was first seen
}

// holding is a partition, as it was seen.
type holding struct {
	Part
	revision uint64
	behind   bool    // the register has forgotten this owner, and names an earlier one
	named    string  // who should own it
	since    Instant // from when on
}

// New returns the roster of a node, which has seen nothing.
func New(self string, partitions int) *Roster {
	return &Roster{self: self, nodes: map[string]*member{}, parts: make([]holding, partitions)}
}

// SeeNode notes the key of a node.
func (r *Roster) SeeNode(name string, revision uint64, n Node, now Instant) {
	m := r.nodes[name]
	if m == nil || m.revision != revision || m.Incarnation != n.Incarnation || m.Gone != n.Gone {
		r.nodes[name] = &member{n, revision, now}
	}
	r.name(now)
}

// ReadNode notes the key of a node that was read. A copy of the register may have answered that is
// behind: what is older than what was seen does not count.
func (r *Roster) ReadNode(name string, revision uint64, n Node, now Instant) {
	if m := r.nodes[name]; m == nil || revision > m.revision {
		r.SeeNode(name, revision, n, now)
	}
}

// ReadPart notes the key of a partition that was read. It reports false if that is older than what
// was seen, and does not count.
func (r *Roster) ReadPart(p int, revision uint64, x Part, now Instant) bool {
	if revision < r.parts[p].revision {
		return false
	}
	r.SeePart(p, revision, x, now)
	return true
}

// SeePart notes the key of a partition. An owner who has no key of its own is watched from now on:
// its key was lost. A register that names an earlier epoch than before has lost its tail: the later
// owner remains the owner.
func (r *Roster) SeePart(p int, revision uint64, x Part, now Instant) {
	h := &r.parts[p]
	h.revision, h.behind = revision, x.Epoch < h.Epoch
	if h.behind {
		x = h.Part
	}
	h.Part = x
	if x.Node != "" && r.nodes[x.Node] == nil {
		r.nodes[x.Node] = &member{Node{Incarnation: x.Incarnation}, 0, now}
	}
	r.name(now)
}

// name finds out who should own each partition.
func (r *Roster) name(now Instant) {
	for p := range r.parts {
		if h, name := &r.parts[p], r.Named(p); h.named != name {
			h.named, h.since = name, now
		}
	}
}

// Named returns the node that should own a partition: of those that are not gone and can serve it,
// that with the largest hash of its name and the partition. "" is nobody. When a node comes or
// goes, only its own partitions change hands.
func (r *Roster) Named(p int) (best string) {
	most := uint64(0)
	for name, m := range r.nodes {
		if m.Gone || slices.Contains(m.Without, p) {
			continue
		}
		h := xxh3.HashStringSeed(name, uint64(p))
		if best == "" || h > most || h == most && name < best {
			best, most = name, h
		}
	}
	return best
}

// A Death is a node to be buried: its key is to be marked if it has this revision, which is 0 if
// there is no key.
type Death struct {
	Name        string
	Revision    uint64
	Incarnation uint64
}

// Deaths returns the nodes whose keys have not changed for longer than any lease lasts, in the
// order of their names.
func (r *Roster) Deaths(now Instant) (list []Death) {
	for name, m := range r.nodes {
		if name != r.self && !m.Gone && now.surest(m.since) > TTL+Margin {
			list = append(list, Death{name, m.revision, m.Incarnation})
		}
	}
	slices.SortFunc(list, func(a, b Death) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// free reports whether a partition has no owner: none was named, or its incarnation is over.
func (r *Roster) free(x *Part) bool {
	m := r.nodes[x.Node]
	return x.Node == "" || m != nil && (m.Incarnation > x.Incarnation || m.Gone && m.Incarnation == x.Incarnation)
}

// Forgotten returns the partitions that an incarnation of this node owns although the register
// names an earlier owner, each with the revision of its key.
func (r *Roster) Forgotten(incarnation uint64) map[int]uint64 {
	var list map[int]uint64
	for p := range r.parts {
		if h := &r.parts[p]; h.behind && h.owned(r.self, incarnation) {
			if list == nil {
				list = map[int]uint64{}
			}
			list[p] = h.revision
		}
	}
	return list
}

// Claims returns the partitions that an incarnation of this node is to take: those that are free
// and that it should own, and those that it owns.
func (r *Roster) Claims(incarnation uint64) (list []int) {
	me := r.nodes[r.self]
	if me == nil || me.Gone || me.Incarnation != incarnation {
		return nil // others do not know of it yet
	}
	for p := range r.parts {
		h := &r.parts[p]
		if h.owned(r.self, incarnation) || h.named == r.self && r.free(&h.Part) {
			list = append(list, p)
		}
	}
	return list
}

func (h *holding) owned(node string, incarnation uint64) bool {
	return h.Node == node && h.Incarnation == incarnation
}

// Owned reports whether a partition belongs to a node that is alive, other than this one.
func (r *Roster) Owned(p int) bool {
	x := &r.parts[p].Part
	return x.Node != r.self && !r.free(x)
}

// Give returns a partition of this node for which another one was named long enough ago, -1 if
// there is none.
func (r *Roster) Give(incarnation uint64, now Instant) int {
	for p := range r.parts {
		h := &r.parts[p]
		if h.owned(r.self, incarnation) && h.named != r.self && h.named != "" && now.surest(h.since) >= Patience {
			return p
		}
	}
	return -1
}
