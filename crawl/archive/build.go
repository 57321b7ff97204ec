package archive

import (
	"bytes"
	"fmt"
	"hash"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Builder turns exchanges into records. All its methods may run at once.
type Builder struct {
	crawl     ID
	algorithm Algorithm
	desks     *Desks
}

// NewBuilder returns a builder that makes ids within crawl and digests by algorithm.
func NewBuilder(crawl ID, algorithm Algorithm) *Builder {
	return &Builder{crawl: crawl, algorithm: algorithm, desks: new(Desks)}
}

// Share lets the builder use the desks of others, which have the same algorithm. It is called before
// all other methods.
func (b *Builder) Share(d *Desks) { b.desks = d }

// Desks keep the buffers of builds for the next ones. Each has tables of a megabyte: those that were
// used last are in the caches of a processor, so that builders should share them.
type Desks struct{ pool sync.Pool } // *desk

// A desk holds the buffers of a build, which the next one uses again.
type desk struct {
	head  []byte // of the HTTP message, or a block of fields
	warc  []byte // record header
	room  []byte // name of an id
	names []string
	hash  hash.Hash
	press press
}

func (b *Builder) desk() *desk {
	if d, ok := b.desks.pool.Get().(*desk); ok {
		return d
	}
	return &desk{hash: b.algorithm.new()}
}

// Build appends the records of x to dst, which may be nil: the response or revisit, the
// request, and the metadata where there are some. The result does not refer to x.
func (b *Builder) Build(dst []byte, x *Exchange) (Records, error) {
	if err := x.check(); err != nil {
		return Records{}, fmt.Errorf("archive: %w", err)
	}
	d := b.desk()
	defer b.desks.pool.Put(d)
	start := len(dst)
	r := Records{Payload: x.Payload}
	mime := ""
	if x.Response.Status != 0 {
		dst = b.response(d, dst, x, &r)
		r.Main, mime = len(dst)-start, d.media(x)
	}
	dst = b.request(d, dst, x, &r)
	if r.Main == 0 {
		r.Main = len(dst) - start
	}
	if len(x.Meta) > 0 {
		dst = b.metadata(d, dst, x, &r)
	}
	r.Bytes = dst
	if x.Response.Status != 0 {
		digest := ""
		if !r.Payload.IsZero() {
			digest = r.Payload.String()
		}
		n := len(dst)
		dst = appendEntry(dst, x.URL, x.Time, x.Response.Status, mime, digest)
		r.Bytes, r.Entry = dst[:n], dst[n:]
	}
	return r, nil
}

// media returns the media type of the response in the head, as Head.Media does.
func (d *desk) media(x *Exchange) string {
	if x.Revisit != nil {
		return revisitMime
	}
	for line := range bytes.SplitSeq(d.head, []byte("\r\n")) {
		const name = "Content-Type:"
		if len(line) >= len(name) && strings.EqualFold(string(line[:len(name)]), name) {
			h := Head{Fields: []Field{{"Content-Type", string(line[len(name):])}}}
			return h.Media()
		}
	}
	return ""
}

// ResponseID returns the id of the response of an exchange without a serial number.
func (b *Builder) ResponseID(url string, at time.Time) ID {
	id, _ := recordID(b.crawl, "response", url, at, 0, nil)
	return id
}

// Sum returns the payload digest of a body.
func (b *Builder) Sum(body []byte) Digest { return b.algorithm.Sum(body) }

func (b *Builder) id(d *desk, kind string, x *Exchange) (id ID) {
	id, d.room = recordID(b.crawl, kind, x.URL, x.Time, x.Serial, d.room)
	return id
}

// response writes the main record of an answered exchange.
func (b *Builder) response(d *desk, dst []byte, x *Exchange, r *Records) []byte {
	d.responseHead(&x.Response)
	body, kind := x.Response.Body, "response"
	if r.Payload.IsZero() && (x.Revisit == nil || x.Revisit.Profile == IdenticalPayload) {
		r.Payload = b.algorithm.Sum(body)
	}
	if x.Revisit != nil {
		body, kind = nil, "revisit"
	}
	r.ID = b.id(d, kind, x)
	d.begin(kind, r.ID, x.Time)
	d.capture(x)
	if x.Revisit != nil {
		d.refer(x.Revisit)
	}
	if t := x.truncation(); t != Whole {
		d.field("WARC-Truncated", t.String())
	}
	if !r.Payload.IsZero() {
		d.digest("WARC-Payload-Digest", r.Payload)
	}
	return d.end(b, dst, "application/http;msgtype=response", body, coded(x.Response.Header))
}

// truncation returns the truncation field of the main record. A revisit for its digest leaves
// the body out, and the standard wants to see this as a truncation by length.
func (x *Exchange) truncation() Truncation {
	if x.Revisit != nil && x.Revisit.Profile == IdenticalPayload {
		return Length
	}
	return x.Truncated
}

func (b *Builder) request(d *desk, dst []byte, x *Exchange, r *Records) []byte {
	d.requestHead(x)
	id := b.id(d, "request", x)
	d.begin("request", id, x.Time)
	d.capture(x)
	if r.ID.IsZero() {
		r.ID = id
	} else {
		d.idField("WARC-Concurrent-To", r.ID)
	}
	return d.end(b, dst, "application/http;msgtype=request", nil, false)
}

func (b *Builder) metadata(d *desk, dst []byte, x *Exchange, r *Records) []byte {
	d.head = appendFields(d.head[:0], x.Meta)
	d.begin("metadata", b.id(d, "metadata", x), x.Time)
	d.field("WARC-Target-URI", x.URL)
	d.idField("WARC-Concurrent-To", r.ID)
	return d.end(b, dst, "application/warc-fields", nil, false)
}

func appendFields(b []byte, fields []Field) []byte {
	for _, f := range fields {
		b = appendField(b, f.Name, f.Value)
	}
	return b
}

// begin starts a record header with what every record has.
func (d *desk) begin(kind string, id ID, at time.Time) {
	d.warc = append(d.warc[:0], "WARC/1.1\r\n"...)
	d.field("WARC-Type", kind)
	d.idField("WARC-Record-ID", id)
	d.date("WARC-Date", at)
}

// capture writes target, address and protocols of the exchange.
func (d *desk) capture(x *Exchange) {
	d.field("WARC-Target-URI", x.URL)
	if x.Address.IsValid() {
		d.warc = append(d.warc, "WARC-IP-Address: "...)
		d.warc = append(plain(x.Address).AppendTo(d.warc), "\r\n"...)
	}
	for _, p := range x.Protocol {
		d.field("WARC-Protocol", p)
	}
}

// plain returns the address as the standard writes it: no zone, IPv4 as a dotted quad.
func plain(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

func (d *desk) refer(v *Revisit) {
	d.field("WARC-Profile", v.Profile.URI())
	if !v.Record.IsZero() {
		d.idField("WARC-Refers-To", v.Record)
	}
	if v.URL != "" {
		d.field("WARC-Refers-To-Target-URI", v.URL)
	}
	if !v.Time.IsZero() {
		d.date("WARC-Refers-To-Date", v.Time)
	}
}

// end completes the header for the block head+body and appends the whole record as one
// gzip member.
func (d *desk) end(b *Builder, dst []byte, media string, body []byte, coded bool) []byte {
	d.hash.Reset()
	d.hash.Write(d.head)
	d.hash.Write(body)
	d.digest("WARC-Block-Digest", digestOf(b.algorithm, d.hash))
	d.field("Content-Type", media)
	d.warc = append(d.warc, "Content-Length: "...)
	d.warc = strconv.AppendInt(d.warc, int64(len(d.head)+len(body)), 10)
	d.warc = append(append(d.warc, "\r\n\r\n"...), d.head...)
	return d.press.member(dst, d.warc, body, coded)
}

// field writes a line whose name is one of ours.
func (d *desk) field(name, value string) {
	d.warc = append(append(d.warc, name...), ": "...)
	d.warc = append(appendValue(d.warc, value), "\r\n"...)
}

func (d *desk) idField(name string, id ID) {
	d.warc = append(append(d.warc, name...), ": <"...)
	d.warc = append(id.append(d.warc), ">\r\n"...)
}

func (d *desk) digest(name string, v Digest) {
	d.warc = append(append(d.warc, name...), ": "...)
	d.warc = append(v.append(d.warc), "\r\n"...)
}

// dateFormat has milliseconds: 1.1 allows fractions, and other writers stop there too.
const dateFormat = "2006-01-02T15:04:05.000Z"

func (d *desk) date(name string, at time.Time) {
	d.warc = append(append(d.warc, name...), ": "...)
	d.warc = append(at.UTC().AppendFormat(d.warc, dateFormat), "\r\n"...)
}

// responseHead writes the head as it was sent or, if that is not known or cannot be a part of a
// record, as HTTP/1.1, also if another version was used.
func (d *desk) responseHead(r *Response) {
	if d.head = appendSent(d.head[:0], r.Head, r.Status); len(d.head) > 0 {
		return
	}
	d.head = append(d.head[:0], "HTTP/1.1 "...)
	d.head = strconv.AppendInt(d.head, int64(r.Status), 10)
	d.head = append(d.head, ' ')
	d.head = append(appendValue(d.head, r.Reason), "\r\n"...)
	d.fields(r.Header, renamed)
	d.head = append(d.head, "\r\n"...)
}

// requestHead writes the request as HTTP/1.1 to the origin, also where a proxy or HTTP/2
// had another form of it.
func (d *desk) requestHead(x *Exchange) {
	method := x.Request.Method
	if method == "" {
		method = "GET"
	}
	authority, target := splitURL(x.URL)
	d.head = append(appendName(d.head[:0], method), ' ')
	d.head = append(append(d.head, target...), " HTTP/1.1\r\n"...)
	if !has(x.Request.Header, "Host") {
		d.head = appendField(d.head, "Host", authority)
	}
	d.fields(x.Request.Header, secret)
	d.head = append(d.head, "\r\n"...)
}

func has(h map[string][]string, name string) bool { return len(h[name]) > 0 }

// fields writes a header in the order of its names, so that equal headers are equal
// bytes. name returns the final name of each, or "" to leave it out.
func (d *desk) fields(h map[string][]string, name func(string) string) {
	d.names = d.names[:0]
	for n := range h {
		d.names = append(d.names, n)
	}
	slices.Sort(d.names)
	for _, n := range d.names {
		as := name(n)
		if as == "" {
			continue
		}
		for _, v := range h[n] {
			d.head = appendField(d.head, as, v)
		}
	}
	clear(d.names)
}

// renamed keeps a transfer coding under another name: the body no longer has it, and a
// reader that trusts it would look for chunks.
func renamed(name string) string {
	if strings.EqualFold(name, "Transfer-Encoding") {
		return origPrefix + name
	}
	return name
}

const origPrefix = "X-Archive-Orig-"

// secret returns "" for headers that are not for the archive: credentials of the operator.
func secret(name string) string {
	for _, s := range [...]string{"Authorization", "Proxy-Authorization", "Cookie"} {
		if strings.EqualFold(name, s) {
			return ""
		}
	}
	return name
}

// splitURL returns authority without user and password, and path with query.
func splitURL(url string) (authority, target string) {
	_, rest, _ := strings.Cut(url, "://")
	rest, _, _ = strings.Cut(rest, "#")
	authority, target = rest, "/"
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		authority, target = rest[:i], rest[i:]
	}
	if target[0] == '?' {
		target = "/" + target
	}
	return authority[strings.LastIndexByte(authority, '@')+1:], target
}

// Info describes the crawl in the first record of each file. Empty lines are left out.
type Info struct {
	Software  string // name/version
	Operator  string // name or address of who answers for the crawl
	Robots    string // policy, such as RFC9309
	UserAgent string
	Extra     []Field // of the caller, after the others
}

// fields returns the lines of the block.
func (i *Info) fields() []Field {
	all := []Field{
		{"software", i.Software},
		{"format", "WARC File Format 1.1"},
		{"conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
		{"operator", i.Operator},
		{"robots", i.Robots},
		{"http-header-user-agent", i.UserAgent},
	}
	kept := all[:0]
	for _, f := range append(all, i.Extra...) {
		if f.Value != "" {
			kept = append(kept, f)
		}
	}
	return kept
}

// Warcinfo returns the record that begins the file of that name.
func (b *Builder) Warcinfo(name string, at time.Time, i *Info) []byte {
	d := b.desk()
	defer b.desks.pool.Put(d)
	d.head = appendFields(d.head[:0], i.fields())
	var id ID
	id, d.room = recordID(b.crawl, "warcinfo", name, at, 0, d.room)
	d.begin("warcinfo", id, at)
	d.field("WARC-Filename", name)
	return d.end(b, nil, "application/warc-fields", nil, false)
}
