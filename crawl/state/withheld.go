package state

import (
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// Withheld returns what the author of a fetched page asks for, if its answer was not stored
// for that reason; otherwise 0. Something is stored even then: that it was withheld.
func Withheld(f *journal.Facts) robots.Tags {
	if len(f.Payload) > 0 || f.Place.Length == 0 {
		return 0
	}
	return robots.Tags(f.Tags) & (robots.NoIndex | robots.NoArchive)
}

// noteWithheld records whether the last answer of a page was withheld. One that says that
// nothing changed leaves what was.
func (s *State) noteWithheld(p graph.Page, f *journal.Facts) {
	is, was := Withheld(f) != 0, s.IsWithheld(p)
	if is == was || !is && f.Status == journal.NotModified {
		return
	}
	s.withheld.Grow(int(p/64) + 1)
	s.withheld.Slice()[p/64] ^= 1 << (p % 64)
	if is {
		s.Withheld++
	} else {
		s.Withheld--
	}
}

// IsWithheld reports whether p was fetched and is not in the archive, because its author
// wants no copy.
func (s *State) IsWithheld(p graph.Page) bool {
	return int(p/64) < s.withheld.Len() && s.withheld.At(int(p/64))>>(p%64)&1 != 0
}
