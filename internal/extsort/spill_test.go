package extsort

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// memFile is a file in memory that fails as it is told.
type memFile struct {
	data   []byte
	limit  int   // bytes that fit; 0 is no limit
	short  bool  // when full, write less and say nothing
	flip   int   // byte to change when it is read; -1 is none
	lost   int   // bytes at the end that cannot be read
	fault  error // of every reading
	closed int
}

func (f *memFile) Write(p []byte) (int, error) {
	if f.limit > 0 && len(f.data)+len(p) > f.limit {
		n := f.limit - len(f.data)
		f.data = append(f.data, p[:n]...)
		if f.short {
			return n, nil
		}
		return n, &os.PathError{Op: "write", Path: "winnow-sort-1", Err: syscall.ENOSPC}
	}
	f.data = append(f.data, p...)
	return len(p), nil
}

func (f *memFile) ReadAt(p []byte, at int64) (int, error) {
	if f.fault != nil {
		return 0, f.fault
	}
	n, err := bytes.NewReader(f.data[:len(f.data)-f.lost]).ReadAt(p, at)
	if i := f.flip - int(at); f.flip >= 0 && i >= 0 && i < n {
		p[i] ^= 1 << (f.flip % 8)
	}
	return n, err
}

func (f *memFile) Close() error { f.closed++; return nil }

func (f *memFile) create(string) (File, error) { return f, nil }

// sortInto sorts keys with the least memory and the file f, and returns what came
// out and the first error.
func sortInto(f *memFile, keys []uint64) (got []uint64, err error) {
	s := New(Options{Memory: 1, Dir: "DIR", Create: f.create})
	defer func() { err = errors.Join(err, s.Close()) }()
	for _, k := range keys {
		if err := s.Add(k); err != nil {
			return nil, err
		}
	}
	it, err := s.Sort()
	if err != nil {
		return nil, err
	}
	for k, ok := it.Next(); ok; k, ok = it.Next() {
		got = append(got, k)
	}
	return got, it.Err()
}

// The disk may be full at any write: of a first run, of a later one, of a merge.
func TestDiskFull(t *testing.T) {
	keys := random(60000, links)
	whole := &memFile{flip: -1}
	if _, err := sortInto(whole, keys); err != nil {
		t.Fatal(err)
	}
	for limit := 1; limit < len(whole.data); limit += 10007 {
		for _, short := range []bool{false, true} {
			f := &memFile{limit: limit, short: short, flip: -1}
			_, err := sortInto(f, keys)
			want := "write sort run in DIR: no space left on device"
			if short {
				want = "write sort run in DIR: short write"
			}
			if err == nil || err.Error() != want {
				t.Fatalf("full at %d: %v", limit, err)
			}
			if f.closed != 1 {
				t.Fatalf("full at %d: closed %d times", limit, f.closed)
			}
		}
	}
	_, err := sortInto(&memFile{limit: 1, flip: -1}, keys)
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v does not wrap its cause", err)
	}
}

// After an error Add keeps returning it, and Sort too.
func TestErrorStays(t *testing.T) {
	f := &memFile{limit: 1, flip: -1}
	s := New(Options{Memory: 1, Dir: "DIR", Create: f.create})
	defer s.Close()
	var first error
	for i := 0; first == nil; i++ {
		first = s.Add(uint64(i))
	}
	if err := s.Add(0); err != first {
		t.Errorf("Add: %v", err)
	}
	if _, err := s.Sort(); err != first {
		t.Errorf("Sort: %v", err)
	}
}

// Whatever byte of the runs is damaged, the end is an error, and the keys before it
// are right.
func TestDamagedSpill(t *testing.T) {
	keys := random(20000, links)
	whole := &memFile{flip: -1}
	right, err := sortInto(whole, keys)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(whole.data); i += 251 {
		got, err := sortInto(&memFile{flip: i}, keys)
		if err == nil || !strings.HasPrefix(err.Error(), "read sort run in DIR: damaged at byte ") {
			t.Fatalf("byte %d: %v", i, err)
		}
		if !slices.Equal(got, right[:len(got)]) {
			t.Fatalf("byte %d: wrong keys", i)
		}
	}
	for i := range blockHead * 2 { // the first header, all of it
		if _, err := sortInto(&memFile{flip: i}, keys); err == nil {
			t.Fatalf("byte %d: no error", i)
		}
	}
}

// Two blocks that changed places have good checksums, but not for these places.
func TestBlocksExchanged(t *testing.T) {
	f := &memFile{flip: -1}
	s := New(Options{Memory: 1, Dir: "DIR", Create: f.create})
	defer s.Close()
	addAll(t, s, ascending(20000))
	first := blockHead + int(binary.LittleEndian.Uint32(f.data[lengthAt:]))
	second := blockHead + int(binary.LittleEndian.Uint32(f.data[first+lengthAt:]))
	swapped := slices.Concat(f.data[first:first+second], f.data[:first], f.data[first+second:])
	f.data = swapped
	if _, err := s.Sort(); err == nil || err.Error() != "read sort run in DIR: damaged at byte 0" {
		t.Error(err)
	}
}

// A file that lost its end, or a reader that gives too little.
func TestSpillCutShort(t *testing.T) {
	f := &memFile{flip: -1, lost: 1}
	_, err := sortInto(f, random(20000, links))
	if !errors.Is(err, io.ErrUnexpectedEOF) || err.Error() != "read sort run in DIR: unexpected EOF" {
		t.Error(err)
	}
}

func TestReadFault(t *testing.T) {
	fault := errors.New("input/output error")
	_, err := sortInto(&memFile{flip: -1, fault: fault}, random(20000, links))
	if !errors.Is(err, fault) || err.Error() != "read sort run in DIR: input/output error" {
		t.Error(err)
	}
}

func TestCreateFails(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	s := New(Options{Memory: 1, Dir: dir})
	defer s.Close()
	var err error
	for i := 0; err == nil; i++ {
		err = s.Add(uint64(i))
	}
	if !errors.Is(err, os.ErrNotExist) || err.Error() != "create a file for sorting in "+dir+": no such file or directory" {
		t.Error(err)
	}
}

// The file has no name already while it is in use: nothing to clean after kill -9.
func TestSpillHasNoName(t *testing.T) {
	dir := t.TempDir()
	s := New(Options{Memory: 1, Dir: dir})
	addAll(t, s, random(60000, links))
	if s.Stats().Written == 0 {
		t.Fatal("nothing was written: the test tests nothing")
	}
	if runtime.GOOS != "windows" {
		nothingIn(t, dir)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	nothingIn(t, dir)
}

// Where a file in use keeps its name it goes with Close.
func TestNamedFileIsRemoved(t *testing.T) {
	dir := t.TempDir()
	f, err := os.CreateTemp(dir, "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := (named{f}).Close(); err != nil {
		t.Error(err)
	}
	nothingIn(t, dir)
}

// Stop ends the work wherever it is asked.
func TestStop(t *testing.T) {
	enough := errors.New("interrupted")
	keys := random(60000, links)
	dir := t.TempDir()
	asked := 0
	for after := 0; after <= asked; after += 5 {
		asked = 0
		s := New(Options{Memory: 1, Dir: dir, Stop: func() error {
			if asked++; asked > after {
				return enough
			}
			return nil
		}})
		var err error
		for i := 0; i < len(keys) && err == nil; i++ {
			err = s.Add(keys[i])
		}
		if err == nil {
			_, err = s.Sort()
		}
		if asked > after && !errors.Is(err, enough) {
			t.Fatalf("stopped after %d questions: %v", after, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if asked <= after && after == 0 {
			t.Fatal("never asked")
		}
	}
	nothingIn(t, dir)
}

// FuzzGaps: decoding any bytes ends well, and what it accepts is in order.
func FuzzGaps(f *testing.F) {
	f.Add([]byte{0, 1, 0x80, 1}, uint16(3))
	f.Add(bytes.Repeat([]byte{0xff}, 20), uint16(2))
	f.Fuzz(func(t *testing.T, in []byte, n uint16) {
		keys := make([]uint64, n%(blockKeys+1))
		if !gaps(keys, in) {
			return
		}
		if !slices.IsSorted(keys) {
			t.Error("not ascending")
		}
		again := make([]uint64, len(keys))
		out := make([]byte, maxBlock)
		if !gaps(again, out[:putGaps(out, keys)]) || !slices.Equal(keys, again) {
			t.Errorf("%v became %v", keys, again)
		}
	})
}

// FuzzSort: the bytes are keys, eight each, repeated so that runs are written.
func FuzzSort(f *testing.F) {
	f.Add([]byte("abcdefghijklmnop"), uint16(5000))
	f.Fuzz(func(t *testing.T, in []byte, times uint16) {
		var keys []uint64
		for i := range int(times) {
			for p := in; len(p) >= 8; p = p[8:] {
				keys = append(keys, binary.LittleEndian.Uint64(p)+uint64(i)*uint64(in[0]))
			}
			if len(keys) > 50000 {
				break
			}
		}
		file := &memFile{flip: -1}
		check(t, Options{Memory: 1, Create: file.create}, keys)
	})
}

func TestLongestGapsFitABlock(t *testing.T) {
	keys := make([]uint64, blockKeys)
	for i := range keys {
		keys[i] = 1<<63 + uint64(i)
	}
	w := runWriter{spill: &spill{file: &memFile{flip: -1}}, buf: make([]byte, 0, minOut), stop: func() error { return nil }}
	for range 5 {
		if err := w.writeBlock(keys); err != nil {
			t.Fatal(err)
		}
	}
	if maxBlock > minOut || w.run.keys != 5*blockKeys {
		t.Errorf("%d bytes a block, %d in the buffer; %d keys", maxBlock, minOut, w.run.keys)
	}
}
