// Package journal keeps the events of a crawl, in the order in which they were applied to the
// frontier.
//
// # State is a fold of the journal
//
// A frontier changes by events alone. So the events, applied in order to an empty
// frontier, give the same one: after a crash, on another machine, with a policy that
// did not exist when the crawl was made. There is nothing else to keep; a snapshot of
// the state only saves time. Log is a journal on disk.
//
// # Decisions, not inputs
//
// A record holds what was decided, not what it was decided from: the page that was handed
// out, not the values that put it first; the ids that new pages got, not the links in the
// form that they have in the page; that a page is a duplicate, not its digest alone. Replay
// forces the decisions, and code that would decide otherwise today changes nothing about
// the past: the frontier counts such differences. What the frontier does not need
// accompanies the event as Facts: names, places in the archive, digests, addresses.
//
// # Records
//
//	length   4 bytes, little-endian: of kind to end
//	sum      4 bytes, little-endian: CRC-32C of the length and of all that follows
//	kind     1 byte: of the event, whether it has bars, admits pages or has anchors, whether there are facts
//	number   of the record, from 0 on
//	now      of the crawl when the event was applied, in nanoseconds
//	         what events of this kind have; bars, admitted pages and anchors; facts
//
// Numbers are varints of seven bits a byte, signed ones in zigzag; each has one
// encoding, the shortest, and so has every record. Ids are absolute in every record,
// the id of the first page that it makes known among them: a record that is lost
// leaves a hole, not a shift. Inside a record, lists are written as differences. Facts
// begin with a mask of those that are there: a record without them has no byte for
// them.
//
// A list is never longer than the bytes that are left in its record, and a name shares
// at most 255 bytes with the one before, so a damaged or malicious record cannot make
// the reader allocate more than a small multiple of its size.
//
// # Groups and files
//
// Records last in groups: all of a group or none. A group is one write, its head is the
// commit, and it counts when its sum is right. The head precedes the records
// although they commit at the same moment: with the commit behind them, a damaged length
// would hide it, and the next group with it.
//
// A journal ends with its last whole group. A crash may leave bytes after it: Open cuts
// them off, and a Reader does not see them. Damage before it is skipped, one record at a
// time where possible, and reported. There is no way to know whether the last group
// was never written or was damaged later; so it is cut like one that was never written,
// and the archive with it.
//
// Files end at about 256 MiB, between groups. A new one is used when its header and its
// name last. After a failed write or sync nothing is tried again on that descriptor: the
// log is dead, and the next Open recovers what is there.
package journal
