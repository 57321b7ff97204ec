package cluster

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/cluster/roster"
)

// slow is a register that answers late.
type slow struct{ delay time.Duration }

func (slow) Get(context.Context, string) (Value, error)     { return Value{}, nil }
func (slow) Watch(ctx context.Context, _ func(Value)) error { <-ctx.Done(); return ctx.Err() }

func (s slow) Put(_ context.Context, _ string, revision uint64, _ []byte) (uint64, error) {
	time.Sleep(s.delay)
	return revision + 1, nil
}

// A lease counts from when the renewal was sent, and an answer that comes after its end does not
// bring it back.
func TestLeaseFromSending(t *testing.T) {
	for _, x := range []struct{ delay, left time.Duration }{{4 * time.Second, 23 * time.Second}, {28 * time.Second, 0}} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			n := &Node{Name: "a", Engine: Engine{Register: slow{x.delay}}, Clock: func() roster.Instant {
				d := time.Since(began)
				return roster.Instant{Monotonic: d, Boot: d, Wall: d}
			}}
			l := newLife(n, 1)
			if ok := l.begin(t.Context(), 0); ok != (x.left > 0) {
				t.Errorf("answer after %v: begun %v", x.delay, ok)
			}
			if d := l.left(); d != x.left {
				t.Errorf("answer after %v: %v left, want %v", x.delay, d, x.left)
			}
			l.lapse()
		})
	}
}
