package event

// A Reading is what a fetched page has to do with the topic of the crawl: which of the terms
// of the topic it has, and which stand at its links. It is empty if the crawl has no topic.
type Reading struct {
	Words   uint32  // of the page; 0 if it was not read
	Norm    float32 // length of the vector of all its words: see package topic
	Matches []Match // the terms that it has, in ascending order
	Hits    []Hit   // the links at which terms stand, in ascending order
}

// A Match counts a term of the topic in a page. There is room for 65,535 occurrences of each
// kind; more count as so many.
type Match struct {
	Term  uint8  // its place in the topic
	Title uint16 // occurrences in the title
	Body  uint16 // occurrences in the rest of the text
}

// A Hit describes a link at which terms of the topic stand. Terms are bits by their places.
type Hit struct {
	Link   uint32 // its place in Event.Links
	Anchor uint64 // in the text of the link
	Around uint64 // in the words before and after it
}

// Set copies a reading.
func (r *Reading) Set(from *Reading) {
	*r = Reading{Words: from.Words, Norm: from.Norm, Matches: append(r.Matches[:0], from.Matches...), Hits: append(r.Hits[:0], from.Hits...)}
}

// Reset makes the reading empty and keeps its buffers.
func (r *Reading) Reset() { *r = Reading{Matches: r.Matches[:0], Hits: r.Hits[:0]} }
