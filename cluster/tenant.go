package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/cluster/roster"
)

// restTime is how long a partition that was served is not taken again.
const restTime = 5 * time.Second

// A tenant serves one partition of a life.
type tenant struct {
	life        *life
	partition   int
	incarnation uint64
	ctx         context.Context // ends when the partition is to be handed over
	finish      context.CancelFunc

	mu       sync.Mutex
	tenure   *Tenure // nil: the partition was not taken yet
	over     bool
	reminded uint64    // revision: see remind
	value    partValue // of the key
	revision uint64
}

// settle begins to serve a partition. The life is locked.
func (l *life) settle(p int) {
	t := &tenant{life: l, partition: p, incarnation: l.value.Incarnation}
	t.ctx, t.finish = context.WithCancel(l.ctx)
	l.tenants[p] = t
	l.running.Go(func() {
		t.serve()
		t.finish()
		now := l.node.now()
		l.mu.Lock()
		delete(l.tenants, p)
		l.rests[p] = now
		l.mu.Unlock()
		l.stir()
	})
}

// end ends the tenure: everything is void.
func (t *tenant) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	if t.tenure != nil {
		t.tenure.end()
	}
}

// serve takes the partition, runs it and lets it go.
func (t *tenant) serve() {
	log := t.life.node.log().With("partition", t.partition, "node", t.life.node.Name)
	began := t.life.node.now()
	err := errBehind
	for (errors.Is(err, errBehind) || errors.Is(err, errOld)) && t.ctx.Err() == nil {
		if err = t.claim(0); err == nil {
			err = t.own()
		}
	}
	switch {
	case t.life.ctx.Err() != nil:
	case errors.Is(err, ErrRefused):
		log.Info("another node has taken the partition")
	case errors.Is(err, ErrDamaged) || errors.Is(err, ErrUnable):
		log.Error("this node cannot serve the partition; another one is to take it", "error", err)
		t.life.refuse(t.partition, err)
		t.release()
	case t.failsAgain(err, began):
		log.Error("the partition has failed here several times; another node is to take it", "error", err)
		t.life.refuse(t.partition, err)
		t.release()
	case err == nil || t.ctx.Err() != nil:
		t.release()
	default:
		log.Warn("the partition has stopped; it is taken again", "error", err)
	}
}

// mostFailures is how often in a row a node tries to serve a partition, which is a failure if it takes
// less than failTime.
const mostFailures, failTime = 3, time.Minute

// failsAgain reports whether the partition has failed too often on this node, for other reasons than
// that it is not owned any more.
func (t *tenant) failsAgain(err error, began roster.Instant) bool {
	now, l := t.life.node.now(), t.life
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil || t.ctx.Err() != nil || errors.Is(err, ErrLost) || now.Monotonic-began.Monotonic > failTime {
		delete(l.failures, t.partition)
		return false
	}
	l.failures[t.partition]++
	if l.failures[t.partition] < mostFailures {
		return false
	}
	delete(l.failures, t.partition)
	return true
}

// unableTime is how long a node does not serve a partition for which it had no room.
const unableTime = time.Minute

// refuse notes that the node cannot serve a partition, and why: for some time, unless its log is
// damaged.
func (l *life) refuse(p int, why error) {
	now := l.node.now()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !errors.Is(why, ErrDamaged) {
		l.unable[p] = now
	}
	l.value.Why = why.Error()
	if !slices.Contains(l.value.Without, p) {
		l.value.Without = append(slices.Clone(l.value.Without), p)
	}
}

// recover lets the node serve partitions again for which it had no room some time ago. The life is
// locked.
func (l *life) recover(now roster.Instant) {
	for p, at := range l.unable {
		if now.Monotonic-at.Monotonic > unableTime {
			delete(l.unable, p)
			l.value.Without = slices.DeleteFunc(slices.Clone(l.value.Without), func(q int) bool { return q == p })
			if len(l.value.Without) == 0 {
				l.value.Why = ""
			}
		}
	}
}

// errOld is returned where a copy of the register has answered that is behind.
var errOld = errors.New("what was read of the register is old")

// claim sets the key of the partition to this incarnation, with an epoch above all others. What
// the key has is read again: only a free partition is taken, and what was seen of it may be old.
func (t *tenant) claim(least uint64) error {
	l := t.life
	ctx, cancel := l.call()
	v, err := l.node.Engine.Register.Get(ctx, partKey(t.partition))
	cancel()
	var is partValue
	if err == nil && v.Revision > 0 {
		err = json.Unmarshal(v.Data, &is)
	}
	if err != nil {
		return fmt.Errorf("read its key in the register: %w", err)
	}
	now := l.node.now()
	l.mu.Lock()
	fresh := l.roster.ReadPart(t.partition, v.Revision, is.part(), now)
	mine := slices.Contains(l.roster.Claims(l.value.Incarnation), t.partition)
	incarnation := l.value.Incarnation
	l.mu.Unlock()
	switch {
	case !fresh:
		l.pause(retryDelay)
		return errOld
	case !mine:
		return ErrRefused
	}
	t.value = partValue{l.node.Name, incarnation, roster.Epoch(max(is.Epoch, is.Begun, least), now), is.Begun}
	if t.revision, err = l.put(partKey(t.partition), v.Revision, t.value); err != nil {
		return fmt.Errorf("write its key in the register: %w", err)
	}
	return nil
}

// own makes the copy on disk and the log the same, and runs the partition.
func (t *tenant) own() error {
	l, p := t.life, t.life.node.Partitions[t.partition]
	tenure := &Tenure{Partition: t.partition, Node: l.node.Name, Incarnation: t.incarnation, Epoch: t.value.Epoch, life: l, log: l.node.Engine.Log(t.partition)}
	tenure.began, tenure.lost = make(chan struct{}), make(chan struct{})
	t.mu.Lock()
	if t.tenure = tenure; t.over {
		tenure.end()
	}
	t.mu.Unlock()
	defer tenure.end()
	if err := tenure.align(t.ctx, p, t.value.Begun); err != nil {
		return err
	}
	if tenure.at.epoch >= t.value.Epoch { // the register has forgotten some
		if err := t.claim(tenure.at.epoch); err != nil {
			return err
		}
		tenure.Epoch = t.value.Epoch
	}
	done := make(chan struct{})
	marked := make(chan struct{})
	go func() {
		defer close(marked)
		t.mark(tenure, done)
	}()
	err := p.Run(t.ctx, tenure)
	close(done)
	<-marked
	return err
}

// mark notes in the key of the partition that the session was committed, as soon as it is. If
// that fails, less is known after two failures at once.
func (t *tenant) mark(tenure *Tenure, done <-chan struct{}) {
	select {
	case <-tenure.began:
	case <-done:
		return
	}
	value := t.value
	value.Begun = value.Epoch
	if revision, err := t.life.put(partKey(t.partition), t.revision, value); err == nil {
		t.value, t.revision = value, revision
	}
}

// remind tells the register again who owns the partition, at a revision. It reports whether it
// does: once for each revision.
func (t *tenant) remind(revision uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reminded == revision || t.tenure == nil || t.over {
		return false
	}
	t.reminded = revision
	value := partValue{t.tenure.Node, t.incarnation, t.tenure.Epoch, 0}
	if t.tenure.begun.Load() {
		value.Begun = value.Epoch
	}
	t.life.running.Go(func() { _, _ = t.life.put(partKey(t.partition), revision, value) })
	return true
}

// release clears the owner of the partition, so that another node may take it at once. If it is not
// known whether that was stored, it is tried again, and so it is for a while if what is read is older
// than what this node has written.
func (t *tenant) release() {
	for old := 0; t.life.holds(); {
		ctx, cancel := t.life.call()
		v, err := t.life.node.Engine.Register.Get(ctx, partKey(t.partition))
		cancel()
		var is partValue
		if err == nil && v.Revision > 0 {
			err = json.Unmarshal(v.Data, &is)
		}
		if old++; err == nil && v.Revision < t.revision && old < 20 {
			t.life.pause(retryDelay)
			continue
		}
		if err == nil && (is.Node != t.value.Node || is.Incarnation != t.value.Incarnation) {
			return
		}
		if err == nil {
			is.Node, is.Incarnation = "", 0
			if _, err = t.life.put(partKey(t.partition), v.Revision, is); err == nil {
				return
			}
		}
		t.life.pause(retryDelay)
	}
}
