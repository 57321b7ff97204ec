package member

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/cluster/nats"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// Port is the usual port of a broker. Other brokers use the next one.
const Port = 7420

// A Place is where a cluster is reached.
type Place struct {
	urls     []string // of brokers
	external bool     // they are NATS servers of somebody else
	secret   nats.Secret
}

// ParsePlace reads the addresses of brokers, separated by commas: HOST or HOST:PORT. URLs that begin
// with nats:// or tls:// are those of NATS servers that run anyway; they take no secret.
func ParsePlace(text string) (Place, error) {
	p := Place{external: strings.Contains(text, "://")}
	for _, s := range strings.Split(text, ",") {
		switch u, err := url.Parse(s); {
		case !p.external:
			a, err := parseAddress(s)
			if err != nil {
				return p, err
			}
			p.urls = append(p.urls, "tls://"+join(a))
		case err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls":
			return p, &hint.Error{Text: "the address of the cluster is not a list of URLs of NATS servers", Hint: "such as nats://user:password@host:4222"}
		default:
			p.urls = append(p.urls, s)
		}
	}
	return p, nil
}

// WithSecret returns the place for members that share a secret.
func (p Place) WithSecret(s nats.Secret) Place {
	p.secret = s
	return p
}

// External reports whether the brokers are NATS servers of somebody else.
func (p *Place) External() bool { return p.external }

// String returns the addresses, without passwords.
func (p *Place) String() string {
	list := make([]string, len(p.urls))
	for i, s := range p.urls {
		list[i] = strings.TrimPrefix(s, "tls://")
		if u, err := url.Parse(s); err == nil && p.external {
			list[i] = u.Redacted()
		}
	}
	return strings.Join(list, ",")
}

// parseAddress reads HOST or HOST:PORT.
func parseAddress(text string) (a nats.Address, err error) {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		host, port = strings.Trim(text, "[]"), strconv.Itoa(Port)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || n == 1<<16-1 || host == "" || strings.ContainsAny(host, " /@") {
		return a, &hint.Error{Text: fmt.Sprintf("%q is not the address of a node", text), Hint: "an address is HOST or HOST:PORT, such as a.example:7420"}
	}
	return nats.Address{Host: host, Port: int(n)}, nil
}

func join(a nats.Address) string { return net.JoinHostPort(a.Host, strconv.Itoa(a.Port)) }

// routes returns the address of a broker for other brokers.
func routes(a nats.Address) nats.Address { return nats.Address{Host: a.Host, Port: a.Port + 1} }

// A seating says who runs a broker.
type seating struct {
	brokers []nats.Address
	self    int // the number of this one; -1: it has none
}

// seats finds the brokers among the peers of a node that others reach at an address.
func seats(address string, peers []string) (s seating, err error) {
	own, err := parseAddress(address)
	if err != nil {
		return s, err
	}
	if len(peers) == 0 {
		peers = []string{address}
	}
	for _, text := range peers {
		a, err := parseAddress(strings.TrimSpace(text))
		if err != nil {
			return s, err
		}
		s.brokers = append(s.brokers, a)
	}
	if s.self = slices.Index(s.brokers, own); s.self < 0 {
		return s, &hint.Error{Text: fmt.Sprintf("%s, the address of this node, is not among --peers %s", address, strings.Join(peers, ",")), Hint: "name this node as others do, in --peers and in --listen or --advertise; the order of --peers is the same on all nodes"}
	}
	s.brokers = s.brokers[:brokersOf(len(s.brokers))]
	if s.self >= len(s.brokers) {
		s.self = -1
	}
	return s, nil
}

// brokersOf returns how many of so many nodes run brokers: most of them must be there, so two would
// be worse than one.
func brokersOf(nodes int) int {
	switch {
	case nodes >= 5:
		return 5
	case nodes >= 3:
		return 3
	}
	return 1
}

// place returns where the brokers are reached.
func (s *seating) place(secret nats.Secret) Place {
	p := Place{secret: secret}
	for _, a := range s.brokers {
		p.urls = append(p.urls, "tls://"+join(a))
	}
	return p
}
