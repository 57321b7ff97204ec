// Package journal keeps the events of a crawl, in the order in which the owner of the
// frontier applied them.
//
// # State is a fold of the journal
//
// A frontier changes by events alone. So the events, applied in order to an empty
// frontier, give the same one: after a crash, on another machine, with a policy that
// did not exist when the crawl was made. There is nothing else to keep; a snapshot of
// the state only saves time.
//
// # Decisions, not inputs
//
// A record holds what was decided, not what it was decided from: the page that was
// handed out, not the values that put it first; the ids that new pages got, not the
// links in the form in which they stood in the page; that a page is a duplicate, not
// its digest alone. Replay forces the decisions, and code that would decide otherwise
// today changes nothing about the past: the frontier counts such differences.
//
// # Records
//
//	length   4 bytes, little-endian: of sequence number to end
//	sum      4 bytes, little-endian: CRC-32C of the length and of all that follows
//	number   of the record, from 0 on
//	now      of the crawl when the event was applied, in nanoseconds
//	kind     1 byte
//	         and what events of this kind have
//
// Numbers are varints of seven bits a byte, signed ones in zigzag; each has one
// encoding, the shortest, and so has every record. Ids are absolute in every record,
// the id of the first page that it makes known among them: a record that is lost
// leaves a hole, not a shift. Inside a record, lists are written as differences.
//
// A list is never longer than the bytes that are left in its record, so a damaged or
// malicious one cannot make the reader allocate more than a small multiple of its
// size.
package journal
