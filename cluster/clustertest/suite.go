// Package clustertest checks that an engine does what package cluster expects.
package clustertest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
)

// Run runs the suite on an engine without faults, as two nodes see it. Partitions 0 and 1 exist
// and share what they may share; nothing was written yet.
func Run(t *testing.T, a, b cluster.Engine) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, x := range []struct {
		name string
		run  func(context.Context, *testing.T, cluster.Engine, cluster.Engine)
	}{{"log", logs}, {"register", register}, {"watch", watch}, {"bus", bus}} {
		t.Run(x.name, func(t *testing.T) { x.run(ctx, t, a, b) })
	}
}

// text returns all entries of a log after a number.
func text(ctx context.Context, t *testing.T, l cluster.Log, after uint64, most int) (s string) {
	t.Helper()
	before := after
	err := l.Read(ctx, after, most, func(seq uint64, data []byte) error {
		if seq <= before {
			t.Errorf("entry %d after %d", seq, before)
		}
		before = seq
		s += string(data) + " "
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return s
}

// logs appends in turns, with right and wrong conditions.
func logs(ctx context.Context, t *testing.T, a, b cluster.Engine) {
	l, same, other := a.Log(0), b.Log(0), b.Log(1)
	if last, err := l.Last(ctx); last != 0 || err != nil {
		t.Fatalf("a new log ends at %d: %v", last, err)
	}
	if s := text(ctx, t, l, 0, 0) + text(ctx, t, l, 5, 1); s != "" {
		t.Errorf("a new log has %q", s)
	}
	append := func(l cluster.Log, last uint64, s string) uint64 {
		t.Helper()
		seq, err := l.Append(ctx, last, []byte(s))
		if err != nil || seq <= last {
			t.Fatalf("append %s after %d: %d, %v", s, last, seq, err)
		}
		return seq
	}
	refuse := func(l cluster.Log, last uint64) {
		t.Helper()
		if _, err := l.Append(ctx, last, []byte("bad")); !errors.Is(err, cluster.ErrRefused) {
			t.Errorf("append after %d: %v", last, err)
		}
	}
	first := append(l, 0, "one")
	refuse(same, 0)
	refuse(same, first+1)
	append(other, 0, "else")
	second := append(same, first, "two")
	refuse(l, first)
	append(other, 0+last(ctx, t, other), "where")
	third := append(l, second, "three")
	if s := text(ctx, t, same, 0, 0); s != "one two three " {
		t.Errorf("the log has %q", s)
	}
	if s := text(ctx, t, l, first, 1) + text(ctx, t, l, second, 0) + text(ctx, t, l, third, 0) + text(ctx, t, l, 0, 2); s != "two three one two " {
		t.Errorf("parts are %q", s)
	}
	if s := text(ctx, t, other, 0, 0); s != "else where " {
		t.Errorf("the other log has %q", s)
	}
	if n := last(ctx, t, same); n != third {
		t.Errorf("it ends at %d, not %d", n, third)
	}
	large := bytes.Repeat([]byte("x"), 600<<10)
	if _, err := l.Append(ctx, third, large); err != nil {
		t.Errorf("a large entry: %v", err)
	}
	if s := text(ctx, t, same, third, 1); len(s) != len(large)+1 {
		t.Errorf("a large entry came back with %d bytes", len(s))
	}
	stop := errors.New("stop")
	if err := l.Read(ctx, 0, 0, func(uint64, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("reading was stopped: %v", err)
	}
}

func last(ctx context.Context, t *testing.T, l cluster.Log) uint64 {
	t.Helper()
	n, err := l.Last(ctx)
	if err != nil {
		t.Error(err)
	}
	return n
}

func register(ctx context.Context, t *testing.T, a, b cluster.Engine) {
	if v, err := a.Register.Get(ctx, "node.x"); v.Revision != 0 || err != nil {
		t.Fatalf("a key that was never set: %+v, %v", v, err)
	}
	put := func(e cluster.Engine, at uint64, s string) uint64 {
		t.Helper()
		rev, err := e.Register.Put(ctx, "node.x", at, []byte(s))
		if err != nil || rev <= at {
			t.Fatalf("put %s at %d: %d, %v", s, at, rev, err)
		}
		return rev
	}
	first := put(a, 0, "one")
	for _, wrong := range []uint64{0, first + 1} {
		if _, err := b.Register.Put(ctx, "node.x", wrong, nil); !errors.Is(err, cluster.ErrRefused) {
			t.Errorf("put at %d: %v", wrong, err)
		}
	}
	second := put(b, first, "two")
	if _, err := a.Register.Put(ctx, "node.x", first, nil); !errors.Is(err, cluster.ErrRefused) {
		t.Errorf("put at the revision before: %v", err)
	}
	if v, err := a.Register.Get(ctx, "node.x"); v.Revision != second || string(v.Data) != "two" || v.Key != "node.x" || err != nil {
		t.Errorf("it has %+v, %v", v, err)
	}
}

func watch(ctx context.Context, t *testing.T, a, b cluster.Engine) {
	ctx, cancel := context.WithCancel(ctx)
	if _, err := a.Register.Put(ctx, "part.1", 0, []byte("before")); err != nil {
		t.Fatal(err)
	}
	seen, done := make(chan string, 100), make(chan error, 1)
	go func() {
		done <- b.Register.Watch(ctx, func(v cluster.Value) { seen <- fmt.Sprint(v.Key, "=", string(v.Data)) })
	}()
	wait := func(want string) {
		t.Helper()
		for {
			select {
			case s := <-seen:
				if s == want {
					return
				}
			case err := <-done:
				t.Fatalf("the watch ended before %s: %v", want, err)
			case <-ctx.Done():
				t.Fatalf("%s was not seen", want)
			}
		}
	}
	wait("part.1=before")
	wait("=")
	if _, err := a.Register.Put(ctx, "part.2", 0, []byte("after")); err != nil {
		t.Fatal(err)
	}
	wait("part.2=after")
	cancel()
	if err := <-done; err == nil {
		t.Error("the watch ended without an error")
	}
}

func bus(ctx context.Context, t *testing.T, a, b cluster.Engine) {
	var mu sync.Mutex
	got := map[string]int{}
	stop, err := b.Bus.Subscribe("x.7", func(data []byte) {
		mu.Lock()
		defer mu.Unlock()
		got[string(data)]++
	})
	if err != nil {
		t.Fatal(err)
	}
	count := func(s string) int {
		mu.Lock()
		defer mu.Unlock()
		return got[s]
	}
	for i := 0; count("hello") == 0; i++ { // a bus may lose messages, for one while it learns of the subscription
		if err := a.Bus.Publish("x.8", []byte("other")); err != nil {
			t.Fatal(err)
		}
		if err := a.Bus.Publish("x.7", []byte("hello")); err != nil {
			t.Fatal(err)
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			t.Fatal("nothing arrived")
		}
	}
	if count("other") > 0 {
		t.Error("a message of another subject arrived")
	}
	stop()
	time.Sleep(20 * time.Millisecond)
	before := count("hello")
	if err := a.Bus.Publish("x.7", []byte("hello")); err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond)
	if count("hello") != before {
		t.Error("a message arrived after the end of the subscription")
	}
}
