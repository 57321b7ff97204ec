package journal

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// whole returns the groups of a journal as bytes, and their numbers.
func whole(t *testing.T, d disk.Dir) (list [][]byte, commits []Commit) {
	t.Helper()
	if err := Groups(d, testHeader(), func(c *Commit, b []byte) error {
		list, commits = append(list, bytes.Clone(b)), append(commits, *c)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return list, commits
}

// files returns the contents of a journal.
func files(t *testing.T, d disk.Dir) (all []byte) {
	t.Helper()
	list, err := d.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		f, err := d.Open(e.Name, disk.Read)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, e.Size)
		if _, err := f.ReadAt(b, 0); err != nil {
			t.Fatal(err)
		}
		all = append(append(all, e.Name...), b...)
	}
	return all
}

// A journal that is made of the groups of another one has the same bytes, also if it is cut
// anywhere and made whole again.
func TestGroups(t *testing.T) {
	d, all := disk.NewMemory(), script(14)
	l := begin(t, d)
	if n, err := write(l, all, 0); n != len(all) || err != nil {
		t.Fatal(n, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	list, commits := whole(t, d)
	if len(list) != len(all) {
		t.Fatalf("%d groups, want %d", len(list), len(all))
	}
	copied := disk.NewMemory()
	c := begin(t, copied)
	add := func(c *Log, from int) {
		t.Helper()
		for _, b := range list[from:] {
			if err := c.Add(b); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(files(t, d), files(t, copied)) {
			t.Fatalf("the copy differs, from group %d on", from)
		}
	}
	add(c, 0)
	for i := range commits {
		if err := Cut(copied, testHeader(), i); err != nil {
			t.Fatal(err)
		}
		c, found, err := Open(copied, testHeader())
		if err != nil || found.Records != commits[i].First || found.Damage != nil || found.Cut != 0 {
			t.Fatalf("cut to %d: %+v, %v", commits[i].First, found, err)
		}
		c.Segment = 400
		add(c, i)
	}
	if err := Cut(copied, testHeader(), len(commits)); err != nil || !bytes.Equal(files(t, d), files(t, copied)) {
		t.Errorf("cut at the end: %v", err)
	}
}

// A journal continues after groups of another one, with the right numbers and ids.
func TestAddThenAppend(t *testing.T) {
	all := script(9)
	d, e := disk.NewMemory(), disk.NewMemory()
	l, c := begin(t, d), begin(t, e)
	if _, err := write(l, all[:5], 0); err != nil {
		t.Fatal(err)
	}
	list, _ := whole(t, d)
	for _, b := range list {
		if err := c.Add(b); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []*Log{l, c} {
		if _, err := write(x, all, 5); err != nil {
			t.Fatal(err)
		}
	}
	if got := read(t, e, 0); !sameRecords(got.records, flat(all)) || got.damage != nil {
		t.Error("other records")
	}
	if !bytes.Equal(files(t, d), files(t, e)) {
		t.Error("other bytes")
	}
}

func TestAddRefuses(t *testing.T) {
	d := disk.NewMemory()
	l := begin(t, d)
	if _, err := write(l, script(4), 0); err != nil {
		t.Fatal(err)
	}
	list, _ := whole(t, d)
	damaged := bytes.Clone(list[0])
	damaged[len(damaged)-1] ^= 1
	for name, b := range map[string][]byte{"another number": list[1], "damaged": damaged, "cut": list[0][:len(list[0])-1], "longer": append(slices.Clone(list[0]), 0), "empty": nil} {
		c := begin(t, disk.NewMemory())
		if err := c.Add(b); !errors.Is(err, ErrGroup) {
			t.Errorf("%s: %v", name, err)
		}
		if err := c.Add(list[0]); err != nil {
			t.Errorf("%s: the right one: %v", name, err)
		}
	}
}

// Groups ends before damage.
func TestGroupsDamaged(t *testing.T) {
	d := disk.NewMemory()
	l := begin(t, d)
	if _, err := write(l, script(12), 0); err != nil {
		t.Fatal(err)
	}
	list, _ := whole(t, d)
	f, err := d.Open(segmentName(0), disk.Change)
	if err != nil {
		t.Fatal(err)
	}
	at := int64(headerSize + len(list[0]) + len(list[1]) - 1)
	if _, err := f.WriteAt([]byte{0xff, 0xff}, at); err != nil {
		t.Fatal(err)
	}
	if got, _ := whole(t, d); len(got) != 1 {
		t.Errorf("%d groups before the damage, want 1", len(got))
	}
}

// A power loss while a journal is cut leaves a journal that has at least what was to stay.
func TestCutPowerLoss(t *testing.T) {
	all := script(14)
	for stop := range 12 {
		for random := range uint64(6) {
			d := disk.NewMemory()
			l := begin(t, d)
			if _, err := write(l, all, 0); err != nil {
				t.Fatal(err)
			}
			_, commits := whole(t, d)
			to := commits[3].First
			d.Stop(stop)
			err := Cut(d, testHeader(), 3)
			after := d.Crash(random)
			_, found, bad := Open(after, testHeader())
			if bad != nil || found.Damage != nil || found.Records < to || err == nil && found.Records != to {
				t.Fatalf("stopped after %d: %d records, want %d: %v, %v", stop, found.Records, to, found.Damage, bad)
			}
		}
	}
}
