package partition

import (
	"sync"

	"github.com/winnow-crawler/winnow/crawl/port"
)

// A bus carries packets between partitions.
type bus interface {
	send(to int, p port.Packet)
	receive(self int) []port.Packet
}

// memoryBus is a bus within one process, which loses nothing.
type memoryBus struct {
	mu    sync.Mutex
	boxes [][]port.Packet
	wake  func(self int)
}

func newMemoryBus(partitions int, wake func(int)) *memoryBus {
	return &memoryBus{boxes: make([][]port.Packet, partitions), wake: wake}
}

func (b *memoryBus) send(to int, p port.Packet) {
	b.mu.Lock()
	b.boxes[to] = append(b.boxes[to], p)
	b.mu.Unlock()
	b.wake(to)
}

func (b *memoryBus) receive(self int) []port.Packet {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.boxes[self]
	b.boxes[self] = nil
	return list
}

// mailbox is the bus as one partition sees it.
type mailbox struct {
	bus  bus
	self int
}

func (m mailbox) Send(to int, p port.Packet) { m.bus.send(to, p) }
func (m mailbox) Receive() []port.Packet     { return m.bus.receive(m.self) }
