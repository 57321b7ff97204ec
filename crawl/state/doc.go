// Package state holds what a crawl knows, as a fold of its journal.
//
// A [State] is made of parts, each with a file or, where one is named, a package of its own:
//
//	naming      package: the URL table: pages and sites by URL, URLs by page
//	marks       links to each page; which pages are seeds and which were fetched
//	discovery   numbers the pages that a record makes known, both seeds and links
//	limits      pages of each site and domain, and whether there may be more
//	robotsFiles rules of sites; where and when to request a robots.txt again
//	sitemaps    sitemap files that are to be fetched
//	number      package: numbers of IP addresses and of rules
//	content     package: which page had a text first; names that may be pages or not
//	duplicates  pages that repeat others
//	mirrors     sites that are nearly the same
//	traps       connects the records with the guard of package trap
//	visit       package: where the journal has the last visit of a page: its validators, its payload
//	kept        pages that are kept, and where they are, if only some are
//	weather     failures, and when to try again
//	portal      a captive portal that answers in the place of all sites
//
// The frontier is a part, too. The same setup and the same records give the same State. A
// running crawl applies each record as it writes it. A restart, verify and the readers of a
// finished crawl replay them. A snapshot is a state on disk: [Restore] reads the newest one
// that fits and replays the rest of the journal.
//
// The package is passive: it has no clock, starts no goroutine and decides nothing by
// chance.
package state
