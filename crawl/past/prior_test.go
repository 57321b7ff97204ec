package past

import (
	"errors"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/urltable"
)

// More values than fit into the memory are refused.
func TestPriorTakesMemory(t *testing.T) {
	x := Prior{from: "old.tsv", Values: endless{}}
	var hinted *hint.Error
	if err := x.pack(t.Context(), urltable.NewKey([16]byte{}), nil, 1000); !errors.As(err, &hinted) || !strings.Contains(hinted.Hint, "--max-memory") {
		t.Errorf("more values than fit: %v", err)
	}
}

// endless is a list of values that never ends.
type endless struct{}

func (endless) Close() {}

func (endless) Each(fn func([]byte, float64) error) error {
	for {
		if err := fn([]byte("http://a.example/"), 1); err != nil {
			return err
		}
	}
}
