package stored

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/layout"
)

// began is the time of the first visit in these tests.
var began = time.Date(2026, 1, 31, 23, 59, 58, 250e6, time.UTC)

// A pile is a WARC file in the making.
type pile struct {
	t     *testing.T
	build *archive.Builder
	name  string
	bytes []byte
	lines []byte
}

// newPile begins a WARC file with a number.
func newPile(t *testing.T, number int) *pile {
	p := &pile{t: t, build: archive.NewBuilder(archive.ID{1}, archive.SHA1), name: fmt.Sprintf("winnow-20260131235958-%05d.warc.gz", number)}
	p.bytes = p.build.Warcinfo(p.name, began, &archive.Info{Software: "test"})
	return p
}

// add adds a visit.
func (p *pile) add(x *archive.Exchange) archive.Digest {
	p.t.Helper()
	r, err := p.build.Build(nil, x)
	if err != nil {
		p.t.Fatal(err)
	}
	p.lines = archive.AppendLine(p.lines, r.Entry, int64(len(p.bytes)), int64(r.Main), p.name)
	p.bytes = append(p.bytes, r.Bytes...)
	return r.Payload
}

// page adds a page with a body.
func (p *pile) page(url string, after time.Duration, body string) archive.Digest {
	return p.add(&archive.Exchange{URL: url, Time: began.Add(after), Response: archive.Response{
		Status: 200, Header: map[string][]string{"Content-Type": {"text/html"}}, Body: []byte(body)}})
}

// write writes the WARC file, and its index unless lines is false.
func (p *pile) write(dir string, index bool) {
	p.t.Helper()
	path := filepath.Join(dir, layout.ArchiveDir, p.name)
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, p.bytes, 0o644))
	if index {
		err = errors.Join(err, archive.WriteIndexThrough(path, func(r io.Reader) io.Reader { return r }))
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

func newArchive(dir string) *Archive {
	return &Archive{dir: dir, parts: []part{newPart(context.Background(), dir, "")}, tails: map[string]*tail{}}
}

// Every URL of an index is found, and none that is not in it, whatever its place.
func TestSearch(t *testing.T) {
	dir := t.TempDir()
	p := newPile(t, 0)
	const n = 500
	for i := range n {
		p.page(fmt.Sprintf("http://a.example/%s%d", strings.Repeat("long", i%7), i), 0, fmt.Sprint(i))
	}
	p.write(dir, true)
	for _, way := range []string{"sorted", "gathered", "part", "read"} {
		base := filepath.Join(dir, layout.ArchiveDir, p.name)
		switch way {
		case "gathered":
			os.Remove(archive.IndexName(base))
			os.WriteFile(archive.LinesName(base), p.lines, 0o644)
		case "part": // its last line is being written
			os.Rename(archive.LinesName(base), archive.PartName(base))
			os.Truncate(archive.PartName(base), int64(len(p.lines)/2))
		case "read":
			os.Remove(archive.PartName(base))
		}
		a := newArchive(dir)
		for i := range n {
			url := fmt.Sprintf("http://a.example/%s%d", strings.Repeat("long", i%7), i)
			if c, err := a.Find(url, time.Time{}); err != nil || string(c.Body) != fmt.Sprint(i) {
				t.Fatalf("%s: %s: %v, %v", way, url, c, err)
			}
			var missing *Missing
			if _, err := a.Find(url+"x", time.Time{}); !errors.As(err, &missing) || missing.Reason != Unfound {
				t.Fatalf("%s: %sx: %v", way, url, err)
			}
		}
		for _, url := range []string{"http://a.example/", "http://b.example/z", "http://Z.a/"} {
			if found, err := a.Copies(url); len(found) != 0 || err != nil {
				t.Errorf("%s: %s: %v, %v", way, url, found, err)
			}
		}
	}
}

// The copy at a time is that of the last visit at this time or before, to the millisecond. A
// revisit has the body of the response to which it refers, in whichever file that is.
func TestVisits(t *testing.T) {
	const url = "https://a.example/x?b=1&a=2"
	dir := t.TempDir()
	first, second := newPile(t, 0), newPile(t, 1)
	first.page("http://www.a.example/x?a=2&b=1", 0, "another spelling")
	one := first.page(url, 0, "one")
	first.page(url, 500*time.Millisecond, "two")
	refer := func(p *pile, after time.Duration, status int, profile archive.Profile, to time.Duration) {
		p.add(&archive.Exchange{URL: url, Time: began.Add(after), Payload: one,
			Response: archive.Response{Status: status, Header: map[string][]string{"X-Visit": {fmt.Sprint(after)}}},
			Revisit:  &archive.Revisit{Profile: profile, URL: url, Time: began.Add(to)}})
	}
	refer(second, time.Hour, 304, archive.NotModified, 0)
	refer(second, 2*time.Hour, 200, archive.IdenticalPayload, 0)
	refer(second, 3*time.Hour, 304, archive.NotModified, time.Minute) // to nothing
	first.write(dir, true)
	second.write(dir, true)
	a := newArchive(dir)
	for _, c := range []struct {
		at     time.Duration // after the first visit
		want   string
		status int
		visit  string
	}{
		{0, "one", 200, ""}, {499 * time.Millisecond, "one", 200, ""}, {500 * time.Millisecond, "two", 200, ""}, {time.Hour - 1, "two", 200, ""},
		{time.Hour, "one", 200, ""}, {2 * time.Hour, "one", 200, "2h0m0s"},
	} {
		x, err := a.Find(url, began.Add(c.at))
		if err != nil || string(x.Body) != c.want || x.Status != c.status || x.Get("x-visit") != c.visit {
			t.Errorf("at %v: %+v, %v", c.at, x, err)
			continue
		}
		if unchanged := c.at >= time.Hour; unchanged != !x.Original.Equal(x.Time) || unchanged && !x.Original.Equal(began) {
			t.Errorf("at %v: visit of %v with the body of %v", c.at, x.Time, x.Original)
		}
	}
	var m *Missing
	if _, err := a.Find(url, began.Add(-1)); !errors.As(err, &m) || m.Reason != Later || !m.First.Equal(began.Truncate(time.Second)) {
		t.Errorf("before the first: %v", err)
	}
	if _, err := a.Find(url, time.Time{}); !errors.As(err, &m) || m.Reason != NoOriginal {
		t.Errorf("a revisit of nothing: %v", err)
	}
	if found, err := a.Copies(url); len(found) != 5 || err != nil {
		t.Errorf("visits: %v, %v", found, err)
	}
	if _, err := a.Find("https://a.example/X?b=1&a=2", time.Time{}); !errors.As(err, &m) || m.Reason != Unfound || len(m.Others) != 2 {
		t.Errorf("another spelling: %v, %v", err, m.Others)
	}
	if err := os.Remove(filepath.Join(dir, layout.ArchiveDir, first.name)); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Find(url, began); !errors.As(err, &m) || m.Reason != Deleted || m.File != first.name {
		t.Errorf("a deleted file: %v", err)
	}
}

// Bodies are decoded; what is cut or damaged is said.
func TestBodies(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte("<p>gr\xfc\xdfe"))
	z.Close()
	dir := t.TempDir()
	p := newPile(t, 0)
	coded := map[string][]string{"Content-Type": {"text/html; charset=iso-8859-1"}, "Content-Encoding": {"gzip"}}
	for i, body := range [][]byte{zipped.Bytes(), zipped.Bytes()[:zipped.Len()-9], zipped.Bytes()[:zipped.Len()-9]} {
		p.add(&archive.Exchange{URL: fmt.Sprintf("http://a.example/%d", i), Time: began, Truncated: archive.Truncation(i % 2),
			Response: archive.Response{Status: 200, Header: coded, Body: body}})
	}
	p.add(&archive.Exchange{URL: "http://a.example/png", Time: began, Response: archive.Response{Status: 200, Body: []byte("\x89PNG\r\n\x1a\n")}})
	p.write(dir, true)
	a := newArchive(dir)
	get := func(path string) *Copy {
		c, err := a.Find("http://a.example/"+path, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if c := get("0"); string(c.Text()) != "<p>grüße" || string(c.Body) != "<p>gr\xfc\xdfe" || !bytes.Equal(c.Raw, zipped.Bytes()) || c.Charset != "windows-1252" || c.Damage != nil {
		t.Errorf("whole: %+v", c)
	}
	if c := get("1"); c.Truncated != "length" || c.Damage != nil {
		t.Errorf("cut: %+v", c)
	}
	if c := get("2"); c.Truncated != "" || c.Damage == nil || len(c.Notes()) != 1 {
		t.Errorf("damaged: %+v", c)
	}
	if c := get("png"); c.Media != "image/png" || c.IsText() || c.Object(false).Text != nil {
		t.Errorf("picture: %+v", c)
	}
}
