package graph

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestNameTable compares the table with a Go map, over names of all lengths.
func TestNameTable(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var table nameTable
	model := map[string]Site{}
	for i := range 200_000 {
		name := fmt.Appendf(nil, "http://s%d.example", r.IntN(50_000))
		switch i % 1000 {
		case 1:
			name = nil
		case 2:
			name = bytes.Repeat([]byte{byte(i)}, nameBlock-i/1000)
		}
		want, ok := model[string(name)]
		if !ok {
			want = Site(len(model))
			model[string(name)] = want
		}
		if got := table.add(name); got != want {
			t.Fatalf("name %.40q has number %d, want %d", name, got, want)
		}
	}
	if table.Len() != len(model) {
		t.Fatalf("%d names, want %d", table.Len(), len(model))
	}
	for name, s := range model {
		if string(table.name(s)) != name {
			t.Fatalf("name %d is %.40q, want %.40q", s, table.name(s), name)
		}
	}
}
