// Package exchange has what the partitions of a crawl need to talk to each other: messages as bytes,
// the windows in which they are sent, when to send them, when a crawl is at its end, and how a
// number of pages is divided. It is passive: it has no clock, no input or output and no goroutine.
//
// # Messages
//
// A Message goes from one partition to another and has a number, contiguous for each pair. Making
// it is a record of the sender (event.Sent), applying it one of the receiver (event.Linked), and
// both are folds of their journals. So a message has its effect exactly once, however often and in
// whatever order it arrives:
//
//	sender                                     receiver
//	Put: the message is made      ---bytes-->  Receive: Apply if it is the next one,
//	Release: its record is on disk               Again if it was applied before, Ahead if others
//	Due: it leaves, and again after a while      are missing
//	Acked: it is forgotten        <--number--  Settle: the record of its application is on disk
//
// At most Window messages of a pair are not acknowledged. What is to be told meanwhile lies in the
// frontier, and takes no more memory the longer it waits.
//
// # The end
//
// A crawl is at its end when all partitions are idle and no message is under way: when as many were
// applied as were made, in two rounds one after the other with the same counters (Mattern 1987).
package exchange
