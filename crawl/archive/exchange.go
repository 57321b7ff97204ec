package archive

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"fmt"
	"hash"
	"net/netip"
	"strings"
	"time"
)

// Algorithm is the hash function of the digests of a record.
type Algorithm uint8

const (
	// Tools expect SHA1, in base 32; it does not protect against a server that wants two of
	// its own bodies to have the same digest.
	SHA1 Algorithm = iota
	// SHA256 is written in hexadecimal: base 32 would need the padding sign, which
	// the grammar of a digest does not have.
	SHA256
)

func (a Algorithm) String() string {
	if a == SHA256 {
		return "sha256"
	}
	return "sha1"
}

func (a Algorithm) new() hash.Hash {
	if a == SHA256 {
		return sha256.New()
	}
	return sha1.New()
}

func (a Algorithm) size() int {
	if a == SHA256 {
		return sha256.Size
	}
	return sha1.Size
}

// Digest is the sum of a block or payload. The zero value is none.
type Digest struct {
	algorithm Algorithm
	set       bool
	sum       [sha256.Size]byte // the first size bytes
}

// Sum returns the digest of b.
func (a Algorithm) Sum(b []byte) Digest {
	d := Digest{algorithm: a, set: true}
	if a == SHA256 {
		d.sum = sha256.Sum256(b)
	} else {
		s := sha1.Sum(b)
		copy(d.sum[:], s[:])
	}
	return d
}

// Digest returns the digest with the given sum, of the size of the algorithm.
func (a Algorithm) Digest(sum []byte) Digest {
	d := Digest{algorithm: a, set: true}
	copy(d.sum[:a.size()], sum)
	return d
}

// digestOf returns the digest in h, a hash of algorithm a.
func digestOf(a Algorithm, h hash.Hash) Digest {
	d := Digest{algorithm: a, set: true}
	h.Sum(d.sum[:0])
	return d
}

// IsZero reports whether there is no digest.
func (d Digest) IsZero() bool { return !d.set }

// Algorithm returns the algorithm of the digest.
func (d Digest) Algorithm() Algorithm { return d.algorithm }

// Bytes returns the 20 or 32 bytes of the sum.
func (d Digest) Bytes() []byte { return append([]byte(nil), d.sum[:d.algorithm.size()]...) }

// String returns the labelled form of a record header, sha1:BASE32.
func (d Digest) String() string { return string(d.append(nil)) }

func (d Digest) append(b []byte) []byte {
	b = append(append(b, d.algorithm.String()...), ':')
	if d.algorithm == SHA256 {
		return hex.AppendEncode(b, d.sum[:sha256.Size])
	}
	return base32.StdEncoding.AppendEncode(b, d.sum[:sha1.Size])
}

// ParseDigest reads a labelled digest as this and other writers write it: sha1 or sha-1,
// sha256 or sha-256, in base 32 or hexadecimal, of either case.
func ParseDigest(s string) (Digest, error) {
	label, value, _ := strings.Cut(s, ":")
	d := Digest{set: true}
	switch strings.ToLower(label) {
	case "sha1", "sha-1":
	case "sha256", "sha-256":
		d.algorithm = SHA256
	default:
		return Digest{}, fmt.Errorf("digest %.80q: unknown algorithm", s)
	}
	sum, err := decodeSum(value, d.algorithm.size())
	if err != nil {
		return Digest{}, fmt.Errorf("digest %.80q: %w", s, err)
	}
	copy(d.sum[:], sum)
	return d, nil
}

// decodeSum decodes n bytes in either encoding, which it recognises by the length: 2n
// in base 16, 8n/5 and perhaps padding in base 32.
func decodeSum(s string, n int) ([]byte, error) {
	if len(s) == 2*n {
		return hex.DecodeString(s)
	}
	b, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(strings.ToUpper(strings.TrimRight(s, "=")))
	if err == nil && len(b) != n {
		err = fmt.Errorf("%d bytes, not %d", len(b), n)
	}
	return b, err
}

// An Exchange is one request of the crawler and its answer. Build makes records of it.
type Exchange struct {
	URL      string     // absolute, visible ASCII
	Time     time.Time  // when the request began; records carry milliseconds of it
	Serial   uint64     // distinguishes exchanges of one URL at one instant; else 0
	Address  netip.Addr // of the peer; the zero value is not written
	Protocol []string   // http/1.1, h2, tls/1.3: one WARC-Protocol each (a proposal in wide use, not part of 1.1)

	Request  Request
	Response Response

	Truncated Truncation // why the body ends before its end
	// Payload is the digest of the body where the caller has it already, else it is computed.
	// With status 304 it is that of the payload which has not changed.
	Payload Digest
	Revisit *Revisit // not nil: a revisit record without the body instead of the response
	Meta    []Field  // lines of a metadata record; none, no record
}

// Request is the request of an exchange. Target and Host are those of the URL.
type Request struct {
	Method string              // empty: GET
	Header map[string][]string // as http.Header; written in the order of the names
}

// Response is the answer of an exchange. A status of 0 means no answer: only the request is
// stored.
type Response struct {
	Status int
	Reason string              // may be empty, as it is in HTTP/2
	Header map[string][]string // as http.Header; with Transfer-Encoding and Content-Encoding where there were any
	// Head, if not nil, is the status line and header as the server sent it. It is written instead
	// of Status, Reason and Header, which must say the same.
	Head []byte
	Body []byte // without transfer coding, with content coding
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

// A Revisit refers to the record that holds the payload. Zero fields are not written.
type Revisit struct {
	Profile Profile
	Record  ID
	URL     string
	Time    time.Time
}

// An Original is a response that holds the payload of a URL. The zero value is none.
type Original struct {
	Payload Digest
	Time    time.Time
	Record  ID // zero: unknown
}

// Revisit returns a revisit of url that refers to the original.
func (o *Original) Revisit(p Profile, url string) *Revisit {
	return &Revisit{Profile: p, Record: o.Record, URL: url, Time: o.Time}
}

// Records holds the finished records of one exchange.
type Records struct {
	Bytes   []byte // gzip members, the main record first
	Main    int    // length of the first member: response, revisit, or a request without answer
	ID      ID     // of the main record
	Payload Digest // of the body; zero without one
	// Entry is the line of the main record in an index, without its place (see AppendLine);
	// empty if it has none. It lies in memory behind Bytes, and does not survive that something
	// is appended to those.
	Entry []byte
}

// Clone returns the records in memory of their own.
func (r Records) Clone() Records {
	n := len(r.Bytes)
	all := append(append(make([]byte, 0, n+len(r.Entry)), r.Bytes...), r.Entry...)
	r.Bytes, r.Entry = all[:n:n], all[n:]
	return r
}

// check returns an error for an exchange that no record can hold.
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
