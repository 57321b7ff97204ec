package frontier

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
)

// plain is a frontier with breadth-first and one page, which is acquired.
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
	f.Apply(0, &Event{Kind: Seed, New: []graph.Site{0}})
	if _, _, ok := f.Next(0); !ok {
		t.Fatal("the seed is not handed out")
	}
	return f
}

// TestLoadRefuses: a last column that cannot be that of a frontier is an error, however
// sound its checksum.
func TestLoadRefuses(t *testing.T) {
	for _, rest := range [][]uint64{nil, {1, 2, 3}, {0, 0, 0, 0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 0, 0, 2, 0, 0, 5, 0, 6},
		{0, 0, 0, 0, 0, 0, 1 << 63, 0, 0, 5, 0}, {0, 0, 0, 0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 0, 1, 1 << 63, 0, 5, 0}} {
		f := plain(t, Options{})
		var b bytes.Buffer
		save := func(c graph.AnyColumn) {
			if err := c.Save(&b); err != nil {
				t.Fatal(err)
			}
		}
		layout := f.layoutColumn()
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

// TestFactorWithoutEnd: a delay that no duration can hold is the longest there is, not
// none at all.
func TestFactorWithoutEnd(t *testing.T) {
	f := plain(t, Options{Factor: 1e300})
	f.Apply(time.Second, &Event{Kind: Done, End: time.Second, New: []graph.Site{0}, Links: []graph.Page{1}})
	if w, ask, ok := f.Next(time.Hour); ok || ask < Never/2 {
		t.Errorf("after a delay without end it hands out %+v %v, or asks again at %v", w, ok, ask)
	}
}
