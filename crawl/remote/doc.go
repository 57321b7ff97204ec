// Package remote keeps finished WARC files of a crawl in an object store, and not on the disk of
// the crawl.
//
// An Uploader sends each finished file with its index to the store, compares what the store then
// reports with the file, writes a Record beside the index, and removes the file. In this order:
//
//	sums of the local file
//	is the object there already, with these sums?     an earlier run was killed here
//	upload; each part has a checksum that the store checks
//	size and checksum as the store reports them, or the bytes read back
//	the record, synced
//	size and checksum once more, and the local file is removed
//
// Every step may be repeated, so a crash at any instant loses nothing. The index stays where it is.
//
// Dir lets readers open a file that is not there any more: it reads ranges of the object that the
// record names.
//
// The package knows no protocol. Package crawl/remote/s3 has the store.
package remote
