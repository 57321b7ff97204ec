package sim

import (
	"slices"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
)

// In a recorded world, pages without content are known, cost nothing and lead nowhere.
func TestRecordedWorld(t *testing.T) {
	// 0 -> 1, 2, 3; 1 and 2 have no content, and 2 is alone on its site; 3 -> 6
	lists := [][]graph.Page{{1, 2, 3}, {}, {}, {6}, {}, {}, {}}
	out := graph.NewLists(len(lists), 4)
	t.Cleanup(out.Free)
	n := 0
	for p, list := range lists {
		n += copy(out.To.Slice()[n:], list)
		out.Off.Set(p+1, uint64(n))
	}
	times, err := Recorded("test", 1, []Observation{{FirstByteSeconds, 0, 1}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &World{
		Out: out, SiteOf: []graph.Site{0, 0, 1, 0, 0, 0, 0}, Sites: 2, Times: times,
		Content: func(p graph.Page) bool { return p != 1 && p != 2 },
	}
	res, err := Run(w, Options{Policy: mustChoose(t, "breadth-first"), Setup: Setup{Seeds: []graph.Page{0}, Frontier: frontier.Options{Robots: true}}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(res.Order, []graph.Page{0, 3, 6}) || res.Requests != 4 || res.Known != 5 || res.Sites != 2 {
		t.Errorf("order %v, %d requests, %d pages known", res.Order, res.Requests, res.Known)
	}
	if took := res.Took.Round(time.Second); took != 4*time.Second {
		t.Errorf("it took %v, want a second for each of four requests", took)
	}
}

// One site with three pages, a second each and 10 s apart, and three fetchers: what the
// idle ones wait for, and when.
func TestIdleReasons(t *testing.T) {
	out := graph.ListsOf([][]graph.Page{{1, 2}, {}, {}})
	t.Cleanup(out.Free)
	times, err := Recorded("test", 1, []Observation{{FirstByteSeconds, 0, 1}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &World{Out: out, SiteOf: make([]graph.Site, 3), Sites: 1, Times: times}
	res, err := Run(w, Options{
		Policy: mustChoose(t, "breadth-first"),
		Setup:  Setup{Seeds: []graph.Page{0}, Fetchers: 3, Frontier: frontier.Options{Delay: 10 * time.Second}},
	})
	if err != nil {
		t.Fatal(err)
	}
	// Page 0, a pause for all, page 1 while page 2 waits for the site, a pause, page 2,
	// which is the last page of the world.
	want := Share{Active: 3, Idle: [Reasons]float64{Nothing: 2, Busy: 2, Polite: 3*10 + 3*10, Limit: 2}}
	if got := res.Trace.Total(); !alike(got, want, 1e-3) || res.Trace.Peak() != 1 {
		t.Errorf("%+v, want %+v; at most %d fetchers", got, want, res.Trace.Peak())
	}
}

// A connection that stays open saves the time to connect: here 5 s of each of the pages but
// the first, which takes 1 s. Servers that did not keep theirs in a recorded crawl do not.
func TestKeptConnections(t *testing.T) {
	out := graph.ListsOf([][]graph.Page{{1}, {2}, {3}, {}})
	t.Cleanup(out.Free)
	const s = time.Second
	kept, closed := Observation{KeptShare, 0, 1}, Observation{KeptShare, 0, 0}
	for _, test := range []struct {
		name string
		more []Observation
		keep time.Duration
		want time.Duration
	}{
		{"a new connection for each page", nil, 0, 4*6*s + 3*10*s},
		{"kept", nil, 10 * s, 4*s + 5*s + 3*10*s},
		{"for too short a time", nil, 9 * s, 4*6*s + 3*10*s},
		{"as recorded", []Observation{kept}, 10 * s, 4*s + 5*s + 3*10*s},
		{"closed by the server", []Observation{closed}, 10 * s, 4*6*s + 3*10*s},
	} {
		all := append([]Observation{{FirstByteSeconds, 0, 1}, {ConnectSeconds, 0, 5}}, test.more...)
		times, err := Recorded("test", 1, all, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := Run(&World{Out: out, SiteOf: make([]graph.Site, 4), Sites: 1, Times: times}, Options{
			Policy: mustChoose(t, "breadth-first"),
			Setup:  Setup{Seeds: []graph.Page{0}, Frontier: frontier.Options{Delay: 10 * s, KeepAlive: test.keep}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := res.Took.Round(s); got != test.want {
			t.Errorf("%s: it took %v, want %v", test.name, got, test.want)
		}
	}
}
