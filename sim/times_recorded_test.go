package sim

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// What is drawn for a site comes from what was measured there and nowhere else, as often
// as it was measured (L3: Kolmogorov-Smirnov, p > 0.05), and sizes of fetched pages are
// their own (L4).
func TestRecordedPerSite(t *testing.T) {
	var all []Observation
	want := [2][]float64{}
	for i := range 200 {
		a, b := 0.01+float64(i)/1e4, 1+math.Sqrt(float64(i))
		want[0], want[1] = append(want[0], a), append(want[1], b)
		all = append(all, Observation{FirstByteSeconds, 1, b}, Observation{FirstByteSeconds, 0, a})
	}
	all = append(all, Observation{BytesPerSecond, 0, 5e4}, Observation{PageBytes, 1, 700}, Observation{LookupSeconds, 0, 0.02})
	x, err := Recorded("test", 3, all, []graph.Site{0, 1, 1}, []uint32{1234})
	if err != nil {
		t.Fatal(err)
	}
	for s := range want {
		var got []float64
		for p := range graph.Page(2000) {
			got = append(got, x.FirstByte(graph.Site(s), p, 0).Seconds())
		}
		// The critical value for samples of 2,000 and 200 at 0.05.
		if d := ksTwo(got, want[s]); d > 1.36*math.Sqrt((2000+200)/(2000.0*200)) {
			t.Errorf("site %d: Kolmogorov-Smirnov distance %g", s, d)
		}
	}
	if x.Size(0) != 1234 || x.Size(1) != 700 || x.Speed(0) != 5e4 {
		t.Errorf("sizes %d %d, speed %g", x.Size(0), x.Size(1), x.Speed(0))
	}
	if x.Resolve(0, 0) != 20*time.Millisecond || x.Close(0, 0) != 0 || x.Connect(0, 1) != 0 {
		t.Errorf("lookup %v, close %v, connect %v", x.Resolve(0, 0), x.Close(0, 0), x.Connect(0, 1))
	}
	if x.Speed(1) != 5e4 {
		t.Errorf("speed of a site that sent nothing is %g, want that of the other", x.Speed(1))
	}
	if text := x.String(); !strings.Contains(text, "recorded by test; lookup 1 times at 1 sites") {
		t.Error(text)
	}
}

// Sites that were never requested, known to the crawl or not, are like one of the others: the
// same one in all requests, and each of the others about as often.
func TestRecordedDonors(t *testing.T) {
	all := []Observation{{FirstByteSeconds, 2, 1}, {FirstByteSeconds, 2, 1}, {FirstByteSeconds, 7, 2}, {FirstByteSeconds, 50, 4}}
	x, err := Recorded("test", 1, all, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[time.Duration]int{}
	for s := graph.Site(100); s < 1000; s++ {
		d := x.FirstByte(s, 0, 0)
		for p := range graph.Page(5) {
			if again := x.FirstByte(s, p, 0); again != d {
				t.Fatalf("site %d: %v, then %v", s, d, again)
			}
		}
		seen[d]++
	}
	for _, d := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} {
		if n := seen[d]; n < 240 || n > 360 {
			t.Errorf("%d of 900 sites are like the one of %v", n, d)
		}
	}
	if x.RobotsSize(2) != 1 || x.Speed(9) != unlimited {
		t.Errorf("never measured: robots.txt of %d bytes, speed %g", x.RobotsSize(2), x.Speed(9))
	}
}

func TestRecordedNothing(t *testing.T) {
	if _, err := Recorded("x", 1, []Observation{{LookupSeconds, 0, 1}}, nil, nil); !errors.Is(err, ErrNoTimes) {
		t.Errorf("without an answer: %v", err)
	}
	if _, err := Recorded("x", 1, []Observation{{FirstByteSeconds, 0, math.NaN()}}, nil, nil); err == nil {
		t.Error("not a number is no time")
	}
}
