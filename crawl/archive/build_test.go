package archive

import (
	"bytes"
	"compress/gzip"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden compares every kind of record with a file that can be read (W28). The bytes
// are those inside the gzip members: compressed ones may change with the library.
func TestGolden(t *testing.T) {
	z, err := gzip.NewReader(bytes.NewReader(sample(t)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	const name = "testdata/sample.warc"
	if *update {
		if err := os.WriteFile(name, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("differs from %s:\n%s", name, got)
	}
	if !bytes.Equal(sample(t), sample(t)) {
		t.Error("two builds differ")
	}
}

// TestRoundTrip reads back the kinds and what ties them together.
func TestRoundTrip(t *testing.T) {
	all := mustRead(t, sample(t))
	var kinds []string
	for _, r := range all {
		kinds = append(kinds, r.Type)
	}
	want := "warcinfo response request metadata response request metadata response request metadata revisit request revisit request request"
	if got := strings.Join(kinds, " "); got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	ids := map[string]bool{}
	for _, r := range all {
		if r.Version != "1.1" || ids[r.ID] {
			t.Errorf("version %s, id %s twice: %v", r.Version, r.ID, ids[r.ID])
		}
		ids[r.ID] = true
		if got := r.Time.Format(dateFormat); got != "2026-01-31T23:59:58.123Z" {
			t.Errorf("date %s", got)
		}
		if c := unbracket(r.Get("WARC-Concurrent-To")); c != "" && !ids[c] {
			t.Errorf("%s refers to %s, which does not come before", r.ID, c)
		}
	}
	if got := all[9].Get("WARC-Truncated") + all[10].Get("WARC-Truncated"); got != "length" {
		t.Errorf("truncations %q, want the one of the revisit by digest", got)
	}
	if all[12].Get("WARC-Truncated") != "" || all[7].Get("WARC-Truncated") != "length" || all[1].Get("WARC-Truncated") != "" {
		t.Error("the truncated response must say so, and no other")
	}
	if p := all[12].Get("WARC-Payload-Digest"); p != "" {
		t.Errorf("a 304 has no payload to digest, got %s", p)
	}
}

// TestDigests computes them another way.
func TestDigests(t *testing.T) {
	body := "<html>hello</html>"
	for _, a := range []Algorithm{SHA1, SHA256} {
		rs := build(t, NewBuilder(crawlID, a), page("https://example.org/", body))
		r := mustRead(t, rs.Bytes)[0]
		label := func(b []byte) string {
			if a == SHA256 {
				s := sha256.Sum256(b)
				return "sha256:" + hex.EncodeToString(s[:])
			}
			s := sha1.Sum(b)
			return "sha1:" + base32.StdEncoding.EncodeToString(s[:])
		}
		if got, want := r.Get("WARC-Payload-Digest"), label([]byte(body)); got != want || rs.Payload.String() != want {
			t.Errorf("payload %s, %s, want %s", got, rs.Payload, want)
		}
		if got, want := r.Get("WARC-Block-Digest"), label(r.block); got != want {
			t.Errorf("block %s, want %s", got, want)
		}
		if d, err := ParseDigest(rs.Payload.String()); err != nil || d != rs.Payload {
			t.Errorf("parsed %v, %v", d, err)
		}
	}
}

// TestPlaceIsResponse: the first member is the response, and Main its length.
func TestPlaceIsResponse(t *testing.T) {
	prefix := []byte("before")
	rs, err := newBuilder().Build(prefix, page("https://example.org/", "x"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(rs.Bytes, prefix) {
		t.Fatal("does not append")
	}
	all := mustRead(t, rs.Bytes[len(prefix):len(prefix)+rs.Main])
	if len(all) != 1 || all[0].Type != "response" || all[0].ID != rs.ID.String() {
		t.Errorf("%d records, first %s", len(all), all[0].Type)
	}
}

// TestKnownPayload: a digest that the caller has is used and the body not needed: so the
// owner makes a revisit of a page that turns out to be a duplicate.
func TestKnownPayload(t *testing.T) {
	x := revisit("https://example.org/", IdenticalPayload, 200)
	want := build(t, newBuilder(), x)
	x.Payload, x.Response.Body = SHA1.Sum(x.Response.Body), nil
	if got := build(t, newBuilder(), x); !bytes.Equal(got.Bytes, want.Bytes) {
		t.Error("the record depends on the body")
	}
}

// TestInjection: nothing that a server or a page says begins a line of a header.
func TestInjection(t *testing.T) {
	evil := "x\r\nWARC-Type: warcinfo\r\n\r\nWARC/1.1\r\n\x00\x7f"
	x := page("https://example.org/", "body")
	x.Response.Reason = evil
	x.Response.Header[evil] = []string{"name"}
	x.Response.Header["X-Evil"] = []string{evil}
	x.Request.Header["X-Evil"] = []string{evil}
	x.Request.Method = evil
	x.Protocol = []string{evil}
	x.Meta = []Field{{evil, evil}}
	x.Address = netip.MustParseAddr("fe80::1%eth0\r\nX: y")
	all := mustRead(t, build(t, newBuilder(), x).Bytes)
	if len(all) != 3 {
		t.Fatalf("%d records", len(all))
	}
	for _, r := range all {
		head, _, _ := bytes.Cut(r.block, []byte("\r\n\r\n"))
		for line := range bytes.SplitSeq(head, []byte("\r\n")) {
			if bytes.ContainsAny(line, "\r\n\x00\x7f") || bytes.HasPrefix(line, []byte("WARC")) {
				t.Errorf("line %q in the %s", line, r.Type)
			}
		}
		for _, f := range r.Fields {
			if f.Name == "X" || strings.ContainsAny(f.Value, "\r\n\x00") {
				t.Errorf("field %v in the %s", f, r.Type)
			}
		}
	}
	if ip := all[0].Get("WARC-IP-Address"); ip != "fe80::1" {
		t.Errorf("address %q", ip)
	}
}

func TestRefused(t *testing.T) {
	for name, change := range map[string]func(*Exchange){
		"line end":         func(x *Exchange) { x.URL = "https://a/\r\nb" },
		"space":            func(x *Exchange) { x.URL = "https://a/ b" },
		"bracket":          func(x *Exchange) { x.URL = "https://a/>b" },
		"not ASCII":        func(x *Exchange) { x.URL = "https://ä/" },
		"relative":         func(x *Exchange) { x.URL = "/a" },
		"status":           func(x *Exchange) { x.Response.Status = 99 },
		"long status":      func(x *Exchange) { x.Response.Status = 1000 },
		"year":             func(x *Exchange) { x.Time = x.Time.AddDate(9000, 0, 0) },
		"revisit of evil":  func(x *Exchange) { x.Revisit = &Revisit{URL: "https://a/\nb"} },
		"revisit unasked":  func(x *Exchange) { x.Revisit = &Revisit{}; x.Response.Status = 0 },
		"empty target URL": func(x *Exchange) { x.URL = "" },
	} {
		x := page("https://example.org/", "")
		change(x)
		if _, err := newBuilder().Build(nil, x); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestSecrets: the archive does not learn the passwords of the operator.
func TestSecrets(t *testing.T) {
	x := page("https://example.org/a?b", "")
	for _, n := range []string{"Authorization", "proxy-authorization", "Cookie"} {
		x.Request.Header[n] = []string{"hunter2"}
	}
	r := mustRead(t, build(t, newBuilder(), x).Bytes)[1]
	if bytes.Contains(r.block, []byte("hunter2")) || !bytes.HasPrefix(r.block, []byte("GET /a?b HTTP/1.1\r\nHost: example.org\r\n")) {
		t.Errorf("request %q", r.block)
	}
}

// TestBodies stores bodies of many sizes and both ways of compression.
func TestBodies(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{0, 1, 1000, 65535, 65536, 131070, 10 << 20} {
		body := make([]byte, size)
		for i := range body {
			body[i] = byte(rng.Uint32())
		}
		for _, coding := range []string{"", "gzip"} {
			x := page("https://example.org/", string(body))
			if coding != "" {
				x.Response.Header["Content-Encoding"] = []string{coding}
			}
			built := build(t, newBuilder(), x)
			if z, err := gzip.NewReader(bytes.NewReader(built.Bytes)); err != nil {
				t.Error(err)
			} else if _, err := io.Copy(io.Discard, z); err != nil { // the other decompressor, with its checksums
				t.Errorf("%d bytes %s: %v", size, coding, err)
			}
			r, err := NewReader(bytes.NewReader(built.Bytes), "b").Next()
			if err != nil {
				t.Fatal(err)
			}
			_, payload, err := r.Response()
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(payload); err != nil || !bytes.Equal(got, body) {
				t.Errorf("%d bytes %s: got %d, %v", size, coding, len(got), err)
			}
		}
	}
}

// TestCodedIsStored: what is compressed already costs next to nothing more, and its header
// is compressed all the same.
func TestCodedIsStored(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	body := make([]byte, 8000)
	for i := range body {
		body[i] = byte(rng.Uint32())
	}
	x := page("https://example.org/", string(body))
	x.Response.Header["Content-Encoding"] = []string{"br"}
	x.Response.Header["X-Long"] = []string{strings.Repeat("again and ", 100)}
	if n := build(t, newBuilder(), x).Main; n > len(body)+700 {
		t.Errorf("%d bytes for a body of %d", n, len(body))
	}
}

// TestConcurrentBuild gives each of many fetchers its own records (run with -race).
func TestConcurrentBuild(t *testing.T) {
	b := newBuilder()
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for j := range 50 {
				url := fmt.Sprintf("https://example.org/%d/%d", i, j)
				x := page(url, strings.Repeat(url, j))
				if j%3 == 0 {
					x.Response.Header["Content-Encoding"] = []string{"gzip"}
				}
				r, err := b.Build(nil, x)
				if err != nil {
					t.Error(err)
					return
				}
				all, err := readAll(bytes.NewReader(r.Bytes))
				if err != nil || len(all) != 3 || all[0].URL != url || !bytes.HasSuffix(all[0].block, x.Response.Body) {
					t.Errorf("%s: %d records, %v", url, len(all), err)
				}
			}
		})
	}
	group.Wait()
}

func TestIDs(t *testing.T) {
	// The example of RFC 9562, A.4: www.example.com in the space of DNS names.
	dns := ID{0x6b, 0xa7, 0xb8, 0x10, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8}
	if got := nameID(dns, []byte("www.example.com")).String(); got != "urn:uuid:2ed6657d-e927-568b-95e1-2665a8aea6a2" {
		t.Error(got)
	}
	x, y := page("https://example.org/", ""), page("https://example.org/", "")
	y.Serial = 1
	if build(t, newBuilder(), x).ID == build(t, newBuilder(), y).ID {
		t.Error("the serial number does not count")
	}
}
