package event

import "slices"

// An Anchor describes a link as it stands in its page.
type Anchor struct {
	Words  Words
	Region Region
}

// HasAnchors reports whether anything is known of the anchors of the links.
func (e *Event) HasAnchors() bool {
	return slices.ContainsFunc(e.Anchors, func(a Anchor) bool { return a != Anchor{} })
}

// Words are hashes of the first words of a link, distinct and in their order. From the
// first 0 on there are no more.
type Words [4]uint16

// Add adds a word unless it is there, is 0, or there is no room. It reports whether there is
// room for more.
func (w *Words) Add(word uint16) bool {
	i := w.Len()
	if word != 0 && i < len(w) && !slices.Contains(w[:i], word) {
		w[i] = word
		i++
	}
	return i < len(w)
}

// Join adds the words of another link to the same page while there is room.
func (w *Words) Join(more Words) {
	if w[0] == 0 {
		*w = more
		return
	}
	for _, word := range more {
		w.Add(word)
	}
}

// Len returns the number of words.
func (w *Words) Len() int {
	n := 0
	for n < len(w) && w[n] != 0 {
		n++
	}
	return n
}

// A Region is a part of a page in which a link stands. Of a link that a page has in several
// regions the largest counts. Journals contain the numbers, and there is room for these four.
type Region uint8

// The regions.
const (
	Elsewhere  Region = iota // not in the body: redirects, link elements, headers; or not known
	Footer                   // of the page: imprint, copyright
	Navigation               // menus, headers and side bars
	Content
	regions
)

// LastRegion is the region with the highest number.
const LastRegion = regions - 1

var regionNames = [regions]string{"other", "footer", "navigation", "content"}

func (r Region) String() string { return regionNames[r] }
