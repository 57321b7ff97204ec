package fetch

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/miekg/dns"
)

// liar is a name server that answers every question with the same bytes, under the number
// and the question that it was asked with, first over UDP and then over TCP.
type liar struct {
	net.Conn
	stream bool
	says   []byte
	out    bytes.Buffer
}

func (l *liar) Write(b []byte) (int, error) {
	q := b
	if l.stream {
		q = b[2:]
	}
	m := append(bytes.Clone(q[:2]), l.says...) // the number
	if l.stream {
		l.out.Write(binary.BigEndian.AppendUint16(nil, uint16(len(m))))
	}
	l.out.Write(m)
	return len(b), nil
}

func (l *liar) Read(b []byte) (int, error) {
	if l.out.Len() == 0 {
		return 0, io.EOF
	}
	return l.out.Read(b)
}

func (l *liar) Close() error { return nil }

// LocalAddr tells miekg/dns packets from streams.
func (l *liar) LocalAddr() net.Addr {
	if l.stream {
		return &net.TCPAddr{}
	}
	return &net.UDPAddr{}
}

// packetLiar is one over UDP.
type packetLiar struct{ liar }

func (*packetLiar) ReadFrom([]byte) (int, net.Addr, error) { panic("not used") }
func (*packetLiar) WriteTo([]byte, net.Addr) (int, error)  { panic("not used") }

// FuzzLookup: whatever a name server answers, there are at most so many addresses, all
// different, for a time within the bounds, or an error of the two kinds.
func FuzzLookup(f *testing.F) {
	answer := func(lines ...string) []byte {
		m := new(dns.Msg)
		m.SetQuestion("a.example.", dns.TypeA)
		m.Response = true
		rr(m, lines...)
		b, err := m.Pack()
		if err != nil {
			f.Fatal(err)
		}
		return b[2:]
	}
	f.Add(answer("a.example. 60 IN A 192.0.2.1", "a.example. 4294967295 IN A 127.0.0.1"))
	f.Add(answer("a.example. 60 IN CNAME b.example.", "b.example. 0 IN CNAME a.example."))
	f.Add(answer("a.example. 60 IN CNAME a.example."))
	f.Add(answer("example. 60 IN SOA ns.example. me.example. 1 2 3 4 5"))
	f.Add([]byte{0x82, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, says []byte) {
		dial := func(_ context.Context, network, _ string) (net.Conn, error) {
			if network == "udp" {
				return &packetLiar{liar{says: says}}, nil
			}
			return &liar{says: says[:min(len(says), 60_000)], stream: true}, nil
		}
		r := resolver(t, ResolverOptions{Dial: dial, MinTTL: time.Minute, MaxTTL: time.Hour, Timeout: time.Hour})
		defer r.Close()
		n, err := r.Lookup(t.Context(), "a.example")
		switch {
		case err != nil:
			if !errors.Is(err, ErrNoName) && !errors.Is(err, ErrTemporary) || len(n.Addrs) > 0 {
				t.Fatalf("%+v, %v", n, err)
			}
		case len(n.Addrs) == 0 || len(n.Addrs) > 2*maxAddrs || n.TTL < time.Minute || n.TTL > time.Hour:
			t.Fatalf("%+v", n)
		}
		seen := map[string]bool{}
		for _, a := range n.Addrs {
			if !a.IsValid() || a.Is4In6() || seen[a.String()] {
				t.Fatalf("address %v in %v", a, n.Addrs)
			}
			seen[a.String()] = true
		}
	})
}
