package node

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/crawl/port"
)

// A post carries packets between partitions: directly to those on this node, over the bus to
// others. What goes to one node within a short time goes in one message, a parcel: otherwise
// partitions would send thousands of small messages a second.
//
// Parcels name their sender, and so tell which partitions are there. A packet for a partition of
// which nobody has told lately goes to the subject of the partition. A node that gets a packet for a
// partition that is not there passes it on to that subject.
type post struct {
	name  string // of this node
	bus   cluster.Bus
	wake  func(self int)
	stir  chan struct{} // there is something in a bag
	mu    sync.Mutex
	boxes map[int]*box      // of the partitions that run here
	told  map[int]news      // by partition
	bags  map[string][]byte // by node: a parcel that goes there soon
}

// A box holds the packets for a partition.
type box struct{ list []port.Packet }

// news is where a partition was when it last sent something.
type news struct {
	node string
	at   time.Time
}

const (
	// boxSize is the largest number of packets in a box. Others come again.
	boxSize = 4096
	// carryTime is how long packets for a node are collected.
	carryTime = 50 * time.Millisecond
	// bagSize is the size in bytes from which on a parcel is sent at once.
	bagSize = 256 << 10
	// newsTime is how long it counts where a partition was.
	newsTime = 5 * time.Second
)

func newPost(name string, bus cluster.Bus, wake func(int)) *post {
	return &post{
		name: name, bus: bus, wake: wake, stir: make(chan struct{}, 1),
		boxes: map[int]*box{}, told: map[int]news{}, bags: map[string][]byte{},
	}
}

// subject returns the subject of the messages to a partition, parcelSubject that of those to a node.
func subject(part int) string          { return fmt.Sprintf("x.%d", part) }
func parcelSubject(node string) string { return "p." + node }

// enter begins to receive packets for a partition. leave ends that.
func (p *post) enter(self int) (leave func(), err error) {
	p.mu.Lock()
	p.boxes[self] = &box{}
	p.mu.Unlock()
	stop, err := p.bus.Subscribe(subject(self), func(data []byte) { p.take(data, false) })
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

// takeParcel takes a parcel for this node.
func (p *post) takeParcel(data []byte) { p.take(data, true) }

// take takes a parcel. With pass, packets for partitions that are not here go on.
func (p *post) take(data []byte, pass bool) {
	from, list, ok := decodeParcel(data)
	if !ok {
		return
	}
	for _, x := range list {
		p.mu.Lock()
		p.told[x.From] = news{from, time.Now()}
		p.mu.Unlock()
		if !p.put(x.to, x.Packet) && pass {
			_ = p.bus.Publish(subject(x.to), appendPacket(parcel(from), x.to, x.Packet))
		}
	}
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
	if p.put(to, x) {
		return
	}
	if subject, data := p.pack(to, x); data != nil {
		_ = p.bus.Publish(subject, data)
	}
}

// pack adds a packet to what goes to a node soon. It returns a message if there is one to be sent
// at once.
func (p *post) pack(to int, x port.Packet) (topic string, data []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.told[to]
	if n.node == "" || n.node == p.name || time.Since(n.at) > newsTime {
		return subject(to), appendPacket(parcel(p.name), to, x)
	}
	b := p.bags[n.node]
	if b == nil {
		b = parcel(p.name)
	}
	if b = appendPacket(b, to, x); len(b) >= bagSize {
		delete(p.bags, n.node)
		return parcelSubject(n.node), b
	}
	p.bags[n.node] = b
	select {
	case p.stir <- struct{}{}:
	default:
	}
	return "", nil
}

// carry sends parcels until the context ends.
func (p *post) carry(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.stir:
		}
		if pause(ctx, carryTime) != nil {
			return
		}
		p.mu.Lock()
		bags := p.bags
		p.bags = map[string][]byte{}
		p.mu.Unlock()
		for node, b := range bags {
			_ = p.bus.Publish(parcelSubject(node), b)
		}
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

// A parcel is the length of the name of its sender, the name, and packets: the partition to which
// one goes, that from which it comes, what was applied, the length of its bytes, little-endian, and
// the bytes.

// packetHead is the size of what is before the bytes of a packet.
const packetHead = 20

// An addressed packet goes to a partition.
type addressed struct {
	port.Packet
	to int
}

// parcel returns a parcel without packets.
func parcel(sender string) []byte { return append([]byte{byte(len(sender))}, sender...) }

// appendPacket adds a packet to a parcel.
func appendPacket(b []byte, to int, p port.Packet) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(to))
	b = binary.LittleEndian.AppendUint32(b, uint32(p.From))
	b = binary.LittleEndian.AppendUint64(b, p.Applied)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(p.Bytes)))
	return append(b, p.Bytes...)
}

// decodeParcel returns the sender and the packets of a parcel. Their bytes are those of the parcel.
func decodeParcel(b []byte) (sender string, list []addressed, ok bool) {
	if len(b) == 0 || len(b) <= int(b[0]) {
		return "", nil, false
	}
	sender, b = string(b[1:1+b[0]]), b[1+b[0]:]
	for len(b) > 0 {
		if len(b) < packetHead {
			return "", nil, false
		}
		x := addressed{to: int(binary.LittleEndian.Uint32(b))}
		x.From, x.Applied = int(binary.LittleEndian.Uint32(b[4:])), binary.LittleEndian.Uint64(b[8:])
		n := int(binary.LittleEndian.Uint32(b[16:]))
		if b = b[packetHead:]; n > len(b) {
			return "", nil, false
		}
		if n > 0 {
			x.Bytes = b[:n:n]
		}
		list, b = append(list, x), b[n:]
	}
	return sender, list, true
}
