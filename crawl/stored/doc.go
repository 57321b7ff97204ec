// Package stored reads the copies of pages that a crawl has stored, while it runs or
// afterwards: one page at a point in time ([Archive.Find]), or all of them in the order of the
// index ([Archive.Each]).
//
// # How a copy is found
//
// Every finished WARC file has a sorted index beside it, in which a copy is found by a binary
// search. A file that has none yet, such as the one that a crawl is writing, has lines that the
// crawl gathers; what these lack is read from the end of the WARC file and remembered. Nothing
// is shown that the journal has not committed.
//
// A revisit record has no body: the copy has that of the response to which it refers, in any
// file of the archive.
//
// The package changes nothing in the directory. An [Archive] holds no files open and may be
// used by several goroutines.
package stored
