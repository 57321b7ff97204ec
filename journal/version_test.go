package journal

import (
	"encoding/binary"
	"testing"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// makeOlder gives a file the header that an earlier version writes.
func makeOlder(t *testing.T, d disk.Dir, name string) {
	t.Helper()
	f, err := d.Open(name, disk.Change)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, headerSize)
	if _, err := f.ReadAt(b, 0); err != nil {
		t.Fatal(err)
	}
	le := binary.LittleEndian
	le.PutUint32(b[4:], Version-1)
	le.PutUint32(b[headerSize-4:], crc(0, b[:headerSize-4]))
	if _, err := f.WriteAt(b, 0); err != nil {
		t.Fatal(err)
	}
}

// A journal of an earlier version is read, and continued in a file of this version: the
// program that wrote it then reports a later version, not damage. A file without any
// group becomes one of this version.
func TestEarlierVersion(t *testing.T) {
	for _, written := range []int{0, 2} {
		d, all := disk.NewMemory(), script(4)
		l, err := Begin(d, testHeader())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := write(l, all[:written], 0); err != nil {
			t.Fatal(err)
		}
		l.Drop()
		makeOlder(t, d, segmentName(0))
		if written > 0 && !sameRecords(read(t, d, 0).records, flat(all[:written])) {
			t.Error("the journal of an earlier version reads otherwise")
		}
		l, _, err = Open(d, testHeader())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := write(l, all, written); err != nil {
			t.Fatal(err)
		}
		got := read(t, d, 0)
		if !sameRecords(got.records, flat(all)) || len(got.damage) > 0 {
			t.Errorf("%d records and %v, want %d", len(got.records), got.damage, len(flat(all)))
		}
		h := testHeader()
		files, err := segments(d, &h)
		if last := len(files) - 1; err != nil || last != min(written, 1) || files[last].older || files[0].older != (written > 0) {
			t.Errorf("after %d groups of an earlier version: %+v, %v", written, files, err)
		}
	}
}
