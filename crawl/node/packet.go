package node

import (
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/crawl/port"
)

// A post carries packets between partitions: directly to those on this node, over the bus to
// others.
type post struct {
	bus   cluster.Bus
	wake  func(self int)
	mu    sync.Mutex
	boxes map[int]*box // of the partitions that run here
}

// A box holds the packets for a partition.
type box struct{ list []port.Packet }

// boxSize is the largest number of packets in a box. Others come again.
const boxSize = 4096

// subject returns the subject of the messages to a partition.
func subject(part int) string { return fmt.Sprintf("x.%d", part) }

// enter begins to receive packets for a partition. leave ends that.
func (p *post) enter(self int) (leave func(), err error) {
	p.mu.Lock()
	p.boxes[self] = &box{}
	p.mu.Unlock()
	stop, err := p.bus.Subscribe(subject(self), func(data []byte) {
		if x, ok := decodePacket(data); ok {
			p.put(self, x)
		}
	})
	if err != nil {
		stop = func() {}
	}
	return func() {
		stop()
		p.mu.Lock()
		delete(p.boxes, self)
		p.mu.Unlock()
	}, err
}

// put puts a packet into the box of a partition. It reports whether it has one.
func (p *post) put(to int, x port.Packet) bool {
	p.mu.Lock()
	b := p.boxes[to]
	if b != nil && len(b.list) < boxSize {
		b.list = append(b.list, x)
	}
	p.mu.Unlock()
	if b != nil {
		p.wake(to)
	}
	return b != nil
}

// send sends a packet. What is lost comes again.
func (p *post) send(to int, x port.Packet) {
	if !p.put(to, x) {
		_ = p.bus.Publish(subject(to), encodePacket(x))
	}
}

func (p *post) receive(self int) []port.Packet {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.boxes[self]
	if b == nil {
		return nil
	}
	list := b.list
	b.list = nil
	return list
}

// mailbox is the post as one partition sees it.
type mailbox struct {
	post *post
	self int
}

func (m mailbox) Send(to int, p port.Packet) { m.post.send(to, p) }
func (m mailbox) Receive() []port.Packet     { return m.post.receive(m.self) }

// packetHead is the size of what is before the bytes of a packet: sender and number, little-endian.
const packetHead = 12

func encodePacket(p port.Packet) []byte {
	b := make([]byte, packetHead, packetHead+len(p.Bytes))
	binary.LittleEndian.PutUint32(b, uint32(p.From))
	binary.LittleEndian.PutUint64(b[4:], p.Applied)
	return append(b, p.Bytes...)
}

func decodePacket(b []byte) (p port.Packet, ok bool) {
	if len(b) < packetHead {
		return p, false
	}
	p = port.Packet{From: int(binary.LittleEndian.Uint32(b)), Applied: binary.LittleEndian.Uint64(b[4:])}
	if len(b) > packetHead {
		p.Bytes = b[packetHead:]
	}
	return p, true
}
