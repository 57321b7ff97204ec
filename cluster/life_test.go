package cluster

import (
	"context"
	"errors"
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

// Who asks the gate gets the answer of the clock: a process that wakes may make a request before
// anything else in it has noticed that its lease has lapsed.
func TestGateAsksClock(t *testing.T) {
	now := time.Duration(0)
	l := newLife(&Node{Name: "a", Clock: func() roster.Instant { return roster.Instant{Monotonic: now, Boot: now, Wall: now} }}, 1)
	if ok, _ := l.renewed(l.node.now(), 1); !ok {
		t.Fatal("there is no lease")
	}
	tenure := &Tenure{life: l, began: make(chan struct{}), lost: make(chan struct{})}
	if err := tenure.Gate(); !errors.Is(err, ErrEarly) {
		t.Errorf("before the session: %v", err)
	}
	tenure.begun.Store(true)
	if err := tenure.Gate(); err != nil {
		t.Errorf("in the session: %v", err)
	}
	now = time.Minute
	if err := tenure.Gate(); !errors.Is(err, ErrLost) {
		t.Errorf("after the lease: %v", err)
	}
}
