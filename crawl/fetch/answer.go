package fetch

import (
	"net/http"
	"net/netip"
	"time"

	"github.com/winnow-crawler/winnow/event"
)

// Request is one request. The method is always GET.
type Request struct {
	URL string // absolute, normal form; it is sent as it stands
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
	Buffer         []byte      // its capacity is used for the body; may be nil
	// Wants, if not nil, reports by the header of a good answer whether its body is wanted.
	// One that is not is read only if it is short, so that the connection can be kept.
	Wants func(http.Header) bool
}

// Answer is how a request ended. All memory in it is the caller's, except that Body may
// lie in Request.Buffer.
type Answer struct {
	// Start and End are instants of Options.Clock. End is after the last byte, and after
	// the connection was closed where it was: then nothing of this exchange is left.
	Start, End time.Duration
	// Phases are connect, first byte and body; their sum is End - Start. The first is next
	// to nothing on a kept connection. An exchange that ends early has spent the rest of
	// its time in the phase in which it ended.
	Phases [3]time.Duration

	Status int    // 0: no answer
	Reason string // of the status line; "" in HTTP/2
	Class  event.Class
	Note   string // for people: what went wrong; "" if nothing did
	// Aborted: the context ended first. This is no outcome of the page.
	Aborted bool

	Proto   []string   // http/1.1 or h2, then tls/1.3: as in WARC-Protocol
	Address netip.Addr // connected to; invalid behind a proxy and without a connection

	Request http.Header // as it was sent, without Host; nil: nothing was
	Header  http.Header // as it came, with Transfer-Encoding where there was one
	// Body is without transfer coding, with content coding. After a failure it is
	// what had come until then.
	Body       []byte
	Cut        Cut           // why the body is not whole
	Location   string        // of a redirect, as it came: may be relative
	RetryAfter time.Duration // 0: not given; at most 24 h

	Keep   bool   // the connection is open and good for another request to the site
	Reused bool   // the connection was open before
	Conn   uint32 // number of the connection, from 1 on; 0: none
	Bytes  int64  // on the wire both ways, TLS and headers included
	Held   int64  // bytes taken from Options.Budget for Body: Give them back
}

// Cut is why a body is not whole; the numbers are those of archive.Truncation.
type Cut uint8

// The reasons.
const (
	CutNot        Cut = iota // it is whole
	CutLength                // longer than the limit
	CutTime                  // a time-out
	CutDisconnect            // the connection broke
	CutUnwanted              // nobody wants it: see Request.Wants
)
