// Package crawl is the real driver of the frontier: it fetches pages of the Web in the
// order of a policy, and loses nothing.
//
// # One loop
//
// A single goroutine owns all that the crawl knows: the table of seen URLs, the frontier
// with its policy, the open group of the journal. Around it work
//
//	harvesters   many      resolve, fetch, parse, hash, compress: harvest.go
//	committer    one       writes groups of records to disk: commit.go
//
// and talk to it through channels. The loop (loop.go) takes the tasks that have ended, in
// the order of (end, site, page), applies each, hands out the next tasks (handout.go) and
// gives a group to the committer. It never waits for a server, nor for a disk to sync: what
// it writes itself, URLs and the status, goes to the memory of the system.
//
// The loop has parts, each with fields and methods of its own:
//
//	inbox       what harvesters and the committer have finished
//	crew        the harvesters, and what they are doing
//	recorder    the open group of records, and its commit
//	outcomes    what the result of a task means
//	admission   which known pages are fetched: seeds, second chances, the deny list
//	limits      when a run ends, and why; memory.go has the ceiling of memory
//	weather     whether the crawler itself is cut off, and whether a portal answers for all
//	meter       rate, status and reports
//
// They share a session, which continues what open (open.go) has recovered.
//
// In the words of WIRE: the seeder is [state.State.Discover] with the table of seen URLs,
// the manager is the policy behind the frontier, the harvester fetches, the gatherer
// (package gather, in the same goroutine as the fetch) parses.
//
// # State is a fold
//
// The state (package state) results from the records of the journal, applied in order to an
// empty one. The recorder applies the records that it writes, and recovery replays them; a
// snapshot (package checkpoint) only saves time. What decides anything is in the journal as a
// decision: which pages a page made known, under which ids, which of them are refused and
// why, the rules of robots.txt, where the answer is in the archive.
//
// # What survives
//
// A group of records is committed when first the bytes of the archive and then the records
// are on disk. What was not committed did not happen: after a crash those requests are made
// again, once. Politeness does not rely on luck: after a restart every site waits its full
// delay, since the last request may have left no record.
package crawl
