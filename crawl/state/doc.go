// Package state holds what a crawl knows, as a fold of its journal: the URL table, the
// frontier, sites with their rules and addresses, contents that were seen, mirrors, traps,
// and what failed.
//
// The same setup and the same records give the same [State]. A running crawl applies each
// record as it writes it; a restart, verify and the readers of a finished crawl replay them.
// A snapshot is a state on disk: [Restore] reads the newest one that fits and replays the
// rest of the journal.
//
// The package is passive: it has no clock, starts no goroutine and decides nothing by
// chance.
package state
