package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/cluster/roster"
)

// sparse is a log in memory whose numbers have gaps.
type sparse struct {
	seqs []uint64
	data [][]byte
}

func (l *sparse) Last(context.Context) (uint64, error) {
	if len(l.seqs) == 0 {
		return 0, nil
	}
	return l.seqs[len(l.seqs)-1], nil
}

func (l *sparse) Append(ctx context.Context, last uint64, data []byte) (uint64, error) {
	end, _ := l.Last(ctx)
	if end != last {
		return 0, ErrRefused
	}
	l.seqs, l.data = append(l.seqs, end+1+uint64(len(data)%3)), append(l.data, bytes.Clone(data))
	return l.Last(ctx)
}

func (l *sparse) Read(_ context.Context, after uint64, most int, fn func(uint64, []byte) error) error {
	n := 0
	for i, seq := range l.seqs {
		if seq <= after || most > 0 && n == most {
			continue
		}
		n++
		if err := fn(seq, l.data[i]); err != nil {
			return err
		}
	}
	return nil
}

// put appends groups to the log.
func (l *sparse) put(list []Group) {
	var at point
	for _, g := range list {
		for _, data := range entries(at, &g) {
			last, _ := l.Last(context.Background())
			if _, err := l.Append(context.Background(), last, data); err != nil {
				panic(err)
			}
		}
		at = at.after(&g)
	}
}

// copied is a partition that has a copy of a journal and does nothing.
type copied []Group

func (c *copied) Groups(fn func(Group) error) error {
	for _, g := range *c {
		if err := fn(g); err != nil {
			return err
		}
	}
	return nil
}

func (c *copied) Cut(groups int) error {
	*c = slices.Clip((*c)[:groups])
	return nil
}

func (c *copied) Add(fn func(func(Group) error) error) error {
	return fn(func(g Group) error {
		g.Bytes = bytes.Clone(g.Bytes)
		*c = append(*c, g)
		return nil
	})
}

func (c *copied) Run(context.Context, *Tenure) error { return nil }

// history makes groups out of words: a session where the word begins with s and its epoch, a
// group without a record where it begins with e, one of several entries where it begins with l.
func history(words ...string) (list []Group) {
	next := uint64(0)
	for _, w := range words {
		g := Group{First: next, Next: next + 2, Bytes: []byte(w)}
		switch w[0] {
		case 's':
			if _, err := fmt.Sscan(w[1:], &g.Epoch); err != nil {
				panic(err)
			}
		case 'e':
			g.Next = next
		case 'l':
			g.Bytes = append(g.Bytes, make([]byte, 2*pieceSize)...)
		}
		next = g.Next
		list = append(list, g)
	}
	return list
}

func words(list []Group) (s []string) {
	for _, g := range list {
		s = append(s, string(bytes.TrimRight(g.Bytes, "\x00")))
	}
	return s
}

// tenure returns one whose lease holds.
func tenure(l Log) *Tenure {
	n := &Node{Name: "a", Clock: func() roster.Instant { return roster.Instant{} }}
	life := newLife(n, 1)
	life.lease.Renew(roster.Instant{}, roster.Instant{})
	return &Tenure{life: life, log: l, began: make(chan struct{}), lost: make(chan struct{})}
}

func TestAlign(t *testing.T) {
	for _, x := range []struct {
		name            string
		copy, log, want []string
		begun           uint64
	}{
		{name: "nothing"},
		{name: "a new copy", log: []string{"s5", "a", "l", "b"}, want: []string{"s5", "a", "l", "b"}},
		{name: "the same", copy: []string{"s5", "a", "l"}, log: []string{"s5", "a", "l"}, want: []string{"s5", "a", "l"}, begun: 5},
		{name: "a copy that is behind", copy: []string{"s5", "a"}, log: []string{"s5", "a", "b", "s6", "c"}, want: []string{"s5", "a", "b", "s6", "c"}, begun: 6},
		{name: "a log that lost its tail", copy: []string{"s5", "a", "b", "l", "c"}, log: []string{"s5", "a"}, want: []string{"s5", "a", "b", "l", "c"}, begun: 5},
		{name: "an empty log", copy: []string{"s5", "a"}, want: []string{"s5", "a"}, begun: 5},
		{name: "a log that lost a later session", copy: []string{"s5", "a", "b"}, log: []string{"s5", "a"}, want: []string{"s5", "a"}, begun: 6},
		{name: "a copy that was cut off", copy: []string{"s5", "a", "b", "c", "d"}, log: []string{"s5", "a", "s6", "x"}, want: []string{"s5", "a", "s6", "x"}, begun: 6},
		{name: "nothing in common", copy: []string{"s5", "a"}, log: []string{"s6", "b"}, want: []string{"s6", "b"}, begun: 6},
		{name: "groups without records", copy: []string{"s5", "e", "a", "e1", "e2"}, log: []string{"s5", "e", "a", "e1", "e2"}, want: []string{"s5", "e", "a", "e1", "e2"}, begun: 5},
		{name: "groups without records, the log is shorter", copy: []string{"s5", "a", "e", "b", "c"}, log: []string{"s5", "a", "e"}, want: []string{"s5", "a", "e", "b", "c"}, begun: 5},
		{name: "groups without records, the copy is shorter", copy: []string{"s5", "e"}, log: []string{"s5", "e", "e1", "b"}, want: []string{"s5", "e", "e1", "b"}, begun: 5},
	} {
		t.Run(x.name, func(t *testing.T) {
			var l sparse
			l.put(history(x.log...))
			c := copied(history(x.copy...))
			a := tenure(&l)
			if err := a.align(t.Context(), &c, x.begun); err != nil {
				t.Fatal(err)
			}
			var stored []Group
			if err := ReadLog(t.Context(), &l, func(g Group) error {
				g.Bytes = bytes.Clone(g.Bytes)
				stored = append(stored, g)
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(words(c), x.want) || !slices.Equal(words(stored), x.want) {
				t.Errorf("copy %v, log %v, want %v", words(c), words(stored), x.want)
			}
			next := uint64(0)
			if n := len(c); n > 0 {
				next = c[n-1].Next
			}
			a.Epoch = 9
			if err := a.Commit(Group{First: next, Next: next + 1, Epoch: 9, Bytes: []byte("session")}, func() error { return nil }); err != nil {
				t.Errorf("the session: %v", err)
			}
			if err := a.Gate(); err != nil {
				t.Error(err)
			}
		})
	}
}

// What an owner before has left in pieces, or on another history, is passed over.
func TestAlignStrays(t *testing.T) {
	list := history("s5", "a")
	var l sparse
	l.put(list)
	large := Group{First: 4, Next: 6, Bytes: make([]byte, 3*pieceSize)}
	at := point{}.after(&list[0]).after(&list[1])
	last, _ := l.Last(t.Context())
	if _, err := l.Append(t.Context(), last, entries(at, &large)[0]); err != nil {
		t.Fatal(err)
	}
	stray := Group{First: 4, Next: 7, Bytes: []byte("stray")}
	last, _ = l.Last(t.Context())
	if _, err := l.Append(t.Context(), last, entries(point{next: 4, chain: 1}, &stray)[0]); err != nil {
		t.Fatal(err)
	}
	c := copied(history("s5"))
	a := tenure(&l)
	if err := a.align(t.Context(), &c, 5); err != nil || !slices.Equal(words(c), []string{"s5", "a"}) {
		t.Fatalf("copy %v: %v", words(c), err)
	}
	if last, _ := l.Last(t.Context()); a.last != last || a.at != at {
		t.Errorf("it ends at %d, not %d", a.last, last)
	}
}

func TestAlignDamaged(t *testing.T) {
	list := history("s5", "a", "b")
	var l sparse
	l.put(list)
	l.data[1][entryHead] ^= 1
	c := copied(history("s5"))
	if err := tenure(&l).align(t.Context(), &c, 5); !errors.Is(err, ErrDamaged) {
		t.Errorf("a damaged entry that the copy lacks: %v", err)
	}
	c = copied(history("s5", "a"))
	if err := tenure(&l).align(t.Context(), &c, 5); err != nil || len(c) != 3 {
		t.Errorf("a damaged entry that the copy has: %v, %d groups", err, len(c))
	}
}

// An entry of another owner ends the tenure.
func TestFenced(t *testing.T) {
	var l sparse
	a, b := tenure(&l), tenure(&l)
	var other copied
	a.Epoch, b.Epoch = 5, 6
	none := func() error { return nil }
	if err := a.Commit(Group{Next: 1, Epoch: 5, Bytes: []byte("s5")}, none); err != nil {
		t.Fatal(err)
	}
	if err := b.align(t.Context(), &other, 5); err != nil {
		t.Fatal(err)
	}
	if err := a.Commit(Group{First: 1, Next: 2, Bytes: []byte("late")}, none); err != nil {
		t.Fatal(err)
	}
	if err := b.Commit(Group{First: 1, Next: 2, Epoch: 6, Bytes: []byte("s6")}, none); !errors.Is(err, errBehind) {
		t.Errorf("the log has gone on: %v", err)
	}
	b = tenure(&l)
	b.Epoch = 6
	if err := b.align(t.Context(), &other, 5); err != nil {
		t.Fatal(err)
	}
	if err := b.Commit(Group{First: 2, Next: 3, Epoch: 6, Bytes: []byte("s6")}, none); err != nil {
		t.Fatal(err)
	}
	if err := a.Commit(Group{First: 2, Next: 3, Bytes: []byte("too late")}, none); !errors.Is(err, ErrLost) {
		t.Errorf("a fenced owner: %v", err)
	}
	select {
	case <-a.Lost():
	case <-time.After(time.Second):
		t.Error("the tenure goes on")
	}
	if err := a.Gate(); !errors.Is(err, ErrLost) {
		t.Errorf("the gate: %v", err)
	}
}
