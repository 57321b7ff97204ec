package fetch

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/event"
)

// TestBudget lets many bodies compete for too few bytes: all end, the bound holds.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const size, body, bodies = 1000, 400, 200
		b := NewBudget(size)
		var most atomic.Int64
		var all sync.WaitGroup
		for i := range bodies {
			all.Go(func() {
				rnd := rand.New(rand.NewPCG(1, uint64(i)))
				c := claim{b: b}
				for want := int64(1 + rnd.IntN(body)); c.bytes < want; {
					if err := c.take(t.Context(), min(50, want-c.bytes)); err != nil {
						t.Error(err)
					}
					most.Store(max(most.Load(), b.Held()))
					time.Sleep(time.Duration(rnd.IntN(10)) * time.Millisecond)
				}
				held := c.end(0)
				time.Sleep(time.Duration(rnd.IntN(50)) * time.Millisecond) // on the way to disk
				b.Give(held)
			})
		}
		all.Wait()
		if n := most.Load(); n <= size-50 || n > size+body || b.Held() != 0 || len(b.wait) != 0 {
			t.Errorf("%d held at most, %d now, %d wait", n, b.Held(), len(b.wait))
		}
	})
}

// TestBudgetStuck: two bodies hold all there is and want more. One goes beyond, the other
// waits until it is given back.
func TestBudgetStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(100)
		first, second, third := claim{b: b}, claim{b: b}, claim{b: b}
		first.take(t.Context(), 50)
		second.take(t.Context(), 50)
		first.take(t.Context(), 30)
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := second.take(ctx, 1); err != context.DeadlineExceeded {
			t.Errorf("took more than there is: %v", err)
		}
		first.take(t.Context(), 30) // it may continue
		if b.Held() != 160 {
			t.Errorf("%d held", b.Held())
		}
		held := first.end(10)
		if err := third.take(ctx, 1); err != context.DeadlineExceeded {
			t.Errorf("took what is on its way to disk: %v", err)
		}
		b.Give(held)
		if err := third.take(t.Context(), 50); err != nil || b.Held() != 100 {
			t.Errorf("%v, %d held", err, b.Held())
		}
		b.Give(second.end(0) + third.end(0))
		if b.Held() != 0 {
			t.Errorf("%d held", b.Held())
		}
	})
}

// TestBudgetOfClient: the answer says what it holds. Without room a body waits, and that
// is no fault of its server.
func TestBudgetOfClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{play: func(p *player) {
			for {
				if _, ok := p.request(); !ok {
					return
				}
				p.say("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + strings.Repeat("x", 1000))
			}
		}}
		b := NewBudget(1500)
		c := client(t, Options{Dial: s.dial, Budget: b})
		a := get(c, example)
		if a.Class != event.OK || a.Held < 1000 || a.Held != b.Held() {
			t.Fatalf("%+v, %d held", a, b.Held())
		}
		time.AfterFunc(time.Hour, func() { b.Give(a.Held) })
		late := get(c, example)
		if late.Class != event.OK || late.Held != b.Held() || late.Phases != [3]time.Duration{0, 0, time.Hour} {
			t.Errorf("%+v, %d held", late, b.Held())
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		if a := c.Do(ctx, &Request{URL: example, Addrs: here}); !a.Aborted || a.Held != 0 {
			t.Errorf("%+v", a)
		}
		c.Close()
		s.done.Wait()
	})
}

// TestBudgetKeepsTime: what a server has used up before a pause still counts after it. Here
// that is ten of sixty seconds, and the pause ends after an hour.
func TestBudgetKeepsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(10_000)
		other := claim{b: b}
		other.take(t.Context(), 9000)
		held := other.end(0)
		time.AfterFunc(time.Hour, func() { b.Give(held) })
		a := exchangeWith(t, Options{Budget: b}, func(p *player) {
			p.request()
			time.Sleep(10 * time.Second)
			p.say("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
			for range 100 {
				time.Sleep(14 * time.Second)
				p.say("x")
			}
		})
		if a.Class != event.Timeout || a.Cut != CutTime || a.End-a.Start != time.Hour+50*time.Second || !strings.Contains(a.Note, " 1m0s") {
			t.Errorf("%v %v %s after %v", a.Class, a.Cut, a.Note, a.End-a.Start)
		}
	})
}

// Held returns the number of bytes taken and not given back.
func (b *Budget) Held() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.held
}

// TestBuffers: the memory of a body that was returned serves the next one, and a client
// without Buffers makes new memory for each.
func TestBuffers(t *testing.T) {
	body := strings.Repeat("x", 20_000)
	s := startServer(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, body) }, plain)
	same := func(b *Buffers) (n int) {
		c := client(t, Options{Buffers: b})
		var last []byte
		for range 20 {
			a := get(c, s.at("/"))
			if string(a.Body) != body {
				t.Fatalf("%d bytes", len(a.Body))
			}
			if last != nil && &last[0] == &a.Body[0] {
				n++
			}
			last = a.Body
			b.Give(a.Body)
		}
		return n
	}
	if n := same(new(Buffers)); n == 0 {
		t.Error("no memory was used again") // the pool may lose some, not all
	}
	if n := same(nil); n != 0 {
		t.Errorf("memory was used again %d times", n)
	}
}
