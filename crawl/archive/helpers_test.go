package archive

import (
	"bytes"
	"errors"
	"io"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/internal/disk"
)

var (
	crawlID = nameID(ID{}, []byte("a crawl"))
	instant = time.Date(2026, 1, 31, 23, 59, 58, 123456789, time.UTC)
)

func newBuilder() *Builder { return NewBuilder(crawlID, SHA1) }

// page is an exchange with everything in it.
func page(url, body string) *Exchange {
	return &Exchange{
		URL: url, Time: instant, Address: netip.MustParseAddr("192.0.2.7"), Protocol: []string{"h2", "tls/1.3"},
		Request: Request{Header: map[string][]string{"User-Agent": {"winnow/1"}, "Accept": {"text/html"}}},
		Response: Response{Status: 200, Reason: "OK", Body: []byte(body), Header: map[string][]string{
			"Content-Type": {"text/html; charset=utf-8"}, "Set-Cookie": {"a=1", "b=2"}, "Transfer-Encoding": {"chunked"}}},
		Meta: []Field{{"via", "https://example.org/"}, {"fetchTimeMs", "12"}},
	}
}

func revisit(url string, p Profile, status int) *Exchange {
	x := page(url, "the same")
	x.Response.Status = status
	x.Meta = nil
	x.Revisit = &Revisit{Profile: p, Record: nameID(crawlID, []byte("first")), URL: "https://example.org/first", Time: instant.Add(-time.Hour)}
	return x
}

func build(t testing.TB, b *Builder, x *Exchange) Records {
	t.Helper()
	r, err := b.Build(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// held is a record with its block in memory.
type held struct {
	Record
	block []byte
}

func readAll(r io.Reader) (all []held, err error) {
	z := NewReader(r, "test.warc.gz")
	for {
		rec, err := z.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		block, err := io.ReadAll(rec)
		if err != nil {
			return all, err
		}
		kept := *rec
		kept.Fields = slices.Clone(rec.Fields) // the next record uses its room again
		all = append(all, held{kept, block})
	}
}

func mustRead(t testing.TB, b []byte) []held {
	t.Helper()
	all, err := readAll(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sample holds every kind of record that the writer knows.
func sample(t testing.TB) []byte {
	b := newBuilder()
	all := b.Warcinfo("test.warc.gz", instant, &Info{Software: "winnow/1", Operator: "me@example.org", Robots: "RFC9309",
		UserAgent: "winnow/1", Extra: []Field{{"isPartOf", "a crawl"}}})
	alone := page("https://example.org/none", "")
	alone.Response, alone.Meta = Response{}, nil
	cut := page("https://example.org/long?b=2&a=1", "<html>cut")
	cut.Truncated = Length
	cut.Response.Header["Content-Encoding"] = []string{"br"} // stored
	for _, x := range []*Exchange{
		page("https://www.example.org/a", "<html>hello</html>"),
		page("http://example.org:8080/empty", ""),
		cut,
		revisit("https://example.org/again", IdenticalPayload, 200),
		revisit("https://example.org/still", NotModified, 304),
		alone,
	} {
		all = append(all, build(t, b, x).Bytes...)
	}
	return all
}

func config(max int64) Config {
	now := instant
	return Config{Prefix: "test", MaxSize: max, Builder: newBuilder(), Info: Info{Software: "winnow/1"},
		Now: func() time.Time { now = now.Add(time.Second); return now }}
}

// commit writes and syncs the open group and gives what the journal would keep.
func commit(t testing.TB, w *Writer) Position {
	t.Helper()
	g := w.Take()
	if err := errors.Join(w.Write(g), w.Sync()); err != nil {
		t.Fatal(err)
	}
	return g.End()
}

func open(t testing.TB, d disk.Dir, c Config, at Position) *Writer {
	t.Helper()
	w, err := Open(d, c, at)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// contents are all files of a directory by name.
func contents(t testing.TB, d disk.Dir) map[string]string {
	t.Helper()
	all := map[string]string{}
	entries, err := d.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := disk.ReadFile(d, e.Name)
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name] = string(b)
	}
	return all
}

// WriteIndex writes the index of a WARC file.
func WriteIndex(path string) error {
	return WriteIndexThrough(path, func(r io.Reader) io.Reader { return r })
}
