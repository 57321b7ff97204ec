package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/winnow-crawler/winnow/event"
)

// Options configure a Client. The zero value is usable; every limit has a default.
// Many clients share one Options, which must not change while they do.
type Options struct {
	// Dial connects, as net.Dialer.DialContext does, to "tcp" and an IP address with
	// port, or to the proxy by its name. Nil is a net.Dialer.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// TLS is cloned. Nil verifies by the authorities of the system. A ClientSessionCache in
	// it saves clients that return to a site most of the handshake.
	TLS *tls.Config
	// Proxy takes all requests: an HTTP proxy those to https sites by CONNECT, a SOCKS5 proxy
	// (scheme socks5 or socks5h) all connections. Names are resolved there, Request.Addrs are
	// only checked, and the proxy itself may have any address.
	Proxy *url.URL

	UserAgent string
	Header    http.Header // for every request; those of the Request come on top
	HTTP2     bool        // offered to https sites

	// AllowPrivate allows requests to addresses and ports that are not of the public Web,
	// except those that are never used: see Never.
	AllowPrivate bool

	MaxBody   int64 // bytes of a body with its content coding; 0: 10 MiB
	MaxHeader int64 // bytes of the header of an answer, informational ones included; 0: 128 KiB

	// Time-outs. Connect covers all addresses and TLS, FirstByte the time from then on
	// to the first byte of the answer, Stall any time without a byte after that, Total
	// all of it. 0 means 10 s, 20 s, 15 s and 60 s; negative: none.
	Connect, FirstByte, Stall, Total time.Duration

	// Clock stamps answers; several goroutines call it. Nil counts from the
	// making of the client.
	Clock func() time.Duration
	// Budget bounds the bytes of bodies over all clients. Nil: no bound.
	Budget *Budget
	// Buffers lends memory for bodies. Nil: each body has memory of its own.
	Buffers *Buffers
	// Gate, if not nil, is called before a connection is opened and before each write to one. After an
	// error neither is done.
	Gate func() error
	// Conns numbers connections over all clients. Nil: each client counts its own.
	Conns *atomic.Uint32
}

const (
	defaultBody   = 10 << 20
	defaultHeader = 128 << 10
	// errorBody bounds bodies of answers that are no pages: enough to see what happened.
	errorBody = 256 << 10
	// shortBody is the length up to which reading a body is cheaper than closing the connection.
	shortBody = 16 << 10
)

// limits holds the limits of Options with their defaults.
type limits struct {
	body, header                     int64
	connect, firstByte, stall, total time.Duration
}

func (o *Options) limits() limits {
	return limits{
		body:      orSize(o.MaxBody, defaultBody),
		header:    orSize(o.MaxHeader, defaultHeader),
		connect:   orTime(o.Connect, 10*time.Second),
		firstByte: orTime(o.FirstByte, 20*time.Second),
		stall:     orTime(o.Stall, 15*time.Second),
		total:     orTime(o.Total, time.Minute),
	}
}

// with returns the limits with other time-outs, where those are not 0.
func (l limits) with(t Times) *limits {
	l.connect, l.firstByte = orTime(t.Connect, l.connect), orTime(t.FirstByte, l.firstByte)
	l.stall, l.total = orTime(t.Stall, l.stall), orTime(t.Total, l.total)
	return &l
}

func orSize(n, or int64) int64 {
	if n <= 0 {
		return or
	}
	return n
}

// never is longer than any exchange.
const never = 1000 * time.Hour

func orTime(d, or time.Duration) time.Duration {
	switch {
	case d == 0:
		return or
	case d < 0:
		return never
	}
	return d
}

// TrustFile returns the certificate authorities of the system and those of a PEM file.
func TrustFile(name string) (*x509.CertPool, error) {
	pem, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s: no certificate in it", name)
	}
	return pool, nil
}

// secretWords lists parts of the names of headers whose values are for one server only.
var secretWords = []string{"auth", "cookie", "token", "secret", "key", "passw", "credential", "session", "signature", "jwt", "assertion"}

// SecretHeader reports whether the name of a request header shows that its value is a
// secret: Authorization, Cookie, X-Api-Key and similar ones.
func SecretHeader(name string) bool {
	name = strings.ToLower(name)
	for _, word := range secretWords {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// Times are the time-outs of a request: see Options.
type Times struct{ Connect, FirstByte, Stall, Total time.Duration }

// Request is one request. The method is always GET.
type Request struct {
	URL string // absolute, normal form; it is sent unchanged
	// Addrs are the addresses of the host, tried in order until one accepts.
	Addrs []netip.Addr
	// ETag and Modified are the validators of an earlier answer, "" for none; with one of
	// them the answer may be 304.
	ETag, Modified string
	Last           bool        // close the connection afterwards
	MaxBody        int64       // instead of Options.MaxBody; 0: that one
	Prefix         bool        // read up to MaxBody even if the body is announced to be longer (robots.txt)
	Accept         string      // "": what browsers prefer, HTML first
	Header         http.Header // on top of Options.Header
	Times          Times       // instead of those of Options, where they are not 0
	// Wants, if not nil, reports by the header of a good answer whether its body is wanted.
	// One that is not is read only if it is short, so that the connection can be kept.
	Wants func(http.Header) bool
}

// An Answer describes how a request ended. All memory in it is the caller's.
type Answer struct {
	// Start and End are instants of Options.Clock. End is after the last byte, and after
	// the connection was closed where it was: then nothing of this exchange is left.
	Start, End time.Duration
	// Phases are connect, first byte and body; their sum is End - Start. The first is
	// nearly 0 on a kept connection. An exchange that ends early has spent the rest of its
	// time in the phase in which it ended.
	Phases [3]time.Duration

	Status int    // 0: no answer
	Reason string // of the status line; "" in HTTP/2
	Class  event.Class
	Note   string // for people: what went wrong; "" if nothing did
	Cause  event.Cause
	// Aborted: the context ended first. This is no outcome of the page.
	Aborted bool

	Proto   []string   // http/1.1 or h2, then tls/1.3: as in WARC-Protocol
	Address netip.Addr // connected to; invalid behind a proxy and without a connection

	Request http.Header // as it was sent, without Host; nil: nothing was
	Header  http.Header // as received, with Transfer-Encoding if there was one
	// Head is the status line and header byte for byte, with the empty line after them. It is nil
	// for HTTP/2, which has no such bytes, and for TLS through a proxy.
	Head []byte
	// Body is without transfer coding, with content coding. After a failure it is what had
	// arrived until then.
	// Return it to Options.Buffers if nothing refers to it any more.
	Body       []byte
	Cut        Cut           // why the body is not whole
	Location   string        // of a redirect, as received: may be relative
	RetryAfter time.Duration // 0: not given; at most 24 h

	Keep   bool   // the connection is open and good for another request to the site
	Reused bool   // the connection was open before
	Stale  bool   // it was, and the server closed it before it answered: the request may not have been seen
	Conn   uint32 // number of the connection, from 1 on; 0: none
	Bytes  int64  // on the wire both ways, TLS and headers included
	Held   int64  // bytes taken from Options.Budget for Body: Give them back
}

// A Cut is the reason why a body is not complete; the numbers are those of archive.Truncation.
type Cut uint8

// The reasons.
const (
	CutNot        Cut = iota // it is whole
	CutLength                // longer than the limit
	CutTime                  // a time-out
	CutDisconnect            // the connection broke
	CutUnwanted              // not wanted: see Request.Wants
)
