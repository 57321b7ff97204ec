package node

import (
	"encoding/json"
	"testing"

	"github.com/winnow-crawler/winnow/cluster/memory"
	"github.com/winnow-crawler/winnow/crawl/history"
)

// How a partition ended does not count after the crawl was resumed.
func TestStandTurns(t *testing.T) {
	e := memory.New(1, memory.Faults{}).Client("user", nil).Engine()
	put := func(part, turn int, fetched int64) {
		t.Helper()
		v, err := e.Register.Get(t.Context(), doneKey(part))
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(doneValue{Epoch: 1, Turn: turn, Status: history.Status{Fetched: fetched}})
		if err == nil {
			_, err = e.Register.Put(t.Context(), doneKey(part), v.Revision, data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	command := func(c string) {
		t.Helper()
		if err := Command(t.Context(), e, c); err != nil {
			t.Fatal(err)
		}
	}
	command(commandStop)
	put(0, 0, 5)
	put(1, 0, 7)
	command(commandResume)
	command(commandResume) // it runs: this changes nothing
	command(commandStop)
	put(1, 1, 9)
	s, err := Stand(t.Context(), e.Register)
	if err != nil || s.Stop != whyStopped || len(s.Done) != 1 || s.Done[1] == nil || s.Done[1].Fetched != 9 {
		t.Errorf("%+v, %v; want partition 1 alone, with 9 pages", s, err)
	}
}
