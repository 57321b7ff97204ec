package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
)

// A Journal is a copy of the journal of a partition, on a disk.
type Journal interface {
	// Groups calls fn with each group on disk, in order, up to the first that is damaged. An error of
	// fn ends it and is returned.
	Groups(fn func(Group) error) error
	// Cut keeps the first groups, so many of those that Groups reports, and removes all that follows.
	// It stays away, even if the power fails.
	Cut(groups int) error
	// Add lets fn append groups, which last when Add has returned nil.
	Add(fn func(add func(Group) error) error) error
}

// A Partition is what a node runs: the owner of some sites, with a journal on the disk of the node.
type Partition interface {
	Journal
	// Run is the owner. Its first group begins a session with the epoch of the tenure. When the context
	// ends, it finishes and commits what is under way. When the tenure is lost, it returns at once.
	Run(ctx context.Context, t *Tenure) error
}

var (
	// ErrLost is wrapped by errors of a tenure that has ended: another node has the partition, or may
	// have it.
	ErrLost = errors.New("the partition is no longer owned")
	// ErrUnable is wrapped by errors of Partition.Run for a partition that this node cannot serve, for
	// instance for want of memory. Another node is to take it.
	ErrUnable = errors.New("the partition cannot be served here")
	// ErrEarly is returned by Tenure.Gate before the session of the tenure was committed.
	ErrEarly = errors.New("the session has not begun")

	errBehind  = errors.New("the log has gone on")
	errShorter = errors.New("the log has lost its tail")
)

// A Tenure is the time for which a node owns a partition.
type Tenure struct {
	Partition   int
	Node        string
	Incarnation uint64 // of the node
	Epoch       uint64

	life  *life
	log   Log
	at    point  // where the log ends
	last  uint64 // sequence number of its last entry
	begun atomic.Bool
	began chan struct{} // closed with begun
	lost  chan struct{} // closed when the tenure is over
	over  atomic.Bool
}

// Lost returns a channel that is closed when everything that is under way is void.
func (t *Tenure) Lost() <-chan struct{} { return t.lost }

// end ends the tenure.
func (t *Tenure) end() {
	if t.over.CompareAndSwap(false, true) {
		close(t.lost)
	}
}

// Gate returns nil if a request may be made now.
func (t *Tenure) Gate() error {
	switch {
	case t.over.Load():
		return ErrLost
	case !t.life.holds():
		return fmt.Errorf("%w: the lease has lapsed", ErrLost)
	case !t.begun.Load():
		return ErrEarly
	}
	return nil
}

// Commit appends a group to the log while local writes it to the disk. It returns nil when both
// are done. After an error the tenure is over.
func (t *Tenure) Commit(g Group, local func() error) error {
	stored := make(chan error, 1)
	go func() { stored <- t.store(&g) }()
	err := local()
	if e := <-stored; e != nil {
		err = e
	}
	if err != nil {
		t.end()
		return fmt.Errorf("partition %d: %w", t.Partition, err)
	}
	if t.begun.CompareAndSwap(false, true) {
		close(t.began)
	}
	return nil
}

// store appends a group to the log.
func (t *Tenure) store(g *Group) error {
	if g.First != t.at.next || !t.begun.Load() && g.Epoch != t.Epoch {
		return fmt.Errorf("group of record %d, epoch %d does not follow record %d, epoch %d", g.First, g.Epoch, t.at.next, t.Epoch)
	}
	return t.give(g)
}

// give appends a group to the log, whoever has made it.
func (t *Tenure) give(g *Group) error {
	for _, data := range entries(t.at, g) {
		if err := t.put(data); err != nil {
			return err
		}
	}
	t.at = t.at.after(g)
	return nil
}

// retryDelay is the time between two tries of what had no answer.
const retryDelay = 500 * time.Millisecond

// put appends an entry. If it is not known whether it was stored, the log tells.
func (t *Tenure) put(data []byte) error {
	for {
		if t.over.Load() || !t.life.holds() {
			return ErrLost
		}
		ctx, cancel := t.life.call()
		seq, err := t.log.Append(ctx, t.last, data)
		cancel()
		if err == nil {
			t.last = seq
			return nil
		}
		done, err := t.look(data, errors.Is(err, ErrRefused))
		if done || err != nil {
			return err
		}
	}
}

// look finds out what has become of an entry that was not accepted: it reports whether it was
// stored. Otherwise, and without an error, it may be tried again.
func (t *Tenure) look(data []byte, refused bool) (done bool, err error) {
	ctx, cancel := t.life.call()
	defer cancel()
	seq, found := uint64(0), []byte(nil)
	err = t.log.Read(ctx, t.last, 1, func(s uint64, b []byte) error {
		seq, found = s, bytes.Clone(b)
		return nil
	})
	switch {
	case err != nil || seq == 0 && !refused:
		t.life.pause(retryDelay)
		return false, nil
	case seq == 0:
		return false, t.shorter(ctx)
	case bytes.Equal(found, data):
		t.last = seq
		return true, nil
	}
	if e, err := decode(found); err == nil && e.before != t.at.chain {
		t.last = seq // a stray, see entry
		return false, nil
	}
	if !t.begun.Load() {
		return false, errBehind
	}
	return false, fmt.Errorf("%w: another node has written to its log", ErrLost)
}

// shorter returns an error if a log that refused an entry, and has none after the expected one,
// does not even have that.
func (t *Tenure) shorter(ctx context.Context) error {
	last, err := t.log.Last(ctx)
	if err == nil && last < t.last {
		return errShorter
	}
	t.life.pause(retryDelay) // it has not shown what it has
	return nil
}
