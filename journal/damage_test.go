package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// image is a journal of small files, as bytes by number of the file.
func image(t testing.TB, all [][]Record) (files [][]byte) {
	t.Helper()
	d := disk.NewMemory()
	if _, err := write(begin(t, d), all, 0); err != nil {
		t.Fatal(err)
	}
	entries, err := d.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := disk.ReadFile(d, e.Name)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, b)
	}
	return files
}

// mount puts files on a disk; nil is none.
func mount(t testing.TB, files [][]byte) *disk.Memory {
	t.Helper()
	d := disk.NewMemory()
	for i, b := range files {
		if b == nil {
			continue
		}
		f, err := d.Open(segmentName(uint32(i)), disk.Create)
		if err != nil {
			t.Fatal(err)
		}
		f.WriteAt(b, 0)
	}
	return d
}

// checkDamaged reads a damaged journal: every record that comes is one of those that
// were written, in order, and every other one is told to be lost, up to the last commit.
// Then it opens it, and reads the same.
func checkDamaged(t testing.TB, files [][]byte, want []Record) reading {
	t.Helper()
	d := mount(t, files)
	got := read(t, d, 0)
	lost := make([]bool, got.last.Next)
	for _, x := range got.damage {
		for seq := x.First; seq < x.Next; seq++ {
			if lost[seq] {
				t.Fatalf("record %d is lost twice: %v", seq, got.damage)
			}
			lost[seq] = true
		}
	}
	at := 0
	for seq := range got.last.Next {
		if lost[seq] {
			continue
		}
		if at == len(got.records) || !same(&got.records[at], &want[seq]) {
			t.Fatalf("record %d is neither there nor lost: %v", seq, got.damage)
		}
		at++
	}
	if at != len(got.records) {
		t.Fatalf("%d records too many", len(got.records)-at)
	}
	_, found, err := Open(d, testHeader())
	if err != nil || found.Last != got.last {
		t.Fatalf("opened: %+v, %v; read: %+v", found, err, got.last)
	}
	again := read(t, d, 0)
	if !sameRecords(again.records, got.records) || len(again.damage) != len(got.damage) || again.last != got.last {
		t.Fatalf("after Open: %d records, damage %v", len(again.records), again.damage)
	}
	return got
}

// Every single byte of a journal changed: what is lost is one record, or one group; and
// nothing is lost in silence but the last group, which could be what a crash left.
func TestEveryByte(t *testing.T) {
	all := script(12)
	files := image(t, all)
	want := flat(all)
	largest, single, total := 3, 0, 0
	for n, b := range files {
		for at := range b {
			b[at] ^= 1 << (at % 8)
			got := checkDamaged(t, files, want)
			lost := len(want) - len(got.records)
			if lost > largest || len(got.damage) == 0 && got.last.Next == uint64(len(want)) {
				t.Errorf("byte %d of file %d: %d lost, %v", at, n, lost, got.damage)
			}
			if total++; lost <= 1 {
				single++
			}
			b[at] ^= 1 << (at % 8)
		}
	}
	t.Logf("of %d changed bytes %d cost at most one record", total, single)
}

// without gives a reading of the files after an edit of a copy.
func without(t *testing.T, files [][]byte, want []Record, edit func(f [][]byte)) reading {
	t.Helper()
	c := make([][]byte, len(files))
	for i := range files {
		c[i] = bytes.Clone(files[i])
	}
	edit(c)
	return checkDamaged(t, c, want)
}

// Bytes that are gone, files that are gone, files that are cut.
func TestMissing(t *testing.T) {
	all := script(14)
	files := image(t, all)
	want := flat(all)
	if len(files) < 5 {
		t.Fatalf("%d files", len(files))
	}
	for name, edit := range map[string]func(f [][]byte){
		"a file":         func(f [][]byte) { f[2] = nil },
		"two files":      func(f [][]byte) { f[1], f[2] = nil, nil },
		"an empty file":  func(f [][]byte) { f[2] = []byte{} },
		"a cut file":     func(f [][]byte) { f[2] = f[2][:len(f[2])-5] },
		"a lone header":  func(f [][]byte) { f[2] = f[2][:headerSize] },
		"a piece":        func(f [][]byte) { f[2] = append(f[2][:100], f[2][120:]...) },
		"a zeroed piece": func(f [][]byte) { clear(f[2][60:300]) },
		"a zeroed file":  func(f [][]byte) { clear(f[2]) },
		"inserted bytes": func(f [][]byte) {
			f[2] = append(f[2][:headerSize:headerSize], append([]byte("??"), f[2][headerSize:]...)...)
		},
		"bytes between": func(f [][]byte) { f[2] = append(f[2], groupMagic...) },
	} {
		if got := without(t, files, want, edit); len(got.damage) == 0 || got.last.Next != uint64(len(want)) {
			t.Errorf("without %s: %v", name, got.damage)
		} else if len(got.damage[0].Error()) < 20 {
			t.Errorf("without %s: %v", name, &got.damage[0])
		}
	}
	// The last file is not damage: the crash, or the one before, was earlier.
	if got := without(t, files, want, func(f [][]byte) { f[len(f)-1] = nil }); got.damage != nil || got.last.Next == uint64(len(want)) {
		t.Errorf("without the last file: %+v", got.damage)
	}
	// Several last files are: later ones begin only after a commit in those before.
	d := mount(t, append(files[:len(files)-2:len(files)-2], bytes.Repeat([]byte{0}, 99), files[len(files)-1][:headerSize]))
	_, found, err := Open(d, testHeader())
	if err != nil || len(found.Damage) != 1 || found.Damage[0].First != found.Records || found.Damage[0].Next <= found.Records {
		t.Errorf("without the last two files: %+v, %v", found, err)
	}
}

// Damage is told to those alone who miss something by it.
func TestDamageIsTold(t *testing.T) {
	all := script(14)
	files := image(t, all)
	files[2][headerSize]++
	hole := checkDamaged(t, files, flat(all)).damage[0]
	for from, told := range map[uint64]int{hole.First: 1, hole.Next - 1: 1, hole.Next: 0, hole.Next + 1: 0} {
		if got := read(t, mount(t, files), from); len(got.damage) != told {
			t.Errorf("from %d, records %d to %d are lost: %v", from, hole.First, hole.Next, got.damage)
		}
	}
}

// A group that is there twice is read once, in the last file too.
func TestTwice(t *testing.T) {
	all := script(14)
	files := image(t, all)
	want, last := flat(all), files[len(files)-1]
	once := headerSize + headSize + int(binary.LittleEndian.Uint32(last[headerSize+8:]))
	late := without(t, files, want, func(f [][]byte) { f[len(f)-1] = append(f[len(f)-1], last[headerSize:once]...) })
	if once == len(last) || len(late.records) != len(want) || late.last.Next != uint64(len(want)) {
		t.Errorf("a last group that is there twice: %d records, %v", len(late.records), late.damage)
	}
	double := without(t, files, want, func(f [][]byte) { f[2] = append(f[2], f[2][headerSize:]...) })
	if len(double.records) != len(want) || len(double.damage) == 0 || double.damage[0].Err != errOrder {
		t.Errorf("groups that are there twice: %v", double.damage)
	}
}

// A journal of which nothing is left is not begun again, nor cut to nothing.
func TestLost(t *testing.T) {
	files := image(t, script(14))
	for _, b := range files {
		clear(b[headerSize:])
	}
	d := mount(t, files)
	before := d.Steps()
	for name, err := range map[string]error{
		"open": second(Open(d, testHeader())),
		"read": first(Read(d, 0, nil)),
	} {
		if !errors.Is(err, ErrLost) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := first(Begin(d, testHeader())); !errors.Is(err, fs.ErrExist) || d.Steps() != before {
		t.Errorf("begin: %v", err)
	}
}

// Bytes of the Web that look like a record or a group are not taken for one when the
// reader looks for the next after damage.
func TestForged(t *testing.T) {
	fake := Encode(nil, &Record{Seq: 1, Event: event.Event{Kind: event.Session}})
	group := make([]byte, headSize)
	group = append(group, fake...)
	putHead(group, 0, &Commit{First: 1, Next: 3})
	list := []Record{{}, {Event: event.Event{Kind: event.Done}}, {Event: event.Event{Kind: event.Polled}}}
	list[1].Facts.Title = string(fake) + string(group) + string(fake)
	all := [][]Record{list, {{Event: event.Event{Kind: event.Polled}}}}
	for _, damaged := range []int{headerSize + 5, headerSize + headSize + 30} { // the head; the first record, and more
		files := image(t, all)
		clear(files[0][damaged : damaged+8])
		got := checkDamaged(t, files, flat(all))
		for _, r := range got.records {
			if r.Event.Kind == event.Session {
				t.Errorf("damage at %d: a forged record was read", damaged)
			}
		}
	}
}

// A group full of bytes that could each begin a long record is searched in bounded time,
// and given up.
func TestResyncIsBounded(t *testing.T) {
	const size = 1 << 20
	decoy := binary.LittleEndian.AppendUint32(nil, size/4)
	decoy = append(decoy, 0, 0, 0, 0, byte(event.Polled), 1, 0, 0)
	list := []Record{{}, {Event: event.Event{Kind: event.Done}}, {Event: event.Event{Kind: event.Polled}}}
	list[0].Event.Kind = event.Done
	list[0].Facts.Title = strings.Repeat(string(decoy), size/len(decoy))
	all := [][]Record{list, {{Event: event.Event{Kind: event.Polled}}}}
	files := image(t, all)
	files[0][headerSize+headSize+frame+8] ^= 1
	if got := checkDamaged(t, files, flat(all)); len(got.records) != 1 {
		t.Errorf("%d records, damage %v", len(got.records), got.damage)
	}
}

// FuzzScan changes bytes, cuts and swaps parts of a journal. Whatever is done to it: no
// panic, no record that was not written, and what is not there is told.
func FuzzScan(f *testing.F) {
	f.Add([]byte{0, 100, 1}, uint16(0), uint8(0))
	f.Add([]byte{1, 0, 1, 2, 0, 255}, uint16(300), uint8(1))
	f.Add([]byte{}, uint16(77), uint8(2))
	f.Add([]byte{}, uint16(60), uint8(3))
	f.Fuzz(func(t *testing.T, edits []byte, at uint16, how uint8) {
		all := script(10)
		files := image(t, all)
		for ; len(edits) >= 3; edits = edits[3:] {
			b := files[int(edits[0])%len(files)]
			b[headerSize+int(edits[1])*len(b)/256%(len(b)-headerSize)] ^= edits[2]
		}
		n := int(how) / 4 % len(files)
		b := files[n]
		switch cut := int(at) % len(b); how % 4 {
		case 1:
			files[n] = b[:cut]
		case 2:
			files[n] = append(bytes.Clone(b[:headerSize]), b[max(cut, headerSize):]...)
		case 3:
			copy(b[max(cut, headerSize):], files[len(files)-1][headerSize:])
		}
		if _, err := Read(mount(t, files), 0, nil); errors.Is(err, ErrLost) {
			return
		}
		checkDamaged(t, files, flat(all))
	})
}

// FuzzFile reads any bytes as a file of a journal.
func FuzzFile(f *testing.F) {
	h := testHeader()
	f.Add([]byte(nil), true)
	f.Add(h.encode(0), false)
	for i, b := range image(f, script(4)) {
		f.Add(b[headerSize:], i == 0)
	}
	f.Fuzz(func(t *testing.T, b []byte, header bool) {
		if header {
			b = append(h.encode(0), b...)
		}
		d := mount(t, [][]byte{b})
		last, err := Read(d, 0, func(*Record) error { return nil })
		_, found, openErr := Open(d, Header{})
		if (err == nil) != (openErr == nil) || err == nil && found.Last != last {
			t.Fatalf("read %+v, %v; opened %+v, %v", last, err, found.Last, openErr)
		}
	})
}
