package stored

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"

	"github.com/winnow-crawler/winnow/crawl/archive"
)

// A source is a WARC file with its index lines: a sorted file beside it, or lines in memory.
type source struct {
	part
	name  string // of the WARC file, without what marks it as open
	path  string // of the WARC file; empty: it is not here
	size  int64  // of what is committed
	lines []byte // nil: the file at index has them
	index string
	// remote says of a file that is not here that it is in a store.
	remote bool
}

// id returns what tells a source from others, also after its file has got its final name.
func (s *source) id() string { return s.tag + s.name }

// tagged returns index lines in which the tag is before the names of files.
func (s *source) tagged(lines []byte) []byte {
	if s.tag == "" {
		return lines
	}
	return bytes.ReplaceAll(lines, []byte(fileKey+s.name), []byte(fileKey+s.tag+s.name))
}

// fileKey is what is before the name of the file in an index line.
const fileKey = `"filename":"`

// A tail holds the index lines of a WARC file that has no index yet. Lines are only ever
// appended, so that a reader may keep a slice of them.
type tail struct {
	lines []byte
	done  int64 // offset in the WARC file to which the lines reach
	part  int64 // offset in the file of gathered lines to which they were read
}

// extend brings the lines up to the committed size of the file.
func (t *tail) extend(path, name string, size int64) error {
	if t.done > size { // it was cut after a crash
		*t = tail{}
	}
	if t.done == size {
		return nil
	}
	base := filepath.Join(filepath.Dir(path), name)
	for _, gathered := range []string{archive.LinesName(base), archive.PartName(base)} {
		if err := t.gathered(gathered, size); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	more, err := archive.LinesBetween(f, t.done, size, name)
	if err != nil {
		return err
	}
	t.lines, t.done = append(t.lines, more...), size
	return nil
}

// gathered takes the lines that a crawl has gathered for records below an offset.
func (t *tail) gathered(name string, size int64) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil {
		t.lines = slices.Grow(t.lines, int(max(0, info.Size()-t.part)))
	}
	in := bufio.NewReaderSize(io.NewSectionReader(f, t.part, 1<<62), 1<<16)
	for {
		line, err := in.ReadSlice('\n')
		if err == bufio.ErrBufferFull { // a long URL
			line = slices.Clone(line)
			var rest []byte
			rest, err = in.ReadBytes('\n')
			line = append(line, rest...)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		offset, length, ok := archive.LinePlace(line)
		if !ok || offset+length > size {
			return nil // the WARC file has the rest
		}
		t.part += int64(len(line))
		if offset >= t.done {
			t.lines, t.done = append(t.lines, line...), offset+length
		}
	}
}

// find returns the lines of a key.
func (s *source) find(key string) ([]archive.Line, error) {
	if s.lines != nil {
		return parseLines(s.tagged(scan(s.lines, key)))
	}
	f, err := os.Open(s.index)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	text, err := search(f, info.Size(), key)
	if err != nil {
		return nil, fmt.Errorf("search %s: %w", s.index, err)
	}
	return parseLines(s.tagged(text))
}

// scan returns the lines of a key among lines in any order.
func scan(lines []byte, key string) (found []byte) {
	start := []byte("\n" + key + " ")
	for at := 0; at < len(lines); {
		if at > 0 || !bytes.HasPrefix(lines, start[1:]) {
			i := bytes.Index(lines[max(at-1, 0):], start)
			if i < 0 {
				break
			}
			at = max(at-1, 0) + i + 1
		}
		end := at + bytes.IndexByte(lines[at:], '\n') + 1
		found = append(found, lines[at:end]...)
		at = end
	}
	return found
}

// search returns the lines of a key in a sorted index.
func search(f io.ReaderAt, size int64, key string) (found []byte, err error) {
	want := []byte(key + " ")
	var failed error
	// The first offset such that the line which begins there or after it is not below the key.
	at := int64(sort.Search(int(size), func(i int) bool {
		if failed != nil {
			return true
		}
		line, err := lineAfter(f, int64(i), size)
		failed = err
		return line == nil || bytes.Compare(line, want) >= 0
	}))
	if failed != nil {
		return nil, failed
	}
	in := bufio.NewReaderSize(io.NewSectionReader(f, at, size-at), 1<<12)
	if at > 0 && at < size {
		if err := toLine(f, at, in); err != nil {
			return nil, err
		}
	}
	for {
		line, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, err
		}
		if !bytes.HasPrefix(line, want) {
			return found, nil
		}
		found = append(found, line...)
	}
}

// toLine reads to the beginning of a line, unless one begins at the offset.
func toLine(f io.ReaderAt, at int64, in *bufio.Reader) error {
	var before [1]byte
	if _, err := f.ReadAt(before[:], at-1); err != nil {
		return err
	}
	if before[0] == '\n' {
		return nil
	}
	_, err := in.ReadBytes('\n')
	if err == io.EOF {
		return nil
	}
	return err
}

// lineAfter returns the first line that begins at an offset or after it; nil if there is none.
func lineAfter(f io.ReaderAt, at, size int64) ([]byte, error) {
	in := bufio.NewReaderSize(io.NewSectionReader(f, at, size-at), 1<<10)
	if at > 0 {
		if err := toLine(f, at, in); err != nil {
			return nil, err
		}
	}
	line, err := in.ReadBytes('\n')
	if err == io.EOF {
		err = nil
	}
	if len(line) == 0 {
		line = nil
	}
	return line, err
}

func parseLines(text []byte) (list []archive.Line, err error) {
	for line := range bytes.Lines(text) {
		l, err := archive.ParseLine(line)
		if err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	return list, nil
}

// open returns the lines in their order.
func (s *source) open() (io.ReadCloser, error) {
	if s.lines == nil {
		return os.Open(s.index)
	}
	lines := slices.SortedFunc(bytes.Lines(s.lines), bytes.Compare)
	return io.NopCloser(bytes.NewReader(bytes.Join(lines, nil))), nil
}
