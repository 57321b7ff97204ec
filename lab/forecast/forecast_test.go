package forecast

import (
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/advise"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/sim"
)

// A tenth more is spent at the first fetch beyond it.
func TestSpentAt(t *testing.T) {
	res := adviseResult()
	for budget, want := range map[advise.Budget]int{advise.Pages: 22, advise.Hours: 24, advise.Bytes: 21} {
		if end, ok := spentAt(res, 20, advise.Forecast{Budget: budget, More: 2}); !ok || end != want {
			t.Errorf("%s: %d, %v, want %d", budget, end, ok, want)
		}
	}
	if _, ok := spentAt(res, 20, advise.Forecast{Budget: advise.Pages, More: 100}); ok {
		t.Error("a crawl of 40 pages had 120")
	}
}

// adviseResult is a crawl of 40 pages of one byte and two by turns, half an hour each.
func adviseResult() *sim.Result {
	res := &sim.Result{}
	for i := range 40 {
		res.Order = append(res.Order, graph.Page(i))
		res.End = append(res.End, time.Duration(i+1)*30*time.Minute)
		res.Bytes = append(res.Bytes, int64(1+i%2))
	}
	return res
}
