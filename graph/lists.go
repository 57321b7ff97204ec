package graph

// Lists holds one direction of the links raw, four bytes a link. It is the fastest form to
// sweep over and to read at random.
//
// List p is To[Off[p]:Off[p+1]], strictly ascending. Off has one element more
// than there are pages.
type Lists struct {
	Off *Column[uint64]
	To  *Column[Page]
}

// NewLists returns room for the lists of pages pages with links links in all; Off
// is zero throughout and To has its full length.
func NewLists(pages int, links int64) *Lists {
	l := &Lists{
		Off: NewColumn[uint64]("offsets", pages+1),
		To:  NewColumn[Page]("links", int(links)),
	}
	l.Off.Grow(pages + 1)
	l.To.Grow(int(links))
	return l
}

// ListsOf returns lists that hold the given links, those of each page strictly ascending.
func ListsOf(links [][]Page) *Lists {
	n := 0
	for _, list := range links {
		n += len(list)
	}
	l := NewLists(len(links), int64(n))
	off, to := l.Off.Slice(), l.To.Slice()
	for p, list := range links {
		off[p+1] = off[p] + uint64(copy(to[off[p]:], list))
	}
	return l
}

// Pages returns the number of lists.
func (l *Lists) Pages() int { return l.Off.Len() - 1 }

// Links returns the number of links in all lists.
func (l *Lists) Links() int64 { return int64(l.To.Len()) }

// List returns the list of page p. It must not be changed.
func (l *Lists) List(p Page) []Page {
	off := l.Off.Slice()
	return l.To.Slice()[off[p]:off[p+1]:off[p+1]]
}

// Degree returns the length of the list of p.
func (l *Lists) Degree(p Page) int {
	off := l.Off.Slice()
	return int(off[p+1] - off[p])
}

// Free releases the memory.
func (l *Lists) Free() {
	l.Off.Free()
	l.To.Free()
}
