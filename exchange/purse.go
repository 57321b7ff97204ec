package exchange

// A Purse holds the number of pages that a crawl may still fetch, of which partitions get some at a
// time. The coordinator has it, and makes every grant and return a record.
type Purse struct {
	left int64
	out  []int64 // by partition: granted and not returned
}

// NewPurse returns a purse of so many pages for so many partitions.
func NewPurse(pages int64, partitions int) *Purse {
	return &Purse{pages, make([]int64, partitions)}
}

// Left returns the number of pages that no partition has.
func (p *Purse) Left() int64 { return p.left }

// Offer returns how many pages a partition gets when it asks: a part of what is left, so that others
// get some, too; at least 1, and 0 when nothing is left.
func (p *Purse) Offer() int64 {
	return min(p.left, max(1, p.left/int64(2*len(p.out))))
}

// Grant gives pages to a partition: those that Offer returned, or that a record has.
func (p *Purse) Grant(part int, pages int64) {
	p.left -= pages
	p.out[part] += pages
}

// Return takes back pages that a partition did not use.
func (p *Purse) Return(part int, pages int64) {
	p.left += pages
	p.out[part] -= pages
}

// Granted returns how many pages a partition has got and not returned.
func (p *Purse) Granted(part int) int64 { return p.out[part] }
