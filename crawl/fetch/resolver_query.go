package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"
)

const (
	maxAliases = 8    // CNAME after CNAME
	maxAddrs   = 16   // of one name; more are of no use to one connection
	udpSize    = 1232 // bytes of an answer that pass everywhere in one packet (DNS flag day 2020)
)

// A found holds the result of a query.
type found struct {
	addrs   []netip.Addr
	ttl     time.Duration // of the records on the way, as the servers set it
	missing bool          // the servers report no such name; else there is no such record
}

// resolve queries both kinds of addresses, IPv4 first: on a network without IPv4 the
// connection fails at once and the next address is tried. A name that does not exist, or
// that no server knows, is not queried twice. If there is an IPv4 address, the second
// query may fail.
func (r *Resolver) resolve(ctx context.Context, host string) (Names, error) {
	name := dns.Fqdn(host)
	v4, err := r.follow(ctx, name, dns.TypeA, r.o.Retries)
	if err != nil {
		return Names{}, err
	}
	if v4.missing {
		return r.negative(v4), ErrNoName
	}
	retries := r.o.Retries
	if len(v4.addrs) > 0 {
		retries = 0
	}
	v6, err := r.follow(ctx, name, dns.TypeAAAA, retries)
	ttl := v4.ttl
	switch {
	case len(v4.addrs)+len(v6.addrs) == 0 && err != nil:
		return Names{}, err
	case len(v4.addrs)+len(v6.addrs) == 0:
		return r.negative(v4), ErrNoName
	case len(v4.addrs) == 0:
		ttl = v6.ttl
	case len(v6.addrs) > 0:
		ttl = min(v4.ttl, v6.ttl)
	}
	return Names{Addrs: append(v4.addrs, v6.addrs...), TTL: min(max(ttl, r.o.MinTTL), r.o.MaxTTL)}, nil
}

// negative returns the time for which a name without address is believed to have none.
func (r *Resolver) negative(f found) Names {
	return Names{TTL: min(max(f.ttl, r.o.Negative), max(maxNegative, r.o.Negative))}
}

// follow queries one kind of address, through all aliases.
func (r *Resolver) follow(ctx context.Context, name string, kind uint16, retries int) (found, error) {
	f := found{ttl: r.o.MaxTTL}
	for range maxAliases {
		m, err := r.persist(ctx, name, kind, retries)
		if err != nil {
			return found{}, err
		}
		next := f.take(m, name, kind)
		if next == "" {
			return f, nil
		}
		name = next
	}
	return found{}, fmt.Errorf("%w: more than %d aliases", ErrTemporary, maxAliases)
}

// take returns the records for a name in an answer, along the chain of its aliases. It
// ignores other records, which were not requested. If the chain leads out of the answer, it
// returns the name to query next.
func (f *found) take(m *dns.Msg, name string, kind uint16) (next string) {
	at := name
	for range maxAliases {
		to := ""
		for _, rr := range m.Answer {
			h := rr.Header()
			if !strings.EqualFold(h.Name, at) {
				continue
			}
			switch rr := rr.(type) {
			case *dns.A:
				f.add(rr.A, h, kind)
			case *dns.AAAA:
				f.add(rr.AAAA, h, kind)
			case *dns.CNAME:
				to = rr.Target
				f.ttl = min(f.ttl, seconds(h.Ttl))
			}
		}
		if to == "" || len(f.addrs) > 0 {
			break
		}
		at = to
	}
	if len(f.addrs) > 0 {
		return ""
	}
	ttl, soa := denial(m)
	if m.Rcode == dns.RcodeSuccess && !soa && at != name {
		return at
	}
	f.ttl, f.missing = min(f.ttl, ttl), m.Rcode == dns.RcodeNameError
	return ""
}

func (f *found) add(ip []byte, h *dns.RR_Header, kind uint16) {
	a, ok := netip.AddrFromSlice(ip)
	if a = a.Unmap(); !ok || h.Rrtype != kind || len(f.addrs) == maxAddrs || slices.Contains(f.addrs, a) {
		return
	}
	f.addrs = append(f.addrs, a)
	f.ttl = min(f.ttl, seconds(h.Ttl))
}

// denial returns how long a negative answer holds (RFC 2308): the smaller of the TTL of the
// SOA record and its last field.
func denial(m *dns.Msg) (ttl time.Duration, ok bool) {
	for _, rr := range m.Ns {
		if soa, is := rr.(*dns.SOA); is {
			return min(seconds(soa.Hdr.Ttl), seconds(soa.Minttl)), true
		}
	}
	return 0, false
}

func seconds(n uint32) time.Duration { return time.Duration(n) * time.Second }

// persist queries one server after the other until there is a useful answer.
func (r *Resolver) persist(ctx context.Context, name string, kind uint16, retries int) (*dns.Msg, error) {
	var last error
	for try := 0; try <= retries && ctx.Err() == nil; try++ {
		if try > 0 {
			r.count.retries.Add(1)
		}
		m, err := r.query(ctx, r.servers[try%len(r.servers)], name, kind)
		switch {
		case err != nil:
			last = err
		case m.Rcode == dns.RcodeSuccess || m.Rcode == dns.RcodeNameError:
			return m, nil
		default:
			last = errors.New(rcode(m.Rcode))
		}
	}
	if last == nil {
		last = context.Cause(ctx)
	}
	return nil, fmt.Errorf("%w: %w", ErrTemporary, last)
}

func rcode(n int) string {
	if s, ok := dns.RcodeToString[n]; ok {
		return s
	}
	return fmt.Sprint("rcode ", n)
}

// query queries one server once: over UDP, and over TCP if the answer does not fit.
func (r *Resolver) query(ctx context.Context, server, name string, kind uint16) (*dns.Msg, error) {
	select {
	case r.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-r.slots }()
	r.count.questions.Add(1)
	m, err := r.exchange(ctx, "udp", server, name, kind)
	if err == nil && m.Truncated {
		r.count.tcp.Add(1)
		m, err = r.exchange(ctx, "tcp", server, name, kind)
	}
	return m, err
}

// exchange sends a query over a connection of its own: its port is a second secret, with
// the number of the query, that a forger has to guess.
func (r *Resolver) exchange(ctx context.Context, network, server, name string, kind uint16) (*dns.Msg, error) {
	ctx, stop := context.WithTimeout(ctx, r.o.Timeout)
	defer stop()
	nc, err := r.o.Dial(ctx, network, server)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	end := context.AfterFunc(ctx, func() { nc.Close() })
	defer end()
	q := new(dns.Msg)
	q.SetQuestion(name, kind)
	q.SetEdns0(udpSize, false)
	c := &dns.Conn{Conn: nc, UDPSize: udpSize}
	if err := c.WriteMsg(q); err != nil {
		return nil, err
	}
	for {
		m, err := c.ReadMsg()
		switch {
		case ctx.Err() != nil:
			return nil, fmt.Errorf("%s does not answer", server)
		case err == nil && answers(m, q):
			return m, nil
		case err != nil && (network != "udp" || m == nil):
			return nil, err
		}
	}
}

// answers reports whether m is the answer to q and not something else, late or forged.
func answers(m, q *dns.Msg) bool {
	if m.Id != q.Id || !m.Response {
		return false
	}
	if len(m.Question) == 0 { // some servers that fail drop it
		return m.Rcode != dns.RcodeSuccess && m.Rcode != dns.RcodeNameError
	}
	return len(m.Question) == 1 && m.Question[0].Qtype == q.Question[0].Qtype &&
		strings.EqualFold(m.Question[0].Name, q.Question[0].Name)
}
