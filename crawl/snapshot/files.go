// Package snapshot writes, finds and checks the files of snapshots. What they contain is up to
// crawl/state.
package snapshot

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/zeebo/xxh3"
)

// A snapshot has the Suffix at the end of its name, and the name Temp until it is whole. The last
// ones are kept.
const (
	Suffix = ".wsnap"
	Temp   = "snapshot.tmp"
	kept   = 2
)

// Write writes what save writes into the directory, under the number of the next
// record, and removes all but the last snapshots. It removes a file that it could not
// finish: the disk may be full.
func Write(dir disk.Dir, next uint64, save func(io.Writer) error) error {
	err := disk.Replace(dir, Name(next), Temp, true, func(f disk.File) error { return writeSummed(f, save) })
	if err != nil {
		_ = dir.Remove(Temp) // if this fails, too, the next start does it
		return err
	}
	return prune(dir)
}

// Name returns the name of the snapshot before a record.
func Name(next uint64) string { return fmt.Sprintf("%016x%s", next, Suffix) }

// writeSummed writes what save writes, and its checksum.
func writeSummed(f disk.File, save func(io.Writer) error) error {
	sum := xxh3.New()
	w := bufio.NewWriterSize(io.NewOffsetWriter(f, 0), 1<<20)
	if err := save(io.MultiWriter(w, sum)); err != nil {
		return err
	}
	if err := binary.Write(w, binary.LittleEndian, sum.Sum64()); err != nil {
		return err
	}
	return w.Flush()
}

// List returns the names of the snapshots in a directory, the newest first.
func List(dir disk.Dir) (names []string, err error) {
	list, err := dir.List()
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if strings.HasSuffix(e.Name, Suffix) {
			names = append(names, e.Name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(b, a) })
	return names, nil
}

// DropAhead removes a snapshot that was not finished, and those that are ahead of the
// journal, because of a crash before their last records were safe. The numbers of those
// records go to others now, after which such a snapshot would seem to fit.
func DropAhead(dir disk.Dir, last uint64) error {
	if err := dir.Remove(Temp); err != nil {
		return err
	}
	names, err := List(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name <= Name(last) {
			break
		}
		if err := dir.Remove(name); err != nil {
			return err
		}
	}
	return dir.Sync() // also for a run that removed one and was killed before this line
}

// prune removes old snapshots.
func prune(dir disk.Dir) error {
	names, err := List(dir)
	if err != nil || len(names) <= kept {
		return err
	}
	for _, name := range names[kept:] {
		if err := dir.Remove(name); err != nil {
			return err
		}
	}
	return nil
}

// Open checks the checksum of a snapshot and returns a reader of all before it.
func Open(dir disk.Dir, name string) (r io.Reader, close func() error, err error) {
	f, err := dir.Open(name, disk.Read)
	if err != nil {
		return nil, nil, err
	}
	n, err := f.Size()
	if err == nil {
		err = checkSum(f, n)
	}
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("snapshot %s: %w", name, err)
	}
	return bufio.NewReaderSize(io.NewSectionReader(f, 0, n-8), 1<<20), f.Close, nil
}

// checkSum compares the checksum at the end of a snapshot of n bytes with the bytes before.
func checkSum(f disk.File, n int64) error {
	if n < 24 {
		return fmt.Errorf("%d bytes are no snapshot", n)
	}
	sum := xxh3.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, n-8)); err != nil {
		return err
	}
	var b [8]byte
	if _, err := f.ReadAt(b[:], n-8); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if binary.LittleEndian.Uint64(b[:]) != sum.Sum64() {
		return errors.New("the checksum differs")
	}
	return nil
}
