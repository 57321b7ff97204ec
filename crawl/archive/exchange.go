package archive

import (
	"fmt"
	"net/netip"
	"time"
)

// Exchange is one request of the crawler and its answer: what Build makes records of.
type Exchange struct {
	URL      string     // absolute, visible ASCII
	Time     time.Time  // when the request began; records carry milliseconds of it
	Serial   uint64     // distinguishes exchanges of one URL at one instant; else 0
	Address  netip.Addr // of the peer; the zero value is not written
	Protocol []string   // http/1.1, h2, tls/1.3: one WARC-Protocol each (a proposal in wide use, not part of 1.1)

	Request  Request
	Response Response

	Truncated Truncation // why the body ends before its end
	Payload   Digest     // of the body where the caller has it already, else computed
	Revisit   *Revisit   // not nil: a revisit record without the body instead of the response
	Meta      []Field    // lines of a metadata record; none, no record
}

// Request is the request of an exchange. Target and Host are those of the URL.
type Request struct {
	Method string              // empty: GET
	Header map[string][]string // as http.Header; written in the order of the names
}

// Response is the answer of an exchange. A status of 0 is no answer: the request alone
// is kept.
type Response struct {
	Status int
	Reason string              // may be empty, as it is in HTTP/2
	Header map[string][]string // as http.Header; with Transfer-Encoding and Content-Encoding where there were any
	Body   []byte              // without transfer coding, with content coding
}

// A Truncation is the reason why a body is not complete.
type Truncation uint8

const (
	Whole      Truncation = iota
	Length                // longer than the crawler keeps
	Time                  // slower than the crawler waits
	Disconnect            // the connection broke
)

var truncations = [...]string{Length: "length", Time: "time", Disconnect: "disconnect"}

func (t Truncation) String() string {
	if int(t) < len(truncations) {
		return truncations[t]
	}
	return "unspecified"
}

// A Profile describes how a revisit recognised an earlier payload.
type Profile uint8

const (
	IdenticalPayload Profile = iota // by its digest
	NotModified                     // by the word of the server: status 304
)

// URI returns the name of the profile in WARC 1.1.
func (p Profile) URI() string {
	if p == NotModified {
		return "http://netpreserve.org/warc/1.1/revisit/server-not-modified"
	}
	return "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
}

// Revisit refers to the record that holds the payload. What is zero is not written.
type Revisit struct {
	Profile Profile
	Record  ID
	URL     string
	Time    time.Time
}

// Records are the finished records of one exchange.
type Records struct {
	Bytes   []byte // gzip members, the main record first
	Main    int    // length of the first member: response, revisit, or a request without answer
	ID      ID     // of the main record
	Payload Digest // of the body; zero without one
}

// check refuses an exchange that no record can hold.
func (x *Exchange) check() error {
	if err := checkURL(x.URL); err != nil {
		return err
	}
	if s := x.Response.Status; s != 0 && (s < 100 || s > 999) {
		return fmt.Errorf("%s: status %d has not three digits", x.URL, s)
	}
	if y := x.Time.UTC().Year(); y < 1 || y > 9999 {
		return fmt.Errorf("%s: year %d has not four digits", x.URL, y)
	}
	if x.Revisit == nil {
		return nil
	}
	if x.Response.Status == 0 {
		return fmt.Errorf("%s: a revisit needs an answer", x.URL)
	}
	if x.Revisit.URL == "" {
		return nil
	}
	return checkURL(x.Revisit.URL)
}
