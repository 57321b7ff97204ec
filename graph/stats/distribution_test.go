package stats

import (
	"math"
	"slices"
	"testing"
)

func TestBins(t *testing.T) {
	d := Distribution{{0, 5}, {1, 4}, {2, 1}, {3, 2}, {4, 3}, {9, 1}, {10, 1}, {16, 7}}
	want := []Bin{{0, 1, 5}, {1, 10, 11}, {10, 100, 8}}
	if got := d.Log(1); !slices.Equal(got, want) {
		t.Errorf("bins by decade %v, want %v", got, want)
	}
	// 10^(k/4): 1.8 3.2 5.6 10 17.8, rounded up
	want = []Bin{{0, 1, 5}, {1, 2, 4}, {2, 4, 3}, {4, 6, 3}, {6, 10, 1}, {10, 18, 8}}
	if got := d.Log(4); !slices.Equal(got, want) {
		t.Errorf("four bins a decade %v, want %v", got, want)
	}
	if got := (Distribution{}).Log(1); !slices.Equal(got, []Bin{{0, 1, 0}}) {
		t.Errorf("bins of nothing %v", got)
	}
}

func TestDistribution(t *testing.T) {
	var c counter
	for _, v := range []uint64{3, 0, 1 << 40, 3, 70000, 9, 70000, 100} {
		c.add(v)
	}
	d := c.distribution()
	want := Distribution{{0, 1}, {3, 2}, {9, 1}, {100, 1}, {70000, 2}, {1 << 40, 1}}
	if !slices.Equal(d, want) {
		t.Errorf("%v, want %v", d, want)
	}
	if d.Pages() != 8 || d.Below(10) != 4 || d.Below(9) != 3 || d.Max() != 1<<40 {
		t.Errorf("pages %d, below 10: %d, below 9: %d, max %d", d.Pages(), d.Below(10), d.Below(9), d.Max())
	}
	if got := d[:4].Mean(); got != 23 { // (0+3+3+9+100)/5
		t.Errorf("mean %v", got)
	}
}

func TestBands(t *testing.T) {
	got := Bands([]float64{0.1, 0.5, 1, 9.99, 10, 0, -1, math.NaN()}, 1)
	if len(got) != 3 {
		t.Fatalf("bands %v", got)
	}
	for i, want := range []Bin{{0.1, 1, 2}, {1, 10, 2}, {10, 100, 1}} {
		if math.Abs(got[i].Lo/want.Lo-1) > 1e-12 || math.Abs(got[i].Hi/want.Hi-1) > 1e-12 || got[i].Pages != want.Pages {
			t.Errorf("band %d is %v, want %v", i, got[i], want)
		}
	}
	if got := Bands([]float64{0, -3}, 4); got != nil {
		t.Errorf("bands of nothing: %v", got)
	}
}

func TestBinPlaces(t *testing.T) {
	if b := (Bin{4, 9, 10}); b.Centre() != 6 || b.Density() != 2 {
		t.Errorf("centre %v, density %v", b.Centre(), b.Density())
	}
	if b := (Bin{1, 2, 3}); b.Centre() != 1 {
		t.Errorf("centre %v", b.Centre())
	}
}
