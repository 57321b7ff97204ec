package exchange

// A Purse divides a number of pages that a crawl may fetch in all among its partitions. The
// coordinator has it, which is partition 0. It is a fold of records: what partitions tell is in
// messages (event.Wanted), and every grant is a record (event.Granted). What a partition holds are the pages that it was granted and has
// not given back, those that it has fetched among them. So the sum of what is held is never below what
// was fetched, whoever crashes when.
type Purse struct {
	Held    []int64  // by partition
	Limits  []int64  // by partition: the number of pages in all, as it last said; 0: it has said nothing
	Tickets []uint64 // by partition: when it began to wait for a grant; 0: it does not
	Last    uint64   // ticket
}

// NewPurse returns the purse of so many partitions.
func NewPurse(partitions int) *Purse {
	return &Purse{Held: make([]int64, partitions), Limits: make([]int64, partitions), Tickets: make([]uint64, partitions)}
}

// Tell notes that a partition gives pages back, less than 0 if it has fetched more than it was
// granted, which limit it knows, and whether it asks for more.
func (p *Purse) Tell(part int, back, limit int64, more bool) {
	p.Held[part] -= back
	p.Limits[part] = limit
	switch {
	case !more:
		p.Tickets[part] = 0
	case p.Tickets[part] == 0:
		p.Last++
		p.Tickets[part] = p.Last
	}
}

// Next returns the grant that is due: to the partition that has waited longest, a part of what is
// left, so that others get some, too, and at least 1. It returns 0 pages if none is due. Before all
// partitions have said what they hold of this limit, none is.
func (p *Purse) Next(limit int64) (part int, pages int64) {
	left, part := limit, -1
	for i, t := range p.Tickets {
		if p.Limits[i] != limit {
			return 0, 0
		}
		if left -= p.Held[i]; t > 0 && (part < 0 || t < p.Tickets[part]) {
			part = i
		}
	}
	if part < 0 || left <= 0 {
		return 0, 0
	}
	return part, min(left, max(1, left/int64(2*len(p.Held))))
}

// Grant notes a grant: that which Next returned, or which a record has.
func (p *Purse) Grant(part int, pages int64) {
	p.Held[part] += pages
	p.Tickets[part] = 0
}
