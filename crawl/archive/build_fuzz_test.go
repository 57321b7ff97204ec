package archive

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// FuzzBuild: whatever a server says, its records read back as the exchange that they were
// made of. Nothing in a header can end a line, a header or a record, the body comes back
// byte for byte, and both digests hold.
func FuzzBuild(f *testing.F) {
	f.Add("https://a.example/", "OK", "X-A", "b", "<html>", uint16(200), uint8(0))
	f.Add("http://a.example/?q=\r\nX: y", "OK\r\nA: b\r\n\r\n<html>", "Content-Encoding", "gzip", "\x1f\x8b", uint16(404), uint8(1))
	f.Add("http://u:p@a.example/#f", "\x00\xff", "Transfer-Encoding", "chunked", "3\r\nabc\r\n0\r\n\r\n", uint16(302), uint8(2))
	f.Add("x:", "", "", "WARC/1.1\r\n", "WARC/1.1\r\nWARC-Type: response\r\n", uint16(999), uint8(4))
	f.Add("http://a.example/?A=\\\"&b", "a", "content-type", " Text/\"HTML\x80\t; charset=x", "", uint16(200), uint8(0))
	f.Add("http://a.example/", "a", "Set-Cookie\r\n\r\n", "\r\n\r\n", strings.Repeat("\r\n", 40000), uint16(304), uint8(8))
	b := newBuilder()
	f.Fuzz(func(t *testing.T, url, reason, name, value, body string, status uint16, how uint8) {
		x := page(url, body)
		x.Response.Status, x.Response.Reason = 100+int(status%900), reason
		x.Response.Header = map[string][]string{name: {value, value}}
		x.Request.Header = map[string][]string{name: {value}}
		x.Meta = []Field{{name, value}}
		x.Truncated = Truncation(how % 5)
		if how&8 != 0 {
			x.Revisit = &Revisit{Profile: Profile(how >> 4 & 1), Record: crawlID, URL: url, Time: instant}
		}
		r, err := b.Build([]byte("before"), x)
		if err != nil {
			if checkURL(url) == nil {
				t.Fatalf("%q is good, but %v", url, err)
			}
			return
		}
		checkBuilt(t, x, r.Bytes[len("before"):], r.Main)
		checkEntry(t, &r, r.Bytes[len("before"):])
	})
}

// checkBuilt reads the records of x back.
func checkBuilt(t *testing.T, x *Exchange, data []byte, main int) {
	all := mustRead(t, data)
	if len(all) != 3 || all[0].Length != int64(main) || all[1].Type != "request" || all[2].Type != "metadata" {
		t.Fatalf("%d records, the first of %d bytes: %q", len(all), all[0].Length, data)
	}
	for _, r := range all {
		if r.URL != x.URL {
			t.Errorf("target %q, want %q", r.URL, x.URL)
		}
	}
	if lines := bytes.Count(all[2].block, []byte("\n")); lines != 1 {
		t.Errorf("one field makes %d lines: %q", lines, all[2].block)
	}
	z := NewReader(bytes.NewReader(data), "again")
	for range all {
		if r, err := z.Next(); err != nil || r.Verify() != nil {
			t.Fatalf("%v, %v", err, r)
		}
	}
	first, err := NewReader(bytes.NewReader(data), "head").Next()
	if err != nil {
		t.Fatal(err)
	}
	head, rest, err := readHead(first, first)
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(rest)
	want, fields := string(x.Response.Body), 2
	if x.Response.Header[""] != nil {
		fields = 0 // no name, no field
	}
	if x.Revisit != nil {
		want = ""
	}
	if err != nil || string(got) != want || head.Status != x.Response.Status || len(head.Fields) != fields {
		t.Errorf("status %d, %d fields, body %q, %v; want %d, %d, %q", head.Status, len(head.Fields), got, err, x.Response.Status, fields, want)
	}
}

// checkEntry: the line made with the records is the one made by reading them.
func checkEntry(t *testing.T, r *Records, data []byte) {
	want, err := Index(NewReader(bytes.NewReader(data), "x"), "a-\"x\".warc.gz")
	got := AppendLine(nil, r.Entry, 0, int64(r.Main), "a-\"x\".warc.gz")
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s\nwant\n%s\n%v", got, want, err)
	}
}
