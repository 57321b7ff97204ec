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

// A coordination is the work of the coordinator, on the node that owns partition 0.
type coordination struct {
	coordinator *partition.Coordinator
	self        *hosted // of partition 0
	mu          sync.Mutex
	heard       []lastReport // by partition: of those elsewhere
}

// A lastReport is the last report of a partition elsewhere.
type lastReport struct {
	epoch, number uint64
	at            time.Time
	absent        bool
}

// newCoordination begins the work of the coordinator. h is locked.
func newCoordination(h *hosting, s *hosted) *coordination {
	c := &h.run.Config
	b := &coordination{self: s, heard: make([]lastReport, c.Partitions)}
	b.coordinator = partition.NewCoordinator(c.Partitions, c.Pages, int64(c.Bytes), func(self int) {
		h.shared.Wake(self)
		h.poke()
	})
	if c.Requisites {
		b.coordinator.Requisites()
	}
	return b
}

// A partReport is the report of a partition, on its way to the coordinator.
type partReport struct {
	Part          int
	Epoch, Number uint64
	Coordinator   uint64 // the epoch of the coordinator whose decisions it has heard
	Report        port.Report
}

// A decision is what the coordinator tells all.
type decision struct {
	Epoch    uint64 // of partition 0
	Decision port.Decision
	Sum      port.Sum
}

func encode(x any) []byte {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(x); err != nil {
		panic(err) // these types can be encoded
	}
	return b.Bytes()
}

func decode(data []byte, x any) bool { return gob.NewDecoder(bytes.NewReader(data)).Decode(x) == nil }

// poke lets this node tell what has changed soon.
func (h *hosting) poke() {
	select {
	case h.stir <- struct{}{}:
	default:
	}
}

// A contact is the coordinator as one partition sees it.
type contact struct {
	hosting *hosting
	self    int
	hosted  *hosted
}

// Say implements port.Coordinator. That a partition stops for want of something here is not the business
// of the others.
func (v contact) Say(r port.Report) {
	if r.Stop == whyStopped || r.Stop == whyDisk || r.Stop == whyMemory {
		r.Stop, r.Idle = "", false
	}
	h := v.hosting
	h.mu.Lock()
	was := v.hosted.report
	changed := !v.hosted.reported || was.Idle != r.Idle || was.Stop != r.Stop || was.Heard != r.Heard || was.Brings != r.Brings || r.Idle && was != r && (was.Sent != r.Sent || was.Applied != r.Applied || was.Work != r.Work)
	v.hosted.report, v.hosted.reported = r, true
	v.hosted.number++
	b := h.coordination
	h.mu.Unlock()
	if b != nil {
		b.coordinator.Say(v.self, r)
	}
	if changed {
		h.poke()
	}
}

// Hear implements port.Coordinator.
func (v contact) Hear() port.Decision {
	h := v.hosting
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.coordination != nil {
		h.hears(h.coordination.coordinator.Decision())
	}
	w := h.heard
	w.Stop = h.control.Stop
	return w
}

// hears notes the numbers of a decision. It reports whether they have grown.
func (h *hosting) hears(w port.Decision) bool {
	was := h.heard
	h.heard = port.Decision{Relent: max(was.Relent, w.Relent), Round: max(was.Round, w.Round)}
	return h.heard != was
}

// Sum implements port.Coordinator.
func (v contact) Sum() port.Sum {
	h := v.hosting
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.coordination != nil {
		return h.coordination.coordinator.Sum()
	}
	return h.sum
}

// subscribe begins to hear what others tell.
func (h *hosting) subscribe() (stop func(), err error) {
	var stops []func()
	stop = func() {
		for _, f := range stops {
			f()
		}
	}
	for subject, fn := range map[string]func([]byte){
		"r": h.takeReports, "w": h.takeDecision, "c": func([]byte) { h.lookSoon() }, addressSubject(h.name): h.rights.take,
		parcelSubject(h.name): h.post.takeParcel,
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
func (h *hosting) takeReports(data []byte) {
	var list []partReport
	h.mu.Lock()
	b := h.coordination
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
func (h *hosting) takeReport(b *coordination, x *partReport) {
	if x.Part < 0 || x.Part >= len(b.heard) {
		return
	}
	h.mu.Lock()
	own, present := h.hosted[x.Part], h.epochs[x.Part]
	h.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	was := &b.heard[x.Part]
	if own != nil && own.epoch >= x.Epoch || x.Epoch < present || x.Epoch < was.epoch || x.Epoch == was.epoch && x.Number <= was.number {
		return
	}
	*was = lastReport{epoch: x.Epoch, number: x.Number, at: time.Now()}
	if x.Coordinator != b.self.epoch {
		x.Report.Idle = false
	}
	b.coordinator.Say(x.Part, x.Report)
}

// forget lets those reports not count that are old, or not of the present owner.
func (h *hosting) forget(b *coordination) {
	h.mu.Lock()
	epochs := slices.Clone(h.epochs)
	hosted := maps.Clone(h.hosted)
	h.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.heard {
		x := &b.heard[i]
		switch own := hosted[i]; {
		case own != nil && own.epoch >= x.epoch:
			if own.epoch < epochs[i] {
				b.coordinator.Absent(i)
			}
		case !x.absent && (time.Since(x.at) > staleAfter || x.epoch < epochs[i]):
			x.absent = true
			b.coordinator.Absent(i)
		}
	}
}

// takeDecision takes what the coordinator tells.
func (h *hosting) takeDecision(data []byte) {
	var x decision
	if !decode(data, &x) {
		return
	}
	h.mu.Lock()
	if x.Epoch < h.coordinatorEpoch || h.coordination != nil {
		h.mu.Unlock()
		return
	}
	news := x.Epoch > h.coordinatorEpoch
	h.coordinatorEpoch, h.sum = x.Epoch, x.Sum
	if h.hears(x.Decision) {
		news = true
		for i := range h.hosted {
			h.shared.Wake(i)
		}
	}
	h.mu.Unlock()
	if news {
		h.poke()
	}
}

// talk tells reports, rulings and the status, until the context ends.
func (h *hosting) talk(ctx context.Context) {
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
func (h *hosting) tell() {
	h.mu.Lock()
	b := h.coordination
	var list []partReport
	var gates []func() error
	for _, i := range slices.Sorted(maps.Keys(h.hosted)) {
		if s := h.hosted[i]; s.reported && (s.crawling || s.report.Stop != "") {
			list = append(list, partReport{i, s.epoch, s.number, h.coordinatorEpoch, s.report})
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
		_ = h.engine.Bus.Publish("w", encode(decision{b.self.epoch, b.coordinator.Decision(), b.coordinator.Sum()}))
	case len(list) > 0:
		_ = h.engine.Bus.Publish("r", encode(list))
	}
}

// tellStatus tells how the node stands.
func (h *hosting) tellStatus() {
	x, parts := h.shared.Status()
	s := NodeStatus{Node: h.name, Address: h.address, Version: h.version, Partitions: parts, Of: h.plan.Crawl.Partitions, MemoryMax: x.MemoryMax, Status: *x}
	h.mu.Lock()
	s.Coordinator, s.Paused, s.Stop = h.coordination != nil, h.control.Paused, h.control.Stop
	h.mu.Unlock()
	if h.told != nil {
		h.told(&s)
	}
	if data, err := json.Marshal(s); err == nil {
		_ = h.engine.Bus.Publish(statusSubject(h.name), data)
	}
}

// lookSoon lets this node look at the control value in the register.
func (h *hosting) lookSoon() {
	select {
	case h.looks <- struct{}{}:
	default:
	}
}

// callTime is how long a call of the engine may take.
const callTime = 5 * time.Second

// look reads the control value in the register.
func (h *hosting) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	w, _, err := getControl(ctx, h.engine.Register)
	if err == nil {
		h.obey(w)
	}
	return err
}

// lookFirst reads the control value in the register before the node takes part. It returns false if the context
// ends first.
func (h *hosting) lookFirst(ctx context.Context) bool {
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

// lookSure reads the control value in the register. That the crawl has ended may be old, because the crawl was
// resumed and a copy of the register is behind: it counts if it can be written as it was read.
func (h *hosting) lookSure(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	w, revision, err := getControl(ctx, h.engine.Register)
	if err == nil && w.Stop != "" {
		var data []byte
		if data, err = json.Marshal(w); err == nil {
			_, err = h.engine.Register.Put(ctx, controlKey, revision, data)
		}
	}
	if err == nil {
		h.obey(w)
	}
	return err
}

// obey does what the control value in the register says. That a crawl has ended is not taken back while a
// node runs, and what was said before it was resumed does not count. If it was resumed or changed
// meanwhile this run ends: the next one begins with the plan that counts.
func (h *hosting) obey(w control) {
	h.mu.Lock()
	switch {
	case w.Turn < h.control.Turn:
		h.mu.Unlock()
		return
	case h.control.Stop != "":
		w.Stop, w.Turn = h.control.Stop, h.control.Turn
	case h.obeyed && w.Turn > h.control.Turn:
		h.changed = true
		w.Stop, w.Turn = whyStopped, h.control.Turn
	}
	h.obeyed = true
	changed := w.Stop != h.control.Stop || w.Paused != h.control.Paused
	h.control = w
	if changed {
		for i := range h.hosted {
			h.shared.Wake(i)
		}
	}
	h.mu.Unlock()
	if changed {
		h.shared.Pause(w.Paused)
		h.log.Info("the control value of the crawl has changed", "stop", w.Stop, "paused", w.Paused)
		if w.Stop != "" && h.leave != nil {
			h.leaveIfEnded()
		}
	}
}

// watching is the time after which a watch is begun again: an engine that has stalled may not tell.
const watching = 2 * time.Minute

// watch follows the register: the control value, nodes, and the epochs of partitions.
func (h *hosting) watch(ctx context.Context) {
	for ctx.Err() == nil {
		ctx, cancel := context.WithTimeout(ctx, watching)
		if _ = h.engine.Register.Watch(ctx, h.see); ctx.Err() == nil {
			_ = pause(ctx, retryDelay)
		}
		cancel()
	}
}

// see notes a value of the register.
func (h *hosting) see(v cluster.Value) {
	if v.Key == controlKey {
		var w control
		if json.Unmarshal(v.Data, &w) == nil {
			h.obey(w)
		}
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
		close(h.news)
		h.news = make(chan struct{})
	}
}

// over reports whether an incarnation of a node is over for good.
func (h *hosting) over(node string, incarnation uint64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := h.members[node]
	return m.Incarnation > incarnation || m.Incarnation == incarnation && !m.Alive
}

// census returns the nodes that live, with their incarnations, as the register has them.
func (h *hosting) census(ctx context.Context) (map[string]uint64, error) {
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

// keepControl keeps the control value here and that in the register the same: it reads the one, and writes the
// end that the coordinator has found, as long as the coordinator is here.
func (h *hosting) keepControl(ctx context.Context) {
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

// becomeCoordinator makes an epoch that of the coordinator, before its partition does anything. From then on
// those before it decide nothing, even if what they have written arrives late.
func (h *hosting) becomeCoordinator(ctx context.Context, t *cluster.Tenure) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-t.Lost():
			cancel()
		case <-ctx.Done():
		}
	}()
	var is control
	if err := setControl(ctx, h.engine, func(w *control) {
		w.Coordinator = max(w.Coordinator, t.Epoch)
		is = *w
	}); err != nil {
		return fmt.Errorf("%w: the control value of the crawl cannot be changed: %v", cluster.ErrLost, err)
	}
	h.obey(is)
	return nil
}

// catchUp waits until the watch of the register has come to where this node has taken a partition. So
// it is known if the crawl has ended before: then the owner before has let it go because of that.
func (h *hosting) catchUp(ctx context.Context, self int, t *cluster.Tenure) error {
	for {
		h.mu.Lock()
		come, news := h.epochs[self] >= t.Epoch, h.news
		h.mu.Unlock()
		if come {
			return nil
		}
		select {
		case <-news:
		case <-ctx.Done():
			return ctx.Err()
		case <-t.Lost():
			return cluster.ErrLost
		}
	}
}

// declare writes the end that the coordinator has found to the register.
func (h *hosting) declare(ctx context.Context) {
	h.mu.Lock()
	b, done, turn := h.coordination, h.control.Stop != "", h.control.Turn
	h.mu.Unlock()
	if b == nil || done {
		return
	}
	why := b.coordinator.Decision().Stop
	if why == "" || b.self.gate() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	err := setControl(ctx, h.engine, func(w *control) {
		if w.Stop == "" && w.Coordinator == b.self.epoch && w.Turn == turn {
			w.Stop = why
		}
	})
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		h.log.Info("cannot write why the crawl ends yet", "error", err)
	}
	_ = h.look(ctx)
}
