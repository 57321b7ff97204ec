package journal

import (
	"errors"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// TestPowerLoss stops a journal at every operation of its disk, loses any part of what
// was not synced, stops and loses again while it recovers, and continues (M19): every group
// that was committed is there, of another either all or nothing, and the journal ends
// as it does without a crash.
func TestPowerLoss(t *testing.T) {
	all := script(14)
	for stop := 0; ; stop++ {
		for random := range uint64(12) {
			d := disk.NewMemory()
			d.Stop(stop)
			committed, err := start(d, all)
			if err == nil {
				if stop < 40 {
					t.Fatalf("only %d operations", stop)
				}
				return
			}
			if random%3 == 0 {
				d = d.Kill() // the program first, the power later
				d.Stop(int(random))
				if n, _ := start(d, all); n > committed {
					committed = n
				}
			}
			for i := range 3 {
				d = d.Crash(random<<8 + uint64(i))
				d.Stop(int(random) % 6 * i)
				n, _ := start(d, all)
				if committed = max(committed, n); n < committed {
					checkCommitted(t, d, all, committed)
				}
			}
			d = d.Crash(random)
			checkCommitted(t, d, all, committed)
			if n, err := start(d, all); n != len(all) || err != nil {
				t.Fatalf("stop %d, random %d: %d groups of %d, %v", stop, random, n, len(all), err)
			}
			checkWhole(t, d.Crash(random), all)
		}
	}
}

// start opens the journal, or begins it, and continues where it ends. It gives the number of
// groups that are committed when it ends or fails.
func start(d disk.Dir, all [][]Record) (committed int, err error) {
	l, found, err := Open(d, testHeader())
	if errors.Is(err, ErrNone) {
		l, err = Begin(d, testHeader())
	}
	if err != nil {
		return 0, err
	}
	l.Segment = 400
	return write(l, all, groupsIn(all, found.Records))
}

// groupsIn is the number of groups that have so many records, -1 if a part of a group
// is there.
func groupsIn(all [][]Record, records uint64) int {
	for i, list := range all {
		if records < uint64(len(list)) {
			if records > 0 {
				return -1
			}
			return i
		}
		records -= uint64(len(list))
	}
	return len(all)
}

// checkCommitted reads what is there after a crash, before it is recovered.
func checkCommitted(t *testing.T, d disk.Dir, all [][]Record, committed int) {
	t.Helper()
	if committed == 0 {
		return // there need not be a journal at all
	}
	got := read(t, d, 0)
	n := groupsIn(all, got.last.Next)
	if n < committed || got.damage != nil || !sameRecords(got.records, flat(all[:n])) {
		t.Fatalf("%d groups, %d were committed; %d records; damage %v", n, committed, len(got.records), got.damage)
	}
}

// Open makes last what it found: kill -9, and the power goes while the next run has not
// written anything yet.
func TestOpenSyncs(t *testing.T) {
	all := script(10)
	d := disk.NewMemory()
	l := begin(t, d)
	for _, list := range all {
		if err := l.Write(l.group(list)); err != nil { // --sync=false
			t.Fatal(err)
		}
	}
	d = d.Kill()
	if _, found, err := Open(d, Header{}); err != nil || groupsIn(all, found.Records) != len(all) {
		t.Fatal(found, err)
	}
	for random := range uint64(20) {
		checkWhole(t, d.Crash(random), all)
	}
}

// A sync that failed may have dropped the bytes, whatever the disk says later. The next
// run sees all of that group or nothing; and if it sees it, because only the program
// ended and not the power, it is there for good.
func TestFailedSync(t *testing.T) {
	all := script(9)
	for n := 1; ; n++ {
		for random := range uint64(20) {
			d := disk.NewMemory()
			d.FailSync(n, errors.New("input/output error"))
			committed, err := start(d, all)
			if err == nil {
				if n < 12 {
					t.Errorf("only %d syncs", n)
				}
				return
			}
			if random%2 == 0 {
				d = d.Crash(random)
			} else {
				d = d.Kill()
			}
			checkCommitted(t, d, all, committed)
			if n, err := start(d, all); n != len(all) || err != nil {
				t.Fatalf("%d groups, %v", n, err)
			}
			checkWhole(t, d.Crash(random), all)
		}
	}
}

// What a crash left after the last commit is gone after Open, and other files are not.
func TestOpenCuts(t *testing.T) {
	all := script(10)
	d := disk.NewMemory()
	if _, err := write(begin(t, d), all, 0); err != nil {
		t.Fatal(err)
	}
	entries, _ := d.List()
	last := entries[len(entries)-1]
	f, err := d.Open(last.Name, disk.Change)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteAt([]byte(groupMagic+" and so on"), last.Size)
	for _, name := range []string{segmentName(77), segmentName(78), "notes.txt", "1.wj"} {
		g, err := d.Open(name, disk.Create)
		if err != nil {
			t.Fatal(err)
		}
		g.WriteAt([]byte("text"), 0)
	}
	_, found, err := Open(d, testHeader())
	if err != nil || found.Cut != 14+4+4 || found.Damage != nil {
		t.Errorf("%+v, %v", found, err)
	}
	want := append([]disk.Entry{}, entries...)
	want = append(want, disk.Entry{Name: "1.wj", Size: 4}, disk.Entry{Name: "notes.txt", Size: 4})
	if now, _ := d.List(); !slices.Equal(now, want) {
		t.Errorf("%v, want %v", now, want)
	}
}
