package archive

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/internal/disk"
)

// recovered is what Open found beyond a crash.
func recovered(t *testing.T, d disk.Dir, at Position) (Recovery, Position) {
	t.Helper()
	w := open(t, d, config(0), at)
	defer w.Drop()
	return *w.Recovery(), w.Size()
}

// What lies beyond the journal and is more than a crash leaves is set aside, and a second
// start finds nothing more to set aside.
func TestSetAside(t *testing.T) {
	const stem = "test-20260131235959-0000"
	large := strings.Repeat("x", MaxTail+1)
	for _, c := range []struct {
		name  string
		files map[string]string
		at    Position
		want  map[string]string
		aside []Aside
	}{
		{
			"a closed file has more",
			map[string]string{"0.warc.gz": "0123456789", "0.cdxj": "of all ten"},
			Position{0, 4},
			map[string]string{"0.warc.gz": "0123", "0.warc.gz.beyond-1": "456789"},
			[]Aside{{"0.warc.gz", "0.warc.gz.beyond-1", 6}},
		},
		{
			"closed files follow",
			map[string]string{"0.warc.gz": "0123", "1.warc.gz": "one", "1.cdxj": "index", "2.warc.gz.open": "two"},
			Position{0, 4},
			map[string]string{"0.warc.gz": "0123", "1.warc.gz.beyond-1": "one", "2.warc.gz.beyond-1": "two"},
			[]Aside{{"2.warc.gz", "2.warc.gz.beyond-1", 3}, {"1.warc.gz", "1.warc.gz.beyond-1", 3}},
		},
		{
			"nothing was committed",
			map[string]string{"0.warc.gz": "zero"},
			Position{},
			map[string]string{"0.warc.gz.beyond-1": "zero"},
			[]Aside{{"0.warc.gz", "0.warc.gz.beyond-1", 4}},
		},
		{
			"more than a group",
			map[string]string{"0.warc.gz.open": "0123" + large},
			Position{0, 4},
			map[string]string{"0.warc.gz.open": "0123", "0.warc.gz.beyond-1": large},
			[]Aside{{"0.warc.gz", "0.warc.gz.beyond-1", MaxTail + 1}},
		},
		{
			"names are taken",
			map[string]string{"0.warc.gz": "0123456789", "0.warc.gz.beyond-1": "abcdef", "1.warc.gz": "one", "1.warc.gz.beyond-1": "eno"},
			Position{0, 4},
			map[string]string{"0.warc.gz": "0123", "0.warc.gz.beyond-1": "abcdef", "0.warc.gz.beyond-2": "456789", "1.warc.gz.beyond-1": "eno", "1.warc.gz.beyond-2": "one"},
			[]Aside{{"0.warc.gz", "0.warc.gz.beyond-2", 6}, {"1.warc.gz", "1.warc.gz.beyond-2", 3}},
		},
		{
			"it was copied, but not cut",
			map[string]string{"0.warc.gz": "0123456789", "0.warc.gz.beyond-1": "456789", "0.warc.gz.beyond-2.tmp": "45"},
			Position{0, 4},
			map[string]string{"0.warc.gz": "0123", "0.warc.gz.beyond-1": "456789"},
			[]Aside{{"0.warc.gz", "0.warc.gz.beyond-1", 6}},
		},
	} {
		d := disk.NewMemory()
		for name, data := range c.files {
			put(t, d, stem+name, data)
		}
		for i := range c.aside {
			c.aside[i].From, c.aside[i].Name = stem+c.aside[i].From, stem+c.aside[i].Name
		}
		r, _ := recovered(t, d, c.at)
		if !reflect.DeepEqual(r.Aside, c.aside) {
			t.Errorf("%s: set aside %+v", c.name, r.Aside)
		}
		for range 2 {
			got := map[string]string{}
			for name, data := range contents(t, d) {
				got[strings.TrimPrefix(name, stem)] = data
			}
			if !maps.Equal(got, c.want) {
				t.Errorf("%s: files %q", c.name, slices.Sorted(maps.Keys(got)))
			}
			if r, _ := recovered(t, d, c.at); len(r.Aside) > 0 {
				t.Errorf("%s: once more set aside %+v", c.name, r.Aside)
			}
		}
	}
}

// A disk that stops at any operation while bytes are set aside, and loses its power, has
// all of them afterwards: in their place or aside.
func TestSetAsidePowerLoss(t *testing.T) {
	for stop := 0; ; stop++ {
		d := disk.NewMemory()
		put(t, d, "test-20260131235959-00000.warc.gz", "0123456789")
		put(t, d, "test-20260131235959-00001.warc.gz", "one")
		syncAll(t, d)
		d.Stop(stop)
		_, err := Open(d, config(0), Position{0, 4})
		for random := range uint64(4) {
			left := d.Crash(random)
			recovered(t, left, Position{0, 4})
			got := slices.Sorted(maps.Values(contents(t, left.Kill())))
			if !slices.Equal(got, []string{"0123", "456789", "one"}) {
				t.Fatalf("stop %d: %q", stop, got)
			}
		}
		if err == nil {
			if stop < 8 {
				t.Fatalf("only %d operations", stop)
			}
			return
		}
	}
}

func syncAll(t *testing.T, d *disk.Memory) {
	t.Helper()
	all, err := d.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		f, err := d.Open(e.Name, disk.Change)
		if err == nil {
			err = f.Sync()
		}
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	if err := d.Sync(); err != nil {
		t.Fatal(err)
	}
}

// A file that is closed, not there or too short is not written on: the next is begun. Its
// number stays the next until something is written.
func TestBeginNext(t *testing.T) {
	const name = "test-20260131235959-00003.warc.gz"
	for _, c := range []struct {
		what  string
		files map[string]string
		want  Recovery
		left  []string
	}{
		{"closed", map[string]string{name: "0123", "test-20260131235959-00003.cdxj": "index"}, Recovery{}, []string{"test-20260131235959-00003.cdxj", name}},
		{"moved away", nil, Recovery{Absent: true, Missing: 4}, nil},
		{"short", map[string]string{name + OpenSuffix: "01"}, Recovery{Missing: 2}, []string{name}},
	} {
		d := disk.NewMemory()
		for name, data := range c.files {
			put(t, d, name, data)
		}
		r, next := recovered(t, d, Position{3, 4})
		if !reflect.DeepEqual(r, c.want) || next != (Position{4, 0}) {
			t.Errorf("%s: %+v, goes on at %+v", c.what, r, next)
		}
		if got := slices.Sorted(maps.Keys(contents(t, d))); !slices.Equal(got, c.left) {
			t.Errorf("%s: files %q", c.what, got)
		}
		w := open(t, d, config(0), Position{4, 0})
		if got := w.Append([]byte("x")).File; got != 4 {
			t.Errorf("%s: written to file %d", c.what, got)
		}
		commit(t, w)
		if err := w.Close(); err != nil {
			t.Error(err)
		}
		if got := slices.Sorted(maps.Keys(contents(t, d))); len(got) != len(c.left)+1 || !strings.HasSuffix(got[len(got)-1], fmt.Sprintf("-%05d.warc.gz", 4)) {
			t.Errorf("%s: files %q", c.what, got)
		}
	}
}
