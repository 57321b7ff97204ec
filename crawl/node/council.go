package node

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/crawl/partition"
	"github.com/winnow-crawler/winnow/crawl/port"
)

// staleAfter is the time after which the report of a partition elsewhere does not count.
const staleAfter = 10 * time.Second

// tellEvery is the time between two reports of a node, soonTell that after which a change is told.
const tellEvery, soonTell = time.Second, 50 * time.Millisecond

// A bench is the council on the node of the coordinator.
type bench struct {
	council *partition.Council
	self    *seat // of partition 0
	mu      sync.Mutex
	heard   []rumour // by partition: of those elsewhere
}

// A rumour is the last report of a partition elsewhere.
type rumour struct {
	epoch, number uint64
	at            time.Time
	absent        bool
}

// newBench returns the council of a coordinator that begins. The hall is locked.
func newBench(h *hall, s *seat) *bench {
	c := &h.run.Config
	b := &bench{self: s, heard: make([]rumour, c.Partitions)}
	b.council = partition.NewCouncil(c.Partitions, c.Pages, int64(c.Bytes), func(self int) {
		h.shared.Wake(self)
		h.poke()
	})
	if c.Requisites {
		b.council.Requisites()
	}
	return b
}

// A statement is the report of a partition, on its way to the coordinator.
type statement struct {
	Part          int
	Epoch, Number uint64
	Chair         uint64 // the epoch of the coordinator whose word it has heard
	Report        port.Report
}

// A ruling is what the coordinator tells all.
type ruling struct {
	Epoch uint64 // of partition 0
	Word  port.Word
	Sum   port.Sum
}

func encode(x any) []byte {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(x); err != nil {
		panic(err) // these types can be encoded
	}
	return b.Bytes()
}

func decode(data []byte, x any) bool { return gob.NewDecoder(bytes.NewReader(data)).Decode(x) == nil }

// poke lets the hall tell what has changed soon.
func (h *hall) poke() {
	select {
	case h.stir <- struct{}{}:
	default:
	}
}

// voice is the council as one partition sees it.
type voice struct {
	hall *hall
	self int
	seat *seat
}

// Say implements port.Council. That a partition stops for want of something here is not the business
// of the others.
func (v voice) Say(r port.Report) {
	if r.Stop == whyStopped || r.Stop == whyDisk || r.Stop == whyMemory {
		r.Stop, r.Idle = "", false
	}
	h := v.hall
	h.mu.Lock()
	was := v.seat.report
	changed := !v.seat.reported || was.Idle != r.Idle || was.Stop != r.Stop || was.Heard != r.Heard || was.Brings != r.Brings || r.Idle && was != r && (was.Sent != r.Sent || was.Applied != r.Applied || was.Work != r.Work)
	v.seat.report, v.seat.reported = r, true
	v.seat.number++
	b := h.bench
	h.mu.Unlock()
	if b != nil {
		b.council.Say(v.self, r)
	}
	if changed {
		h.poke()
	}
}

// Hear implements port.Council.
func (v voice) Hear() port.Word {
	h := v.hall
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.bench != nil {
		h.hears(h.bench.council.Word())
	}
	w := h.heard
	w.Stop = h.word.Stop
	return w
}

// hears notes the numbers of a word. It reports whether they have grown.
func (h *hall) hears(w port.Word) bool {
	was := h.heard
	h.heard = port.Word{Relent: max(was.Relent, w.Relent), Round: max(was.Round, w.Round)}
	return h.heard != was
}

// Sum implements port.Council.
func (v voice) Sum() port.Sum {
	h := v.hall
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.bench != nil {
		return h.bench.council.Sum()
	}
	return h.sum
}

// subscribe begins to hear what others tell.
func (h *hall) subscribe() (stop func(), err error) {
	var stops []func()
	stop = func() {
		for _, f := range stops {
			f()
		}
	}
	for subject, fn := range map[string]func([]byte){
		"r": h.takeReports, "w": h.takeRuling, "c": func([]byte) { h.lookSoon() }, addressSubject(h.name): h.rights.take,
	} {
		f, err := h.engine.Bus.Subscribe(subject, fn)
		if err != nil {
			return stop, err
		}
		stops = append(stops, f)
	}
	return stop, nil
}

// takeReports takes the reports of another node, if the coordinator is here.
func (h *hall) takeReports(data []byte) {
	var list []statement
	h.mu.Lock()
	b := h.bench
	h.mu.Unlock()
	if b == nil || !decode(data, &list) {
		return
	}
	for i := range list {
		h.takeReport(b, &list[i])
	}
}

// takeReport takes a report, unless it is older than another one. One that has not heard this
// coordinator is not idle.
func (h *hall) takeReport(b *bench, x *statement) {
	if x.Part < 0 || x.Part >= len(b.heard) {
		return
	}
	h.mu.Lock()
	own, present := h.seats[x.Part], h.epochs[x.Part]
	h.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	was := &b.heard[x.Part]
	if own != nil && own.epoch >= x.Epoch || x.Epoch < present || x.Epoch < was.epoch || x.Epoch == was.epoch && x.Number <= was.number {
		return
	}
	*was = rumour{epoch: x.Epoch, number: x.Number, at: time.Now()}
	if x.Chair != b.self.epoch {
		x.Report.Idle = false
	}
	b.council.Say(x.Part, x.Report)
}

// forget lets those reports not count that are old, or not of the present owner.
func (h *hall) forget(b *bench) {
	h.mu.Lock()
	epochs := slices.Clone(h.epochs)
	seats := maps.Clone(h.seats)
	h.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.heard {
		x := &b.heard[i]
		switch own := seats[i]; {
		case own != nil && own.epoch >= x.epoch:
			if own.epoch < epochs[i] {
				b.council.Absent(i)
			}
		case !x.absent && (time.Since(x.at) > staleAfter || x.epoch < epochs[i]):
			x.absent = true
			b.council.Absent(i)
		}
	}
}

// takeRuling takes what the coordinator tells.
func (h *hall) takeRuling(data []byte) {
	var x ruling
	if !decode(data, &x) {
		return
	}
	h.mu.Lock()
	if x.Epoch < h.chair || h.bench != nil {
		h.mu.Unlock()
		return
	}
	news := x.Epoch > h.chair
	h.chair, h.sum = x.Epoch, x.Sum
	if h.hears(x.Word) {
		news = true
		for i := range h.seats {
			h.shared.Wake(i)
		}
	}
	h.mu.Unlock()
	if news {
		h.poke()
	}
}

// talk tells reports, rulings and the status, until the context ends.
func (h *hall) talk(ctx context.Context) {
	ticker := time.NewTicker(tellEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			h.tellStatus()
		case <-h.stir:
			if pause(ctx, soonTell) != nil {
				return
			}
		}
		h.tell()
	}
}

// tell tells how the partitions here stand, and what the coordinator has decided if it is here.
func (h *hall) tell() {
	h.mu.Lock()
	b := h.bench
	var list []statement
	var gates []func() error
	for _, i := range slices.Sorted(maps.Keys(h.seats)) {
		if s := h.seats[i]; s.reported && (s.crawling || s.report.Stop != "") {
			list = append(list, statement{i, s.epoch, s.number, h.chair, s.report})
			gates = append(gates, s.gate)
		}
	}
	h.mu.Unlock()
	for i := len(list) - 1; i >= 0; i-- {
		if gates[i]() != nil {
			list = slices.Delete(list, i, i+1)
		}
	}
	switch {
	case b != nil:
		h.forget(b)
		_ = h.engine.Bus.Publish("w", encode(ruling{b.self.epoch, b.council.Word(), b.council.Sum()}))
	case len(list) > 0:
		_ = h.engine.Bus.Publish("r", encode(list))
	}
}

// tellStatus tells how the node stands.
func (h *hall) tellStatus() {
	s := NodeStatus{Node: h.name, Address: h.address, Version: h.version, Of: h.plan.Crawl.Partitions, Status: *h.shared.Status()}
	h.mu.Lock()
	s.Partitions = slices.Sorted(maps.Keys(h.seats))
	s.Coordinator, s.Paused, s.Stop = h.bench != nil, h.word.Paused, h.word.Stop
	h.mu.Unlock()
	if data, err := json.Marshal(s); err == nil {
		_ = h.engine.Bus.Publish(statusSubject(h.name), data)
	}
}

// lookSoon lets the hall look at the word in the register.
func (h *hall) lookSoon() {
	select {
	case h.looks <- struct{}{}:
	default:
	}
}

// callTime is how long a call of the engine may take.
const callTime = 5 * time.Second

// look reads the word in the register.
func (h *hall) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	w, _, err := getWord(ctx, h.engine.Register)
	if err == nil {
		h.obey(w)
	}
	return err
}

// lookFirst reads the word in the register before the node takes part. It returns false if the context
// ends first.
func (h *hall) lookFirst(ctx context.Context) bool {
	for {
		err := h.lookSure(ctx)
		if err == nil {
			return true
		}
		h.log.Warn("cannot read the register of the crawl yet", "error", err)
		if pause(ctx, retryDelay) != nil {
			return false
		}
	}
}

// lookSure reads the word in the register. That the crawl has ended may be old, because the crawl was
// resumed and a copy of the register is behind: it counts if the word can be written as it was read.
func (h *hall) lookSure(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	w, revision, err := getWord(ctx, h.engine.Register)
	if err == nil && w.Stop != "" {
		var data []byte
		if data, err = json.Marshal(w); err == nil {
			_, err = h.engine.Register.Put(ctx, wordKey, revision, data)
		}
	}
	if err == nil {
		h.obey(w)
	}
	return err
}

// obey does what the word in the register says. That a crawl has ended is not taken back while a
// node runs, and what was said before it was resumed does not count. If it was resumed or changed
// meanwhile this run ends: the next one begins with the plan that counts.
func (h *hall) obey(w word) {
	h.mu.Lock()
	switch {
	case w.Turn < h.word.Turn:
		h.mu.Unlock()
		return
	case h.word.Stop != "":
		w.Stop, w.Turn = h.word.Stop, h.word.Turn
	case h.obeyed && w.Turn > h.word.Turn:
		h.changed = true
		w.Stop, w.Turn = whyStopped, h.word.Turn
	}
	h.obeyed = true
	changed := w.Stop != h.word.Stop || w.Paused != h.word.Paused
	h.word = w
	if changed {
		for i := range h.seats {
			h.shared.Wake(i)
		}
	}
	h.mu.Unlock()
	if changed {
		h.shared.Pause(w.Paused)
		h.log.Info("the crawl has a new word", "stop", w.Stop, "paused", w.Paused)
		if w.Stop != "" && h.leave != nil {
			h.leaveIfEnded()
		}
	}
}

// watching is the time after which a watch is begun again: an engine that has stalled may not tell.
const watching = 2 * time.Minute

// watch follows the register: the word, nodes, and the epochs of partitions.
func (h *hall) watch(ctx context.Context) {
	for ctx.Err() == nil {
		ctx, cancel := context.WithTimeout(ctx, watching)
		if _ = h.engine.Register.Watch(ctx, h.see); ctx.Err() == nil {
			_ = pause(ctx, retryDelay)
		}
		cancel()
	}
}

// see notes a value of the register.
func (h *hall) see(v cluster.Value) {
	if v.Key == wordKey {
		h.lookSoon()
		return
	}
	name, m, isNode := cluster.ReadMember(v)
	p, epoch, isPart := cluster.ReadEpoch(v)
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case isNode:
		if was := h.members[name]; m.Incarnation > was.Incarnation || m.Incarnation == was.Incarnation && !m.Alive {
			h.members[name] = m
		}
	case isPart && p >= 0 && p < len(h.epochs):
		h.epochs[p] = max(h.epochs[p], epoch)
	}
}

// over reports whether an incarnation of a node is over for good.
func (h *hall) over(node string, incarnation uint64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.members[node]
	return m.Incarnation > incarnation || m.Incarnation == incarnation && !m.Alive
}

// census returns the nodes that live, with their incarnations, as the register has them.
func (h *hall) census(ctx context.Context) (map[string]uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	nodes := map[string]uint64{}
	err := cluster.Values(ctx, h.engine.Register, func(v cluster.Value) {
		h.see(v)
		if name, m, ok := cluster.ReadMember(v); ok && m.Alive {
			nodes[name] = m.Incarnation
		}
	})
	return nodes, err
}

// decree keeps the word here and that in the register the same: it reads the one, and writes the
// end that the council has found, as long as the coordinator is here.
func (h *hall) decree(ctx context.Context) {
	ticker := time.NewTicker(sleepy)
	defer ticker.Stop()
	decided := time.NewTicker(tellEvery / 5)
	defer decided.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.looks:
			_ = h.look(ctx)
		case <-ticker.C:
			_ = h.look(ctx)
		case <-decided.C:
			h.declare(ctx)
		}
	}
}

// preside makes an epoch that of the coordinator, before its partition does anything. From then on
// those before it decide nothing, even if what they have written arrives late.
func (h *hall) preside(ctx context.Context, t *cluster.Tenure) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-t.Lost():
			cancel()
		case <-ctx.Done():
		}
	}()
	if err := setWord(ctx, h.engine, func(w *word) { w.Chair = max(w.Chair, t.Epoch) }); err != nil {
		return fmt.Errorf("%w: the word of the crawl cannot be changed: %v", cluster.ErrLost, err)
	}
	for h.look(ctx) != nil {
		if err := pause(ctx, retryDelay); err != nil {
			return fmt.Errorf("%w: %v", cluster.ErrLost, err)
		}
	}
	return nil
}

// declare writes the end that the council has found to the register.
func (h *hall) declare(ctx context.Context) {
	h.mu.Lock()
	b, done, turn := h.bench, h.word.Stop != "", h.word.Turn
	h.mu.Unlock()
	if b == nil || done {
		return
	}
	why := b.council.Word().Stop
	if why == "" || b.self.gate() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	err := setWord(ctx, h.engine, func(w *word) {
		if w.Stop == "" && w.Chair == b.self.epoch && w.Turn == turn {
			w.Stop = why
		}
	})
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		h.log.Info("cannot write why the crawl ends yet", "error", err)
	}
	_ = h.look(ctx)
}
