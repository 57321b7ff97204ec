package fetch

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// Options configure a Client. The zero value is usable; every limit has a default.
// Many clients share one Options, which must not change while they do.
type Options struct {
	// Dial connects, as net.Dialer.DialContext does, to "tcp" and an IP address with
	// port, or to the proxy by its name. Nil is a net.Dialer.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// TLS is cloned. Nil verifies by the authorities of the system. A ClientSessionCache in
	// it spares clients that come back to a site most of the handshake.
	TLS *tls.Config
	// Proxy takes all requests, those to https sites by CONNECT. Then names are resolved
	// there, Request.Addrs are only checked, and the proxy itself may have any address.
	Proxy *url.URL

	UserAgent string
	Header    http.Header // for every request; those of the Request come on top
	HTTP2     bool        // offered to https sites

	// AllowPrivate lets requests go to addresses and ports that are not of the public Web,
	// but for those that are never used: see Never.
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

// limits are the limits of Options with their defaults.
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
