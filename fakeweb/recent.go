package fakeweb

import "github.com/winnow-crawler/winnow/graph"

// recent holds the slots of the last pages of one directory, because that is where
// most slots are copied from. It only saves work: a slot is a function of the seed.
type recent struct {
	menu uint64 // the directory
	page [8]graph.Page
	slot [8][]graph.Page // slots 0, 1, ... as far as they were needed
}

// start makes room for the slots of page p.
func (r *recent) start(menu uint64, p graph.Page) {
	if r.menu != menu {
		r.menu = menu
		for k := range r.page {
			r.page[k] = graph.NoPage
		}
	}
	r.page[p%8], r.slot[p%8] = p, r.slot[p%8][:0]
}

func (r *recent) keep(p, to graph.Page) { r.slot[p%8] = append(r.slot[p%8], to) }

// find returns slot i of page p, if it is there.
func (r *recent) find(p graph.Page, i uint32) (graph.Page, bool) {
	if r.page[p%8] != p || i >= uint32(len(r.slot[p%8])) {
		return 0, false
	}
	return r.slot[p%8][i], true
}
