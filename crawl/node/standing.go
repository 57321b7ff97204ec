package node

import (
	"context"
	"encoding/json"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/history"
)

// A Standing is what the register of a crawl says about its course.
type Standing struct {
	Stop   string // why the crawl has ended; "": it has not
	Paused bool
	// Done has, of a crawl that has ended, how each partition has, if its owner could say so.
	Done map[int]*history.Status
}

// doneValue is the value of the key of a partition that has ended with the crawl.
type doneValue struct {
	Epoch  uint64         `json:"epoch"`
	Turn   int            `json:"turn"` // as the control value had it: one of an earlier turn does not count
	Status history.Status `json:"status"`
}

const doneKind = "done"

func doneKey(part int) string { return doneKind + "." + strconv.Itoa(part) }

// Stand reads how a crawl stands.
func Stand(ctx context.Context, r cluster.Register) (Standing, error) {
	s := Standing{Done: map[int]*history.Status{}}
	turn, turns := 0, map[int]int{}
	err := cluster.Values(ctx, r, func(v cluster.Value) {
		kind, name, _ := strings.Cut(v.Key, ".")
		switch kind {
		case controlKey:
			var w control
			if json.Unmarshal(v.Data, &w) == nil {
				s.Stop, s.Paused, turn = w.Stop, w.Paused, w.Turn
			}
		case doneKind:
			var x doneValue
			if p, err := strconv.Atoi(name); err == nil && json.Unmarshal(v.Data, &x) == nil {
				restore(&x.Status)
				s.Done[p], turns[p] = &x.Status, x.Turn
			}
		}
	})
	maps.DeleteFunc(s.Done, func(p int, _ *history.Status) bool { return turns[p] != turn })
	return s, err
}

// restore sets what the JSON form of a status leaves out and the sum of several needs.
func restore(s *history.Status) { s.Ran = time.Duration(s.Worked * float64(time.Second)) }

// note writes to the register how a partition has ended with the crawl. It is for those who ask for
// the status, and nothing depends on it.
func (h *hosting) note(self int, s *hosted, sum *crawl.Summary) {
	h.mu.Lock()
	w := h.control
	h.mu.Unlock()
	if sum == nil || w.Stop == "" || s.gate() != nil {
		return
	}
	data, err := json.Marshal(doneValue{s.epoch, w.Turn, sum.Status})
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), callTime)
	defer cancel()
	v, err := h.engine.Register.Get(ctx, doneKey(self))
	if err == nil {
		_, err = h.engine.Register.Put(ctx, doneKey(self), v.Revision, data)
	}
	if err != nil {
		h.log.Info("cannot write how a partition has ended", "partition", self, "error", err)
	}
}
