package event

// An Exchange is what the events Sent and Linked have, and Wanted and Granted. A crawl that is cut into partitions has an
// owner for each, and these tell each other about the pages to which they have found links, by
// numbered messages.
type Exchange struct {
	Part    uint16 // the other partition: to which the message is Sent, from which it was Linked
	Message uint64 // its number among those of the pair, from 1 on
	// Acked is the number of the last message to Part that is known to be applied there (Sent).
	// Those up to it need not be made again.
	Acked uint64
	Most  uint32 // Sent: the message is about at most that many pages
	Pages int64  // Wanted: given back; less than 0 if more were fetched than granted. Granted: may be fetched
	Limit int64  // Wanted: of the pages of all partitions
	// Gifts has what the message says about each page of Links (Linked).
	Gifts []Gift
	// Amounts are what the policies of the two partitions hand on, the same number for each page
	// of Links (Linked); empty if they hand on nothing.
	Amounts []float64
	// Lessons are what the policy of Part lets others learn from (Linked).
	Lessons []float32
}

// A Gift is what one partition tells another about one of its pages.
type Gift struct {
	Links uint32 // links to it from fetched pages, since the last message
	Depth uint16 // least number of links from a seed
	Near  bool   // only near duplicates and pages in traps link to it: see Event.Near
}
