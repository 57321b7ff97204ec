// Package history reads the directory of a crawl, while it runs or afterwards. [Open] is the
// one way in: a [Crawl] has sessions, a status, pages, visits, timings and the link graph.
// [Verify] checks a crawl against the rules of politeness, and its parts against each other.
// [WARCFeed] reads the link graph from WARC files.
//
// The package changes nothing in the directory.
package history
