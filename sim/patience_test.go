package sim

import (
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// One site, one fetcher, breadth-first: a page that was given up is the first of the queue
// again. The crawl takes the sum of all attempts, each of which ends at a limit or with its
// page, and a page is lost after the last retry.
func TestPatience(t *testing.T) {
	const n = 300
	out := make([][]graph.Page, n)
	for p := graph.Page(1); p < n; p++ {
		out[0] = append(out[0], p)
	}
	lists := graph.ListsOf(out)
	defer lists.Free()
	times := &Times{Seed: 4, Model: thesis2004()}
	level := time.Duration(times.latency(0) * float64(time.Second))
	limit := Patience{Connect: 2 * level, FirstByte: level / 2, Retries: 2}
	w := &World{Out: lists, SiteOf: make([]graph.Site, n), Sites: 1, Times: times}
	res, err := Run(w, Options{Setup: Setup{Seeds: []graph.Page{0}, Batch: 1, Patience: limit}, Policy: mustChoose(t, "breadth-first")})
	if err != nil {
		t.Fatal(err)
	}
	var took time.Duration
	fetched, gaveUp, lost := 0, 0, 0
	for p := graph.Page(0); p < n; p++ {
		for try := uint32(0); ; try++ {
			connect, answer := times.Connect(0, uint32(p)^try*again), times.FirstByte(0, p, try)
			if connect <= limit.Connect && answer <= limit.FirstByte {
				took += connect + answer + TransferTime(float64(times.Size(p)), times.Speed(0))
				fetched++
				break
			}
			if took += limit.Connect; connect <= limit.Connect {
				took += connect + limit.FirstByte - limit.Connect
			}
			if gaveUp++; try == uint32(limit.Retries) {
				lost++
				break
			}
		}
	}
	if gaveUp < 20 || lost < 2 || fetched < n/2 {
		t.Fatalf("%d attempts given up, %d pages lost, %d fetched: the test shows little", gaveUp, lost, fetched)
	}
	if len(res.Order) != fetched || res.Timeouts != gaveUp || res.Lost != lost || res.Took != took {
		t.Errorf("%d pages in %v, %d attempts given up, %d lost; want %d in %v, %d, %d", len(res.Order), res.Took, res.Timeouts, res.Lost, fetched, took, gaveUp, lost)
	}
	if res, err = Run(w, Options{Setup: Setup{Seeds: []graph.Page{0}, Batch: 1, Patience: limit, MaxPages: 20}, Policy: mustChoose(t, "breadth-first")}); err != nil || len(res.Order) != 20 {
		t.Errorf("with --max-pages 20: %d pages, %v", len(res.Order), err)
	}
}
