package archive

import (
	"bytes"
	"testing"
	"time"
)

// A head is stored as it was sent, but for what readers of a record could take for something else.
func TestAppendSent(t *testing.T) {
	for _, c := range []struct{ head, want string }{
		{"HTTP/1.1 200 Fine\r\nx-ODD: a\r\nServer:none\r\nSet-Cookie: b\r\nset-cookie: a\r\nX-Bytes: gr\xfc\xdfe \r\n\r\n",
			"HTTP/1.1 200 Fine\r\nx-ODD: a\r\nServer:none\r\nSet-Cookie: b\r\nset-cookie: a\r\nX-Bytes: gr\xfc\xdfe \r\n\r\n"},
		{"HTTP/1.0 200\nA: 1\n\n", "HTTP/1.0 200\r\nA: 1\r\n\r\n"},
		{"HTTP/1.1 200 OK\r\nA: 1\r\n  2\r\n\t3\r\nB: 4\r\n\r\n", "HTTP/1.1 200 OK\r\nA: 1 2 3\r\nB: 4\r\n\r\n"},
		{"HTTP/1.1 200 OK\r\ntransfer-ENCODING: chunked\r\n\r\n", "HTTP/1.1 200 OK\r\nX-Archive-Orig-transfer-ENCODING: chunked\r\n\r\n"},
		{"HTTP/1.1 200 OK\r\nA: 1\x002\r3\r\n\r\n", "HTTP/1.1 200 OK\r\nA: 1 2 3\r\n\r\n"},
		// Not as it was sent, but by status and fields:
		{"", ""},
		{"HTTP/1.1 404 No\r\n\r\n", ""},
		{"HTTP/2 200\r\n\r\n", ""},
		{"ICY 200 OK\r\n\r\n", ""},
		{"HTTP/1.1 200 OK\r\nA: 1\r\n", ""},
		{"HTTP/1.1 200 OK\r\nbad name: 1\r\n\r\n", ""},
		{"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", ""},
		{"HTTP/1.1 200 OK\r\n: 1\r\n\r\n", ""},
	} {
		if got := appendSent([]byte("before "), []byte(c.head), 200); string(got) != "before "+c.want {
			t.Errorf("%q: %q, want %q", c.head, got[len("before "):], c.want)
		}
		r, err := NewBuilder(ID{1}, SHA1).Build(nil, &Exchange{URL: "http://a.example/", Time: time.Unix(0, 0),
			Response: Response{Status: 200, Reason: "Other", Header: map[string][]string{"B": {"2"}}, Head: []byte(c.head), Body: []byte("body")}})
		if err != nil {
			t.Fatal(err)
		}
		rec, err := NewReader(bytes.NewReader(r.Bytes), "x").Next()
		if err != nil {
			t.Fatal(err)
		}
		var block bytes.Buffer
		want := c.want
		if want == "" {
			want = "HTTP/1.1 200 Other\r\nB: 2\r\n\r\n"
		}
		if _, err := block.ReadFrom(rec); err != nil || block.String() != want+"body" {
			t.Errorf("%q: the block is %q, want %q: %v", c.head, block.String(), want+"body", err)
		}
	}
}
