// Package archive keeps what a crawl fetched in the form that web archives share: WARC 1.1
// files (ISO 28500) of one gzip member a record, each with a CDXJ index. Other tools open
// them without knowing this crawler, and this package reads theirs.
//
// # Two sides of a write
//
// The costly part of a record is hashing and compressing it, the delicate one is its place.
// So they are apart. A fetcher has the whole exchange in memory when it ends and turns it
// into finished bytes by Build, in parallel with all other fetchers. The loop of the crawl
// calls Append, which only adds a length to an offset: the place is known for the journal
// before the bytes are on disk. The committer writes a group of them, and then the journal
// group that refers to them:
//
//	fetchers     Builder.Build          exchange -> bytes           many at once
//	loop         Writer.Append, Take    bytes -> place, a group     no input or output
//	committer    Writer.Write, Sync     group -> disk               one group at a time
//
// # What survives a crash
//
// The journal names the last committed place: a file number and a size. Open brings the
// directory to exactly this state after any crash: the group that was being written is cut
// off. A file without the suffix .open is whole and never changes: only a file that a crash
// left open is continued, and a crawl that ended in order begins the next. What lies beyond
// the journal and is more than one group is not the trace of a crash: the journal has lost
// its end, and the bytes are set aside as NAME.beyond-1. Files that were moved away are not
// needed. Each step may be repeated, so a crash during recovery is a crash before it. An
// error of a write or of a sync leaves the state of the descriptor unknown, so the writer
// is dead after the first one. Open at the last committed place makes a new one.
//
// # What a record holds
//
// A response is its status line and header as the server sent them over HTTP/1, and the body
// without transfer coding but with its content coding: the bytes that the server meant by its
// Content-Encoding and Content-Length. HTTP/2 has no such bytes, and through a proxy with TLS the
// client does not see them: then the fields are in alphabetical order, with capitals where Go puts
// them; earlier versions stored all responses in that form. The payload digest is of the
// bytes of the body. A Transfer-Encoding that no longer applies is kept under another name. The
// response comes first of the records of an exchange: the place of the exchange is the
// place of its response, and Records.Main its length.
//
// Nothing that a server sends can begin a line of its own in a record header: targets
// are checked, values lose their control characters.
package archive
