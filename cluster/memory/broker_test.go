package memory

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/cluster/clustertest"
)

func TestEngine(t *testing.T) {
	for _, f := range []Faults{{}, {Delay: time.Second}, {Shared: true}} {
		b := New(1, f)
		if f.Delay == 0 {
			clustertest.Run(t, b.Client("a", nil).Engine(), b.Client("b", nil).Engine())
			continue
		}
		synctest.Test(t, func(t *testing.T) { // t.Run is not allowed in a bubble
			l := b.Client("a", nil).Engine().Log(0)
			began := time.Now()
			if _, err := l.Append(t.Context(), 0, nil); err != nil || time.Since(began) == 0 {
				t.Errorf("%v after %v", err, time.Since(began))
			}
		})
	}
}

// Of appends without an answer some are stored, some later, and some never.
func TestUnknownOutcomes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(1, Faults{Lost: 0.2, Late: 0.2, Repeat: 0.2})
		e := b.Client("a", nil).Engine()
		outcomes := map[string]int{}
		for p := range 300 {
			_, err := e.Log(p).Append(t.Context(), 0, []byte("x"))
			n := b.entries(p)
			time.Sleep(time.Minute)
			switch later := b.entries(p); {
			case later > 1:
				t.Fatalf("stored %d times", later)
			case err == nil && n == 1:
				outcomes["done"]++
			case !errors.Is(err, ErrUnknown):
				t.Fatalf("%d entries, %v", n, err)
			default:
				outcomes[map[[2]int]string{{0, 0}: "never", {0, 1}: "late", {1, 1}: "stored"}[[2]int{n, later}]]++
			}
		}
		for _, o := range []string{"done", "never", "late", "stored"} {
			if outcomes[o] < 10 {
				t.Errorf("outcomes %v", outcomes)
			}
		}
	})
}

func TestParted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(1, Faults{})
		r := b.Client("a", nil).Engine().Register
		b.Part("a", false, true)
		if _, err := r.Put(t.Context(), "k", 0, nil); !errors.Is(err, ErrUnknown) || b.revision() != 1 {
			t.Errorf("way back cut: %v, %v", err, b.revision())
		}
		b.Part("a", true, false)
		if _, err := r.Put(t.Context(), "k", 1, nil); !errors.Is(err, ErrUnknown) || b.revision() != 1 {
			t.Errorf("way there cut: %v, %v", err, b.revision())
		}
		b.Part("a", false, false)
		if rev, err := r.Put(t.Context(), "k", 1, nil); err != nil || rev != 2 {
			t.Errorf("joined: %d, %v", rev, err)
		}
	})
}

func TestLosePower(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := New(3, Faults{Shared: true})
		e := b.Client("a", nil).Engine()
		for i := range uint64(20) {
			if _, err := e.Log(0).Append(t.Context(), i, nil); err != nil {
				t.Fatal(err)
			}
			if _, err := e.Register.Put(t.Context(), "k", i, nil); err != nil {
				t.Fatal(err)
			}
		}
		ended := make(chan error, 1)
		go func() { ended <- e.Register.Watch(context.Background(), func(cluster.Value) {}) }()
		synctest.Wait()
		b.LosePower(10)
		if err := <-ended; err == nil {
			t.Error("the watch goes on")
		}
		last, _ := e.Log(0).Last(t.Context())
		v, _ := e.Register.Get(t.Context(), "k")
		if last == 20 || last < 10 || v.Revision == 20 || v.Revision < 10 {
			t.Errorf("log ends at %d, key has revision %d", last, v.Revision)
		}
		if _, err := e.Log(0).Append(t.Context(), last, nil); err != nil {
			t.Error(err)
		}
	})
}

// revision returns that of the key k.
func (b *Broker) revision() uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.keys["k"].Revision
}

// entries returns how many a log has.
func (b *Broker) entries(p int) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.log(p).seqs)
}
