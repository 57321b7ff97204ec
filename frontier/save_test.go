package frontier

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// plain returns a frontier with breadth-first and one page, which is acquired.
func plain(t *testing.T, o Options) *Frontier {
	t.Helper()
	choice, err := policy.Choose("breadth-first")
	if err != nil {
		t.Fatal(err)
	}
	o.MaxPages, o.MaxSites = 10, 10
	f, err := New(o, policy.Env{}, choice, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Free)
	f.Apply(0, &event.Event{Kind: event.Seed, New: []graph.Site{0}})
	if _, _, ok := f.Next(0); !ok {
		t.Fatal("the seed is not handed out")
	}
	return f
}

// TestLoadRefuses: a last column that cannot be that of a frontier is an error, however
// sound its checksum.
func TestLoadRefuses(t *testing.T) {
	for _, rest := range [][]uint64{nil, {1, 2, 3}, {0, 0, 0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 0, 2, 0, 0, 5, 0, 6},
		{0, 0, 0, 0, 0, 1 << 63, 0, 0, 5, 0}, {0, 0, 0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 1, 1 << 63, 0, 5, 0}} {
		f := plain(t, Options{})
		var b bytes.Buffer
		save := func(c graph.AnyColumn) {
			if err := c.Save(&b); err != nil {
				t.Fatal(err)
			}
		}
		layout := columnOf("frontier layout", []uint8(f.layout))
		save(layout)
		layout.Free()
		f.Columns(save)
		last := graph.NewColumn[uint64]("rest", 20)
		for _, v := range rest {
			last.Append(v)
		}
		save(last)
		last.Free()
		if err := f.Load(&b); err == nil || !strings.Contains(err.Error(), "load frontier") {
			t.Errorf("%d: error %v", rest, err)
		}
	}
}

// TestLayout: what was saved with another policy, mode or kind of twins is refused, and the
// message names both; what only changes limits and delays is not.
func TestLayout(t *testing.T) {
	make := func(name string, o Options) *Frontier {
		choice, err := policy.Choose(name)
		if err != nil {
			t.Fatal(err)
		}
		o.MaxPages, o.MaxSites = max(10, o.MaxPages), 10
		f, err := New(o, policy.Env{Batch: 5}, choice, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(f.Free)
		return f
	}
	alone := func(graph.Site) graph.Site { return graph.NoSite }
	saved := make("opic", Options{})
	saved.Apply(0, &event.Event{Kind: event.Seed, New: []graph.Site{0}})
	for _, c := range []struct {
		name string
		o    Options
		want string
	}{
		{"opic/cash=seeds", Options{Delay: time.Second, Robots: true, MaxPages: 100, AddressCap: 1}, ""},
		{"opic/cash=all", Options{}, "this one is \"frontier 13, continuous, opic/cash=all\""},
		{"breadth-first", Options{}, "it was saved as \"frontier 13, continuous, opic/cash=seeds\""},
		{"opic", Options{Mode: Thesis, Batch: 3}, "thesis"},
		{"opic", Options{Twin: alone}, "twins"},
		{"batch-pagerank", Options{}, "links"},
	} {
		var b bytes.Buffer
		if err := saved.Save(&b); err != nil {
			t.Fatal(err)
		}
		err := make(c.name, c.o).Load(&b)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s %+v: error %v, want %q", c.name, c.o, err, c.want)
		}
	}
}

// TestHeldSaved: holds leave no trace in what is saved and in Columns, whether the site would be ready
// or has to wait, and sites are held still afterwards.
func TestHeldSaved(t *testing.T) {
	for _, delay := range []time.Duration{0, time.Minute} {
		var saved [2]bytes.Buffer
		for i, hold := range []bool{false, true} {
			f := plain(t, Options{Delay: delay, Hold: hold})
			f.Apply(time.Second, &event.Event{Kind: event.Done, End: time.Second, New: []graph.Site{0}, Links: []graph.Page{1}})
			if err := f.Save(&saved[i]); err != nil {
				t.Fatal(err)
			}
			f.Columns(func(c graph.AnyColumn) { c.Save(&saved[i]) }) // a buffer never fails
			if w, _, ok := f.Next(time.Hour); ok == hold {
				t.Errorf("delay %v, hold %v: hands out %+v (%v)", delay, hold, w, ok)
			}
		}
		if !bytes.Equal(saved[0].Bytes(), saved[1].Bytes()) {
			t.Errorf("delay %v: what is saved with and without a hold differs", delay)
		}
	}
}

// TestLinksOfRevisits: the links that policies read again are those of the first visit.
func TestLinksOfRevisits(t *testing.T) {
	choice, err := policy.Choose("batch-pagerank")
	if err != nil {
		t.Fatal(err)
	}
	f, err := New(Options{MaxPages: 10, MaxSites: 10}, policy.Env{Batch: 2}, choice, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Free()
	f.Apply(0, &event.Event{Kind: event.Seed, New: []graph.Site{0}})
	visits := []event.Event{
		{Kind: event.Done, New: []graph.Site{1}, Links: []graph.Page{1}, Due: 10},
		{Kind: event.Done, Task: event.Task{Page: 1}},
		{Kind: event.Done, New: []graph.Site{2}, Links: []graph.Page{2}},
	}
	for i, at := range []time.Duration{0, 0, 10} {
		if w, _, ok := f.Next(at); !ok || w.Page != visits[i].Page {
			t.Fatalf("visit %d: hands out %+v (%v)", i, w, ok)
		}
		f.Apply(at, &visits[i])
	}
	if got := f.Out(0); !slices.Equal(got, []graph.Page{1}) {
		t.Errorf("links %v", got)
	}
}

// TestFactorWithoutEnd: a delay that no duration can hold is the longest there is, not
// none at all.
func TestFactorWithoutEnd(t *testing.T) {
	f := plain(t, Options{Factor: 1e300})
	f.Apply(time.Second, &event.Event{Kind: event.Done, End: time.Second, New: []graph.Site{0}, Links: []graph.Page{1}})
	if w, ask, ok := f.Next(time.Hour); ok || ask < event.Never/2 {
		t.Errorf("after a delay without end it hands out %+v %v, or asks again at %v", w, ok, ask)
	}
}
