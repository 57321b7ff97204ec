package journal

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// Header is at the beginning of each file of a journal.
type Header struct {
	Crawl      [16]byte // id of the crawl
	Partition  uint32
	Partitions uint32
	First      uint64 // number of the first record of the file
}

// A header on disk:
//
//	magic       4 bytes
//	version     4; magic and version are there in all versions
//	crawl      16
//	partition   4
//	partitions  4
//	first       8
//	segment     4, number in the name of the file
//	sum         4, CRC-32C of the 44 bytes before
const (
	magic      = "WJNL"
	headerSize = 48
)

// suffix ends the names of the files: eight digits and it.
const suffix = ".wj"

func segmentName(number uint32) string { return fmt.Sprintf("%08d%s", number, suffix) }

// parseName returns the number of a file, which must be the only one that is written so.
func parseName(name string) (uint32, bool) {
	digits, ok := strings.CutSuffix(name, suffix)
	n, err := strconv.ParseUint(digits, 10, 32)
	return uint32(n), ok && err == nil && segmentName(uint32(n)) == name
}

func (h *Header) encode(number uint32) []byte {
	le := binary.LittleEndian
	b := le.AppendUint32([]byte(magic), Version)
	b = append(b, h.Crawl[:]...)
	b = le.AppendUint32(b, h.Partition)
	b = le.AppendUint32(b, h.Partitions)
	b = le.AppendUint64(b, h.First)
	b = le.AppendUint32(b, number)
	return le.AppendUint32(b, crc(0, b))
}

func crc(salt uint32, b []byte) uint32 {
	return crc32.Update(salt, crc32.MakeTable(crc32.Castagnoli), b)
}

// salt begins all sums of groups and records of a journal on disk. Without the id of the
// crawl, nobody can write bytes into a title or a URL that pass for a record when the
// reader looks for the next one after damage. Stale blocks of another journal do not pass
// either.
func (h *Header) salt() uint32 {
	b := binary.LittleEndian.AppendUint32(h.Crawl[:], h.Partition)
	s := sha256.Sum256(b)
	return binary.LittleEndian.Uint32(s[:])
}

var (
	// ErrVersion is wrapped where a journal was written by a later program.
	ErrVersion = errors.New("the journal is of a later version")
	// ErrNone is wrapped where a directory holds no journal: none at all, or what a crash
	// left of the first try to begin one.
	ErrNone = errors.New("there is no journal, or none with a header that can be read")

	errHeader = errors.New("the header is damaged")
)

// decodeHeader reads a header of this version or an earlier one. A version number that
// only a damaged byte explains is damage.
func decodeHeader(b []byte) (h Header, number uint32, err error) {
	le := binary.LittleEndian
	if len(b) < headerSize || string(b[:4]) != magic {
		return h, 0, errHeader
	}
	switch v, whole := le.Uint32(b[4:]), wholeAs(b); {
	case v > Version && whole == 0:
		return h, 0, fmt.Errorf("%w: %d, this program reads %d: use a newer one", ErrVersion, v, Version)
	case v != whole:
		return h, 0, errHeader
	}
	copy(h.Crawl[:], b[8:])
	h.Partition, h.Partitions = le.Uint32(b[24:]), le.Uint32(b[28:])
	h.First = le.Uint64(b[32:])
	return h, le.Uint32(b[40:]), nil
}

// wholeAs returns the version that agrees with the sum of a header, 0 if none that this
// program reads does.
func wholeAs(b []byte) uint32 {
	le := binary.LittleEndian
	for v := uint32(Version); v > 0; v-- {
		fixed := le.AppendUint32([]byte(magic), v)
		if crc(0, append(fixed, b[8:headerSize-4]...)) == le.Uint32(b[headerSize-4:]) {
			return v
		}
	}
	return 0
}

// segment is one file of a journal.
type segment struct {
	name   string
	number uint32
	size   int64
	header Header // Crawl, Partition and Partitions are right even where it is damaged
	older  bool   // an earlier version wrote it
	err    error  // errHeader
}

// length returns the number of bytes after the header.
func (s *segment) length() int64 { return max(0, s.size-headerSize) }

// lengths returns the number of bytes of files, without their headers.
func lengths(all []segment) (n int64) {
	for i := range all {
		n += all[i].length()
	}
	return n
}

// segments lists the files of a journal in order. All must be of one crawl; if h has an
// id, of that one.
func segments(dir disk.Dir, h *Header) ([]segment, error) {
	entries, err := dir.List()
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	var all []segment
	known := h.Crawl != [16]byte{}
	for _, e := range entries {
		number, ok := parseName(e.Name)
		if !ok {
			continue
		}
		s := segment{name: e.Name, number: number, size: e.Size}
		if err := s.read(dir, h, &known); err != nil {
			return nil, fmt.Errorf("journal: %s: %w", e.Name, err)
		}
		all = append(all, s)
	}
	for i := range all {
		first := all[i].header.First
		all[i].header = *h
		all[i].header.First = first
	}
	return all, nil
}

// read reads the header, and compares it with h, or fills h in.
func (s *segment) read(dir disk.Dir, h *Header, known *bool) error {
	f, err := dir.Open(s.name, disk.Read)
	if err != nil {
		return err
	}
	defer f.Close()
	b := make([]byte, headerSize)
	if n, err := f.ReadAt(b, 0); err != nil && err != io.EOF {
		return err
	} else {
		b = b[:n]
	}
	number := uint32(0)
	if s.header, number, s.err = decodeHeader(b); s.err != nil {
		if errors.Is(s.err, ErrVersion) {
			return s.err
		}
		return nil
	}
	s.older = binary.LittleEndian.Uint32(b[4:]) < Version
	if !*known {
		*h, *known = s.header, true
	}
	switch {
	case number != s.number:
		return fmt.Errorf("by its header it is %s", segmentName(number))
	case s.header.Crawl != h.Crawl:
		return fmt.Errorf("it belongs to crawl %x, not to %x", s.header.Crawl, h.Crawl)
	case s.header.Partition != h.Partition || s.header.Partitions != h.Partitions:
		return fmt.Errorf("it is of partition %d of %d, not %d of %d", s.header.Partition, s.header.Partitions, h.Partition, h.Partitions)
	}
	return nil
}

// ReadHeader returns the header of the first file of a journal.
func ReadHeader(dir disk.Dir) (Header, error) {
	var h Header
	all, err := segments(dir, &h)
	if err != nil {
		return h, err
	}
	for _, s := range all {
		if s.err == nil {
			return s.header, nil
		}
	}
	return h, noHeader(all)
}

// noHeader returns the error of a journal without a header that can be read. A file is used
// only when its header lasts, so one with more than that is damaged, and not the trace of
// a crash.
func noHeader(all []segment) error {
	for i := range all {
		if all[i].size > headerSize {
			return fmt.Errorf("journal: %w: %s: %w", ErrLost, all[i].name, errHeader)
		}
	}
	return fmt.Errorf("journal: %w", ErrNone)
}
