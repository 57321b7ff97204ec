package node

import (
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/cluster/memory"
	"github.com/winnow-crawler/winnow/crawl/partition"
	"github.com/winnow-crawler/winnow/crawl/port"
)

// A coordinator whose partition another node has taken does not end the crawl, though it has found the
// end: the next one may have begun something. Nor does one that does not know yet that the crawl has
// another plan.
func TestLateEnd(t *testing.T) {
	t.Parallel()
	t.Run("another coordinator", func(t *testing.T) { endLate(t, func(w *control) { w.Coordinator = 6 }) })
	t.Run("another plan", func(t *testing.T) { endLate(t, func(w *control) { w.Coordinator, w.Turn = 5, 1 }) })
}

func endLate(t *testing.T, change func(*control)) {
	synctest.Test(t, func(t *testing.T) {
		e := memory.New(1, memory.Faults{}).Client("", nil).Engine()
		c := partition.NewCoordinator(1, 0, 0, func(int) {})
		c.Say(0, port.Report{Stop: "finished"})
		h := &hosting{engine: e, log: slog.New(slog.DiscardHandler)}
		h.coordination = &coordination{coordinator: c, self: &hosted{epoch: 5, gate: func() error { return nil }}}
		if err := setControl(t.Context(), e, change); err != nil {
			t.Fatal(err)
		}
		h.declare(t.Context())
		if w, _, err := getControl(t.Context(), e.Register); err != nil || w.Stop != "" {
			t.Errorf("the crawl has ended: %+v, %v", w, err)
		}
	})
}

// A partition does not begin before the watch of the register has shown that it was taken: what the
// register was told before, such as the end of the crawl, is known then.
func TestCatchUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := &hosting{log: slog.New(slog.DiscardHandler), epochs: make([]uint64, 1), news: make(chan struct{})}
		come := make(chan error, 1)
		go func() { come <- h.catchUp(t.Context(), 0, &cluster.Tenure{Epoch: 5}) }()
		for _, epoch := range []string{"", "4", "5"} {
			if epoch != "" {
				h.see(cluster.Value{Key: "part.0", Revision: 1, Data: []byte(`{"node":"a","epoch":` + epoch + `}`)})
			}
			synctest.Wait()
			if has := len(come) > 0; has != (epoch == "5") {
				t.Errorf("after epoch %q: it begins: %v", epoch, has)
			}
		}
		if err := <-come; err != nil {
			t.Error(err)
		}
	})
}
