package node

import (
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/cluster/memory"
	"github.com/winnow-crawler/winnow/crawl/partition"
	"github.com/winnow-crawler/winnow/crawl/port"
)

// A coordinator whose partition another node has taken does not end the crawl, though it has found the
// end: the next one may have begun something.
func TestLateEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := memory.New(1, memory.Faults{}).Client("", nil).Engine()
		c := partition.NewCouncil(1, 0, 0, func(int) {})
		c.Say(0, port.Report{Stop: "finished"})
		h := &hall{engine: e, log: slog.New(slog.DiscardHandler)}
		h.bench = &bench{council: c, self: &seat{epoch: 5, gate: func() error { return nil }}}
		if err := setWord(t.Context(), e, func(w *word) { w.Chair = 6 }); err != nil {
			t.Fatal(err)
		}
		h.declare(t.Context())
		if w, _, err := getWord(t.Context(), e.Register); err != nil || w.Stop != "" {
			t.Errorf("the crawl has ended: %+v, %v", w, err)
		}
	})
}
