package archive

import (
	"bytes"
	"compress/gzip"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// unpack reads what must be one member.
func unpack(t *testing.T, member []byte) []byte {
	t.Helper()
	in := bytes.NewReader(member)
	z, err := gzip.NewReader(in)
	if err != nil {
		t.Fatal(err)
	}
	z.Multistream(false)
	out, err := io.ReadAll(z)
	if err != nil || in.Len() > 0 {
		t.Fatalf("%v, %d bytes left", err, in.Len())
	}
	return out
}

// TestPress: header and body of any length come out again, whichever way they go in.
func TestPress(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var p press
	for n := range 1500 {
		header := heading(r, r.IntN(1+n))
		switch n % 50 {
		case 0:
			header = heading(r, maxShort-3+r.IntN(6)) // either side of the limit
		case 1:
			header = bytes.Repeat([]byte("ab"), n) // matches of all lengths
		}
		var body []byte
		if n%3 > 0 {
			body = heading(r, r.IntN(10*n))
		}
		if n%4 == 0 {
			body = body[:min(len(body), maxTiny-2+r.IntN(5))] // either side of the limit
		}
		if n%400 == 1 {
			body = heading(r, 65535*2+n%800) // more than two blocks
		}
		got := unpack(t, p.member([]byte("before"), header, body, n%3 == 1)[len("before"):])
		if want := string(header) + string(body) + "\r\n\r\n"; string(got) != want {
			t.Fatalf("%d: %d bytes, want %d", n, len(got), len(want))
		}
	}
}

// heading makes text with repetitions near and far, and all bytes.
func heading(r *rand.Rand, n int) []byte {
	var b []byte
	for len(b) < n {
		switch from := r.IntN(len(b) + 1); r.IntN(3) {
		case 0:
			b = append(b, b[from:min(len(b), from+r.IntN(600))]...)
		case 1:
			b = append(b, byte(r.Uint32()))
		default:
			b = append(b, "WARC-Target-URI: http://"[:r.IntN(24)]...)
		}
	}
	return b[:n]
}

// TestPressShort: a head loses a sixth of its bytes at least, most of a second one is a match.
func TestPressShort(t *testing.T) {
	head := "WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:70d0542a-a5d2-5db0-9172-aa80eeffd96b>\r\n" +
		"WARC-Date: 2026-11-15T12:23:17.720Z\r\nWARC-Target-URI: http://a.example/b/page-1.html\r\nWARC-IP-Address: 192.0.2.1\r\n" +
		"WARC-Protocol: http/1.1\r\nWARC-Payload-Digest: sha1:ZC46U4UIU3TJBEMISLDMWVFNEADP2BH7\r\n" +
		"WARC-Block-Digest: sha1:UAQGYQ72FICJQTBNTCTFNEKCCHAOFFZI\r\nContent-Type: application/http;msgtype=response\r\n" +
		"Content-Length: 7884\r\n\r\nHTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 7742\r\n" +
		"Content-Type: text/html; charset=utf-8\r\nDate: Sun, 15 Nov 2026 12:23:17 GMT\r\n\r\n"
	var p press
	if n := len(p.member(nil, []byte(head), nil, false)); n > len(head)*5/6 {
		t.Errorf("%d of %d bytes", n, len(head))
	}
	if n := len(p.member(nil, []byte(strings.Repeat(head, 2)), nil, false)); n > len(head)*9/10 {
		t.Errorf("twice the same: %d of %d bytes", n, 2*len(head))
	}
}
