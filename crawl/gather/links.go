package gather

import (
	"github.com/winnow-crawler/winnow/event"
)

// Link is what the owner needs to know of a link before its URL: most links are to pages
// that are known.
type Link struct {
	SiteHash uint64    // URLKey.Site of its site
	Hash     uint64    // URLKey.Page of site and rest: the identity of the page
	Local    bool      // on the site of the page it stands on
	Bar      event.Bar // why it is not to be followed; event.NoBar: it may be
}

// Links is a list of links in two pieces of memory, whatever their number.
type Links struct {
	items []item
	bytes []byte // normal forms, one after the other
}

// item is one link: its URL is bytes[start:end], the site bytes[start:mid].
type item struct {
	Link
	start, mid, end uint32
}

// itemSize is the memory of an item, in bytes.
const itemSize = 40

// Len is the number of links.
func (l *Links) Len() int { return len(l.items) }

// At is link i.
func (l *Links) At(i int) Link { return l.items[i].Link }

// Site is the site of link i: scheme, host and port.
func (l *Links) Site(i int) []byte { return l.bytes[l.items[i].start:l.items[i].mid] }

// Rest is path and query of link i.
func (l *Links) Rest(i int) []byte { return l.bytes[l.items[i].mid:l.items[i].end] }

// URL is the normal form of link i: site and rest.
func (l *Links) URL(i int) []byte { return l.bytes[l.items[i].start:l.items[i].end] }

func (l *Links) reset() {
	l.items, l.bytes = l.items[:0], l.bytes[:0]
	if cap(l.bytes) > maxFound || cap(l.items) > maxFound/itemSize {
		*l = Links{}
	}
}

// set finds the links of a list by hash: open addressing over their indices. The hashes
// are keyed, so that no page can be written that makes it slow.
type set struct {
	slots []uint32 // index + 1; 0 is free
}

// reset makes the set empty, with room for n links.
func (s *set) reset(n int) {
	size := 64
	for size < 2*n {
		size *= 2
	}
	if size > cap(s.slots) {
		s.slots = make([]uint32, size)
		return
	}
	s.slots = s.slots[:size]
	clear(s.slots)
}

// find gives the index of the link with a hash; where there is none it gives -1, and with
// add it notes that the next link of the list has it.
func (s *set) find(l *Links, hash uint64, add bool) int {
	if 2*len(l.items) >= len(s.slots) {
		s.grow(l)
	}
	mask := uint64(len(s.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		switch at := s.slots[i]; {
		case at == 0:
			if add {
				s.slots[i] = uint32(len(l.items) + 1)
			}
			return -1
		case l.items[at-1].Hash == hash:
			return int(at - 1)
		}
	}
}

func (s *set) grow(l *Links) {
	s.reset(2 * len(s.slots))
	mask := uint64(len(s.slots) - 1)
	for n := range l.items {
		i := l.items[n].Hash & mask
		for s.slots[i] != 0 {
			i = (i + 1) & mask
		}
		s.slots[i] = uint32(n + 1)
	}
}
