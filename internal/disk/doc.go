// Package disk is a directory of files as the parts of a crawl that must survive see it:
// the journal, the archive, the snapshots. It has few operations, because each of them
// is a place where the power may go: OS is the real one, and Memory is one that can lose
// whatever was not synced, fail at any operation, and run out of room.
//
// # What lasts
//
// Bytes last once the file was synced, names once the directory was: a new file needs
// both. Until then a power loss may keep any part of them, in any order; kill -9 keeps
// everything that was written. A file whose sync failed is not to be trusted again: the
// kernel may have dropped what it could not write and answer the next sync with success.
package disk

import (
	"io"
)

// How is the mode in which a file is opened.
type How uint8

const (
	Create How = iota // to read and write; it must not exist
	Change            // to read and write; it must exist
	Read              // to read; it must exist
)

// Dir is one directory. Names are base names.
type Dir interface {
	Open(name string, how How) (File, error)
	// List gives all regular files of the directory, in the order of their names.
	List() ([]Entry, error)
	// Rename replaces what has the new name.
	Rename(from, to string) error
	// Remove of a file that is not there is no error: recovery repeats its steps.
	Remove(name string) error
	// Sync makes creations, renames and removals last.
	Sync() error
}

// File is one open file. ReadAt may run beside everything else.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	// Sync makes the bytes and the size last, not the name.
	Sync() error
	Size() (int64, error)
}

// Entry is one file of a directory.
type Entry struct {
	Name string
	Size int64
}
