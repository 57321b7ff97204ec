package graph

// Page is the dense id of one page: one normalised URL, numbered from 0 in the
// order in which it became known. Everything kept per page is a column indexed
// by it.
type Page uint32

// Site is the dense id of one site: scheme, host and port.
type Site uint32

// NoPage and NoSite are the ids that no page and no site has.
const (
	NoPage = Page(1<<32 - 1)
	NoSite = Site(1<<32 - 1)
)

// MaxPages is the largest number of pages in one graph (or one partition of a
// crawl): every id below NoPage. A graph file ends earlier, at bv.MaxLists.
const MaxPages = 1<<32 - 1
