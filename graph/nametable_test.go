package graph

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
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

// TestTooManySites: names of sites count in the memory allowed.
func TestTooManySites(t *testing.T) {
	const pages = 200_000
	src := Source{
		Pages: pages,
		Lists: func(func(Page, []Page) error) error { return nil },
		URLs: func(emit func([]byte) error) error {
			for p := range pages {
				if err := emit(fmt.Appendf(nil, "http://%0100d.example/", p)); err != nil {
					return err
				}
			}
			return nil
		},
	}
	out := filepath.Join(t.TempDir(), "g.wg")
	var memory *MemoryError
	err := Write(context.Background(), src, WriteOptions{Path: out, MaxMemory: 36 << 20})
	if !errors.As(err, &memory) || memory.Sites == 0 || memory.Need <= memory.Have {
		t.Fatalf("200,000 sites of 120 bytes in 36 MiB: %v", err)
	}
	if err := Write(context.Background(), src, WriteOptions{Path: out, MaxMemory: memory.Need * 11 / 10}); err != nil {
		t.Errorf("with a tenth more than was asked for: %v", err)
	}
}
