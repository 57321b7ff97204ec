package files

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// ErrSilent is wrapped where a node does not answer.
var ErrSilent = errors.New("the node does not answer")

// A question is asked so often, and so long is waited for an answer.
const tries, patience = 5, 3 * time.Second

// A Reader reads files of nodes. Its methods may be called by several goroutines at a time.
type Reader struct {
	bus   cluster.Bus
	reply string
	stop  func()

	mu      sync.Mutex
	number  uint64
	waiting map[uint64]chan answer
}

// NewReader returns a reader. Close it.
func NewReader(bus cluster.Bus) (*Reader, error) {
	r := &Reader{bus: bus, reply: "fa." + rand.Text(), waiting: map[uint64]chan answer{}}
	var err error
	r.stop, err = bus.Subscribe(r.reply, r.take)
	return r, err
}

// Close ends the reading.
func (r *Reader) Close() { r.stop() }

// take gives an answer to who waits for it.
func (r *Reader) take(data []byte) {
	var a answer
	if decode(data, &a) != nil || sha256.Sum256(a.Piece) != a.Sum && len(a.Piece) > 0 {
		return // it is asked for again
	}
	r.mu.Lock()
	c := r.waiting[a.Number]
	delete(r.waiting, a.Number)
	r.mu.Unlock()
	if c != nil {
		c <- a
	}
}

// ask asks a node until it answers.
func (r *Reader) ask(ctx context.Context, node string, q question) (a answer, err error) {
	q.Reply = r.reply
	for range tries {
		c := make(chan answer, 1)
		r.mu.Lock()
		r.number++
		q.Number = r.number
		r.waiting[q.Number] = c
		r.mu.Unlock()
		if err = r.bus.Publish(subject(node), encode(q)); err == nil {
			err = ErrSilent
		}
		if a, ok := wait(ctx, c); ok {
			return a, a.err()
		}
		r.mu.Lock()
		delete(r.waiting, q.Number)
		r.mu.Unlock()
		if ctx.Err() != nil {
			return a, ctx.Err()
		}
	}
	return a, err
}

// wait waits for an answer for a while.
func wait(ctx context.Context, c chan answer) (a answer, ok bool) {
	t := time.NewTimer(patience)
	defer t.Stop()
	select {
	case a = <-c:
		return a, true
	case <-ctx.Done():
	case <-t.C:
	}
	return a, false
}

func (a *answer) err() error {
	switch {
	case a.None:
		return fs.ErrNotExist
	case a.Failed != "":
		return errors.New(a.Failed)
	}
	return nil
}

// List returns the files that a node has of a partition, in the order of their names.
func (r *Reader) List(ctx context.Context, node string, partition int) (list []disk.Entry, err error) {
	q := question{Partition: partition}
	for {
		a, err := r.ask(ctx, node, q)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("files of partition %d on %s: %w", partition, node, err)
		}
		list = append(list, a.List...)
		if !a.More || len(a.List) == 0 {
			return list, nil
		}
		q.After = list[len(list)-1].Name
	}
}

// Read calls fn with the pieces of a file of a node, in order, from one offset up to another. A file
// that ends before is an error.
func (r *Reader) Read(ctx context.Context, node string, partition int, name string, from, to int64, fn func(at int64, piece []byte) error) error {
	for at := from; at < to; {
		size := int(min(PieceSize, to-at))
		a, err := r.ask(ctx, node, question{Partition: partition, Name: name, Offset: at, Size: size})
		switch {
		case err != nil:
		case len(a.Piece) != size:
			err = fmt.Errorf("it ends at %d, not at %d", at+int64(len(a.Piece)), to)
		default:
			err = fn(at, a.Piece)
		}
		if err != nil {
			return fmt.Errorf("%s of partition %d on %s: %w", name, partition, node, err)
		}
		at += int64(size)
	}
	return nil
}
