package node

import (
	"context"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/port"
)

// A parcel that is cut off anywhere, or has a wrong length, is refused or has fewer packets.
func TestParcel(t *testing.T) {
	want := []addressed{
		{port.Packet{From: 3, Bytes: []byte("a message")}, 5},
		{port.Packet{From: 70_000, Applied: 1 << 40}, 0},
		{port.Packet{From: 1, Bytes: []byte{0}}, 2},
	}
	b := parcel("node-a")
	for _, x := range want {
		b = appendPacket(b, x.to, x.Packet)
	}
	from, list, ok := decodeParcel(b)
	if !ok || from != "node-a" || !reflect.DeepEqual(list, want) {
		t.Errorf("%q, %v, %v", from, list, ok)
	}
	for n := range b {
		if _, list, ok := decodeParcel(b[:n]); ok && (len(list) >= len(want) || !reflect.DeepEqual(list, append([]addressed(nil), want[:len(list)]...))) {
			t.Errorf("%d bytes are %v", n, list)
		}
	}
}

// A wire is a bus that delivers at once, and counts.
type wire struct {
	to    map[string]func([]byte)
	count map[string]int
}

func (w *wire) Publish(subject string, data []byte) error {
	w.count[subject]++
	if fn := w.to[subject]; fn != nil {
		fn(data)
	}
	return nil
}

func (w *wire) Subscribe(subject string, fn func([]byte)) (func(), error) {
	w.to[subject] = fn
	return func() { delete(w.to, subject) }, nil
}

// Packets to a node go together as soon as it is known where their partitions are. They arrive also
// when a partition has moved, or when it has not told for a while where it is.
func TestPost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w := &wire{map[string]func([]byte){}, map[string]int{}}
		start := func(name string) *post {
			p := newPost(name, w, func(int) {})
			_, _ = w.Subscribe(parcelSubject(name), p.takeParcel)
			go p.carry(ctx)
			return p
		}
		enter := func(p *post, self int) func() {
			leave, err := p.enter(self)
			if err != nil {
				t.Fatal(err)
			}
			return leave
		}
		settle := func() {
			time.Sleep(2 * carryTime)
			synctest.Wait()
		}
		got := func(p *post, self, n int) {
			t.Helper()
			if list := p.receive(self); len(list) != n {
				t.Errorf("partition %d got %v, want %d", self, list, n)
			}
		}
		counted := func(subject string, n int) {
			t.Helper()
			if w.count[subject] != n {
				t.Errorf("%d messages on %s, want %d", w.count[subject], subject, n)
			}
		}
		a, b := start("a"), start("b")
		enter(a, 0)
		leave := enter(b, 1)
		enter(b, 2)
		a.send(1, port.Packet{From: 0, Applied: 1}) // nobody knows where 1 is
		b.send(0, port.Packet{From: 1, Applied: 1}) // it was told where 0 is, and tells where 1 is
		settle()
		got(a, 0, 1)
		got(b, 1, 1)
		counted("x.1", 1)
		counted("p.a", 1)
		for range 10 {
			a.send(1, port.Packet{From: 0, Applied: 2})
		}
		settle()
		got(b, 1, 10)
		counted("p.b", 1)
		c := start("c")
		leave()
		enter(c, 1)
		a.send(1, port.Packet{From: 0, Applied: 3}) // b passes it on
		settle()
		got(c, 1, 1)
		counted("x.1", 2)
		c.send(0, port.Packet{From: 1, Applied: 3})
		settle()
		a.send(1, port.Packet{From: 0, Applied: 4})
		settle()
		got(c, 1, 1)
		counted("p.c", 1)
		time.Sleep(2 * newsTime)
		a.send(1, port.Packet{From: 0, Applied: 5})
		settle()
		got(c, 1, 1)
		counted("x.1", 3)
		big := port.Packet{From: 0, Bytes: make([]byte, bagSize)}
		c.send(0, port.Packet{From: 1, Applied: 5})
		settle()
		a.send(1, big)
		got(c, 1, 1) // at once
		cancel()
	})
}
