// Package crawl is the real driver of the frontier: it fetches pages of the Web in the
// order that a policy gives, and loses nothing.
//
// # One owner
//
// A single goroutine owns all that is known: the table of seen URLs, the frontier with
// its policy, the open group of the journal. Around it work
//
//	harvesters   many      resolve, fetch, parse, hash, compress: harvest.go
//	committer    one       writes groups of records to disk: commit.go
//
// and talk to it through channels. The owner (owner.go) drains what has come, in the
// order of (end, site, page), applies each, hands out the next works and hands a group
// to the committer. It never waits for a server, nor for a disk to make anything last:
// what it writes itself, URLs and the status, goes to the memory of the system.
//
// In the words of WIRE: the seeder is [state.learn] with the table of seen URLs, the
// manager is the policy behind the frontier, the harvester fetches, the gatherer
// (package gather, in the same goroutine as the fetch) parses.
//
// # State is a fold
//
// state.go is what the records of the journal, applied in order, make of nothing. The
// owner applies the same records that it writes, so recovery (open.go) is replaying
// them; a snapshot (snapshot.go) only saves time. What decides anything is in the
// journal as a decision: which pages a page made known, under which ids, which of them
// are barred and why, what robots.txt says, where the answer stands in the archive.
//
// # What survives
//
// A group of records is committed when the bytes of the archive and then the records
// are on disk. Whatever was not committed did not happen: after a crash those requests
// are made again, once. The politeness clocks do not believe in luck: after a restart
// every site waits its full delay, since the last request may have left no record.
package crawl
