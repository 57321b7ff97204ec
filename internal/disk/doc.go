// Package disk provides a directory of files for the parts of a crawl that must survive:
// the journal, the archive, the snapshots. It has few operations, because the power may
// fail at each of them. OS is a real directory. Memory is one that can lose everything that
// was not synced, fail at any operation, and run out of room.
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
	// List returns all regular files of the directory, in the order of their names.
	List() ([]Entry, error)
	// Rename replaces what has the new name.
	Rename(from, to string) error
	// Remove removes a file. A missing file is no error: recovery repeats its steps.
	Remove(name string) error
	// Sync makes creations, renames and removals last.
	Sync() error
}

// A File is one open file. ReadAt may run at the same time as everything else.
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
