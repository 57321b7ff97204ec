package urltable

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
)

func newTestIDs(t testing.TB, most int) *idTable {
	table := newIDTable(new(graph.Set), "test", most)
	t.Cleanup(table.slots.Free)
	return &table
}

func mustHold(t testing.TB, table *idTable) {
	t.Helper()
	if err := table.check(); err != nil {
		t.Fatalf("at %d ids: %v", table.n, err)
	}
}

// TestSlotsAgainstMap: ids are those of a map that numbers what it sees, whatever the
// hashes look like: those of a hash, and those that no hash gives.
func TestSlotsAgainstMap(t *testing.T) {
	for name, draw := range map[string]func(r *rand.Rand) uint64{
		"uniform":   func(r *rand.Rand) uint64 { return r.Uint64() >> 45 << 45 },
		"small":     func(r *rand.Rand) uint64 { return r.Uint64N(9_000) },
		"large":     func(r *rand.Rand) uint64 { return 1<<64 - 1 - r.Uint64N(9_000) },
		"two heaps": func(r *rand.Rand) uint64 { return r.Uint64N(5_000)<<30 | r.Uint64()>>63<<63 },
		"steep":     func(r *rand.Rand) uint64 { return r.Uint64N(1<<20) >> r.UintN(20) << 44 },
	} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			table, want := newTestIDs(t, 200_000), map[uint64]uint32{}
			steps := 100_000
			if testing.Short() {
				steps = 10_000 // inserts among hashes that are no hashes move many slots
			}
			for i := range steps {
				hash := draw(r)
				known, ok := want[min(hash, maxHash)]
				if id, found := table.lookup(hash); found != ok || found && id != known {
					t.Fatalf("step %d: hash %#x is id %d (%v), want %d (%v)", i, hash, id, found, known, ok)
				}
				if !ok {
					known = uint32(len(want))
					want[min(hash, maxHash)] = known
				}
				if id, fresh := table.add(hash); fresh == ok || id != known {
					t.Fatalf("step %d: hash %#x added as %d (%v), want %d", i, hash, id, fresh, known)
				}
				if i%5_000 == 0 {
					mustHold(t, table)
				}
			}
			mustHold(t, table)
			for hash, id := range want {
				if got, ok := table.lookup(hash); !ok || got != id {
					t.Fatalf("hash %#x is id %d (%v), want %d", hash, got, ok, id)
				}
			}
		})
	}
}

// TestSlotsIsInOrder checks the whole table after every insert, through two growths.
func TestSlotsIsInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	table := newTestIDs(t, 10_000)
	for range full(firstScale) - 300 {
		table.add(r.Uint64())
	}
	for table.n < 4_200 {
		table.add(r.Uint64())
		mustHold(t, table)
	}
	if table.scale == firstScale || table.scale == firstScale+firstScale/16 {
		t.Errorf("scale %d: the table did not grow twice", table.scale)
	}
}

// TestSlotsIsTight: at most 16 bytes an id and 14.2 on average from 100,000 ids on, at
// every moment, and no insert moves more slots than can be moved in 100 microseconds.
// (A slot takes a few nanoseconds; measured numbers stand at BenchmarkTable.)
func TestSlotsIsTight(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	table := newTestIDs(t, 1_000_000)
	worst, sum, count := 0.0, 0.0, 0
	for table.n < 1_000_000 {
		table.add(r.Uint64())
		if table.n < 100_000 {
			continue
		}
		each := float64(table.slots.Len()) / float64(table.n)
		worst, sum, count = max(worst, each), sum+each, count+1
	}
	mustHold(t, table)
	if mean := sum / float64(count); worst > 14.7 || mean > 14.2 {
		t.Errorf("%.2f bytes an id on average, %.2f at worst", mean, worst)
	}
	if table.most > 4_000 {
		t.Errorf("one insert moved %d slots", table.most)
	}
}

// TestSlotsRefusesWhatItIsNot: a table loaded from a file whose checksum is right and
// whose content is not says so instead of searching for ever.
func TestSlotsRefusesWhatItIsNot(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	table := newTestIDs(t, 10_000)
	for range 3_600 {
		table.add(r.Uint64())
	}
	good, state := bytes.Clone(table.slots.Slice()), table.state()
	used := bytes.IndexFunc(good, func(r rune) bool { return r != 0 }) / slotSize * slotSize
	for name, spoil := range map[string]func(b []byte, s *[4]uint64){
		"swapped":     func(b []byte, s *[4]uint64) { swapSlots(b, used, used+10*slotSize) },
		"moved":       func(b []byte, s *[4]uint64) { swapSlots(b, used, len(b)-2*slotSize) },
		"lost":        func(b []byte, s *[4]uint64) { clear(b[used : used+slotSize]) },
		"foreign id":  func(b []byte, s *[4]uint64) { binary.LittleEndian.PutUint32(b[used+8:], 3_600) },
		"last slot":   func(b []byte, s *[4]uint64) { setSlot(b, len(b)-slotSize, slot{1, 1}) },
		"count":       func(b []byte, s *[4]uint64) { s[0]++ },
		"scale":       func(b []byte, s *[4]uint64) { s[1]++ },
		"huge scale":  func(b []byte, s *[4]uint64) { s[1] = 1 << 63 },
		"no scale":    func(b []byte, s *[4]uint64) { s[1] = 0 },
		"split":       func(b []byte, s *[4]uint64) { s[2] = 1 << 40 },
		"split, last": func(b []byte, s *[4]uint64) { s[2] = 1<<64 - 1; s[3] = 0 },
		"low":         func(b []byte, s *[4]uint64) { s[3] = 1 },
		"high low":    func(b []byte, s *[4]uint64) { s[3] = 1 << 60 },
	} {
		copy(table.slots.Slice(), good)
		bad := state
		spoil(table.slots.Slice(), &bad)
		if err := table.restore(bad); err == nil || !strings.Contains(err.Error(), `"test"`) {
			t.Errorf("%s: %v", name, err)
		}
	}
	copy(table.slots.Slice(), good)
	if err := table.restore(state); err != nil {
		t.Error(err)
	}
}

func swapSlots(b []byte, i, j int) {
	one, two := slotAt(b, i), slotAt(b, j)
	setSlot(b, i, two)
	setSlot(b, j, one)
}
