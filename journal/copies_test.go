package journal

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// copied returns the groups of a journal.
func copied(t *testing.T, d disk.Dir) (list [][]byte) {
	t.Helper()
	if err := Groups(d, func(g *Group) error { list = append(list, bytes.Clone(g.Bytes())); return nil }); err != nil {
		t.Fatal(err)
	}
	return list
}

// add appends groups to a journal, which it begins if there is none.
func add(t *testing.T, d disk.Dir, groups [][]byte, segment int64) {
	t.Helper()
	l, _, err := Open(d, testHeader())
	if errors.Is(err, ErrNone) {
		l, err = Begin(d, testHeader())
	}
	if err != nil {
		t.Fatal(err)
	}
	l.Segment = segment
	for _, b := range groups {
		g, err := ParseGroup(testHeader(), b)
		if err == nil {
			err = l.Add(g)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// A copy has the records of the original, also if its files end elsewhere, if it is made in two
// parts, and if the power fails after each.
func TestCopies(t *testing.T) {
	from := disk.NewMemory()
	l := begin(t, from)
	if _, err := write(l, script(30), 0); err != nil {
		t.Fatal(err)
	}
	groups, want := copied(t, from), read(t, from, 0)
	if len(groups) != 30 {
		t.Fatalf("%d groups", len(groups))
	}
	for i := range want.records {
		want.records[i].At = 0
	}
	for _, segment := range []int64{300, 5000} {
		for _, n := range []int{0, 1, 13, 30} {
			to := disk.NewMemory()
			add(t, to, groups[:n], segment)
			to = to.Crash(uint64(n))
			add(t, to, groups[n:], segment)
			to = to.Crash(uint64(n))
			got := read(t, to, 0)
			for i := range got.records {
				got.records[i].At = 0
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("files of %d bytes, %d groups first: the copy differs", segment, n)
			}
			if !slices.EqualFunc(copied(t, to), groups, bytes.Equal) {
				t.Errorf("files of %d bytes, %d groups first: other groups", segment, n)
			}
		}
	}
}

// A journal that is cut at a record has the groups before it, and can be continued.
func TestCut(t *testing.T) {
	from := disk.NewMemory()
	l := begin(t, from)
	if _, err := write(l, script(12), 0); err != nil {
		t.Fatal(err)
	}
	groups := copied(t, from)
	for n := range groups {
		d := disk.NewMemory()
		add(t, d, groups, 400)
		g, err := ParseGroup(testHeader(), groups[n])
		if err != nil {
			t.Fatal(err)
		}
		if err := Cut(d, testHeader(), g.Commit().First); err != nil {
			t.Fatal(err)
		}
		d = d.Crash(uint64(n))
		if left := copied(t, d); !slices.EqualFunc(left, groups[:n], bytes.Equal) {
			t.Fatalf("cut at group %d: %d are left", n, len(left))
		}
		add(t, d, groups[n:], 400)
		if all := copied(t, d); !slices.EqualFunc(all, groups, bytes.Equal) {
			t.Errorf("cut at group %d and continued: %d groups", n, len(all))
		}
	}
}

// What is damaged is not copied, and what does not follow is not added.
func TestDamagedCopies(t *testing.T) {
	d := disk.NewMemory()
	l := begin(t, d)
	if _, err := write(l, script(12), 0); err != nil {
		t.Fatal(err)
	}
	groups := copied(t, d)
	for i := range groups[1] {
		bad := bytes.Clone(groups[1])
		bad[i] ^= 8
		if _, err := ParseGroup(testHeader(), bad); !errors.Is(err, ErrGroup) {
			t.Fatalf("byte %d: %v", i, err)
		}
		if _, err := ParseGroup(testHeader(), groups[1][:i]); !errors.Is(err, ErrGroup) {
			t.Fatalf("%d bytes: %v", i, err)
		}
	}
	other := testHeader()
	other.Partition++
	if _, err := ParseGroup(other, groups[1]); !errors.Is(err, ErrGroup) {
		t.Errorf("a group of another partition: %v", err)
	}
	g, err := ParseGroup(testHeader(), groups[3])
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Add(g); err == nil {
		t.Error("a group that does not follow was added")
	}
	f, err := d.Open(segmentName(0), disk.Change)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte{0xff}, headerSize+headSize+3); err != nil {
		t.Fatal(err)
	}
	if err := Groups(d, func(*Group) error { return nil }); !errors.Is(err, ErrGroup) {
		t.Errorf("a damaged group: %v", err)
	}
}
