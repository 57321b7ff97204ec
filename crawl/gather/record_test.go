package gather

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/event"
)

// TestRecordsStay: the records of a page do not change when the next one is read.
func TestRecordsStay(t *testing.T) {
	g, first, second := New(options()), new(Found), new(Found)
	g.Page(home, answered(200, "<p>text", "Content-Type", "text/html"), noon, first)
	data, entry := string(first.Records.Bytes), string(first.Records.Entry)
	g.Page(home+"other/path", answered(404, "<p>other", "Content-Type", "text/plain"), noon, second)
	if string(first.Records.Bytes) != data || string(first.Records.Entry) != entry || !strings.Contains(entry, `"mime":"text/html"`) {
		t.Errorf("%q became %q", entry, first.Records.Entry)
	}
}

// TestRecords: what becomes of an exchange in the archive.
func TestRecords(t *testing.T) {
	const page = "<p>text"
	full, bare := []string{"response", "request"}, []string{"request", "metadata"}
	html := []string{"Content-Type", "text/html"}
	keep := func(o *Options) { o.KeepNoArchive = true }
	all := func(o *Options) { o.HTMLOnly = false }
	for _, test := range []struct {
		name   string
		change func(*Options)
		answer *fetch.Answer
		types  []string
		body   string
	}{
		{"page", nil, answered(200, page, html...), full, page},
		{"links only", func(o *Options) { o.Builder = nil }, answered(200, page, html...), nil, ""},
		{"error", nil, answered(404, page, html...), full, page},
		{"long error", nil, answered(500, strings.Repeat("x", 100_000), html...), full, strings.Repeat("x", 64<<10)},
		{"redirect", nil, answered(301, page, "Location", "/x"), full, page},
		{"no answer", nil, answered(0, ""), nil, ""},
		{"noarchive", nil, answered(200, page, append(html, "X-Robots-Tag", "noarchive")...), bare, ""},
		{"noindex", nil, answered(200, page, append(html, "X-Robots-Tag", "noindex")...), bare, ""},
		{"noindex in the page", nil, answered(200, "<meta name=robots content=noindex>", html...), bare, ""},
		{"nofollow", nil, answered(200, page, append(html, "X-Robots-Tag", "nofollow")...), full, page},
		{"noarchive kept", keep, answered(200, page, append(html, "X-Robots-Tag", "noarchive")...), full, page},
		{"not html", nil, answered(200, "%PDF", "Content-Type", "application/pdf"), bare, ""},
		{"not html, all types", all, answered(200, "%PDF", "Content-Type", "application/pdf"), full, "%PDF"},
		{"not html, all types, noarchive", all, answered(200, "%PDF", "X-Robots-Tag", "noarchive"), bare, ""},
		{"missing, not html", nil, answered(404, "{}", "Content-Type", "application/json"), full, "{}"},
		{"not modified since nobody knows when", nil, answered(304, ""), full, ""},
	} {
		o := options()
		if test.change != nil {
			test.change(o)
		}
		f := gather(o, home, test.answer)
		types, body, records := stored(t, f.Records)
		if !reflect.DeepEqual(types, test.types) || body != test.body {
			t.Errorf("%s: records %q with %.40q", test.name, types, body)
		}
		if test.types == nil && f.Records.Bytes != nil {
			t.Errorf("%s: %d bytes", test.name, len(f.Records.Bytes))
		}
		if wantDigest := len(types) > 0 && types[0] == "response"; f.Records.Payload.IsZero() == wantDigest {
			t.Errorf("%s: payload digest %v", test.name, f.Records.Payload)
		}
		for _, r := range records {
			if r.URL != home || !r.Time.Equal(noon) {
				t.Errorf("%s: %s of %s at %v", test.name, r.Type, r.URL, r.Time)
			}
		}
	}
}

// TestRecordFields: what the records say besides the body.
func TestRecordFields(t *testing.T) {
	a := answered(200, "<p>x", "Content-Type", "text/html", "Transfer-Encoding", "chunked", "Set-Cookie", "a=b")
	a.Cut, a.Class = fetch.CutDisconnect, event.ConnectError
	_, _, records := stored(t, gather(options(), home, a).Records)
	for name, want := range map[string]string{"WARC-Truncated": "disconnect", "WARC-IP-Address": "192.0.2.1", "WARC-Protocol": "http/1.1"} {
		if got := records[0].Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	a = answered(200, "secret words", "Content-Type", "text/html", "X-Robots-Tag", "noarchive, noindex", "Set-Cookie", "hidden=1")
	f := gather(options(), home, a)
	text := plainText(t, f.Records)
	want(t, "metadata", text[strings.LastIndex(text, "\r\n\r\nwithheld")+4:], "withheld: noindex, noarchive\r\nstatus: 200\r\ntype: text/html\r\nlength: 12\r\n")
	if strings.Contains(text, "secret") || strings.Contains(text, "hidden") {
		t.Error("a page that wants no copy has one")
	}
}

// A page that has not changed since it was stored is a revisit of the original, with its
// header and without its body. Whatever may be something else is stored.
func TestRevisits(t *testing.T) {
	const body = "<p>text"
	html := []string{"Content-Type", "text/html", "X-Visit", "second"}
	first := gather(options(), home, answered(200, body, html...)).Records
	o := archive.Original{Payload: first.Payload, Time: noon.Add(-time.Hour), Record: first.ID}
	cut := answered(200, body, html...)
	cut.Cut = fetch.CutLength
	unasked := answered(304, "")
	unasked.Class = event.HTTPError
	for _, test := range []struct {
		name    string
		answer  *fetch.Answer
		was     archive.Original
		profile string // "": it is no revisit
	}{
		{"not modified", answered(304, "", "X-Visit", "second"), o, "server-not-modified"},
		{"the same", answered(200, body, html...), o, "identical-payload-digest"},
		{"the same, not known", answered(200, body, html...), archive.Original{}, ""},
		{"not modified, not known", answered(304, ""), archive.Original{}, ""},
		{"not modified, without a condition", unasked, o, ""},
		{"changed", answered(200, body+".", html...), o, ""},
		{"cut", cut, o, ""},
		{"the same words as an error", answered(404, body, html...), o, ""},
		{"the same words as a redirect", answered(301, body, "Location", "/x"), o, ""},
		{"the same, no copy wanted", answered(200, body, append(html, "X-Robots-Tag", "noarchive")...), o, ""},
	} {
		f := new(Found)
		New(options()).PageAgain(home, test.answer, noon, &test.was, f)
		types, _, records := stored(t, f.Records)
		if is := types[0] == "revisit"; is != (test.profile != "") || f.Revisit != is {
			t.Errorf("%s: %q, revisit: %t", test.name, types, f.Revisit)
			continue
		}
		if test.profile == "" {
			continue
		}
		for name, want := range map[string]string{
			"WARC-Profile":              "http://netpreserve.org/warc/1.1/revisit/" + test.profile,
			"WARC-Refers-To":            "<" + first.ID.String() + ">",
			"WARC-Refers-To-Target-URI": home,
			"WARC-Refers-To-Date":       "2026-03-14T11:00:00.000Z",
			"WARC-Payload-Digest":       first.Payload.String(),
		} {
			if got := records[0].Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", test.name, name, got, want)
			}
		}
		entry, text := string(f.Records.Entry), plainText(t, f.Records)
		if digest := strings.TrimPrefix(first.Payload.String(), "sha1:"); !strings.Contains(entry, `"mime":"warc/revisit"`) || !strings.Contains(entry, `"digest":"`+digest+`"`) {
			t.Errorf("%s: index line %s", test.name, entry)
		}
		if strings.Contains(text, body) || !strings.Contains(text, "X-Visit: second\r\n") {
			t.Errorf("%s: it has a body, or no header:\n%s", test.name, text)
		}
	}
}

// plainText is the records in one piece: header and block of each.
func plainText(t *testing.T, r archive.Records) string {
	t.Helper()
	var b strings.Builder
	z := archive.NewReader(strings.NewReader(string(r.Bytes)), "records")
	for {
		rec, err := z.Next()
		if err == io.EOF {
			return b.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range rec.Fields {
			b.WriteString(f.Name + ": " + f.Value + "\r\n")
		}
		b.WriteString("\r\n")
		if _, err := io.Copy(&b, rec); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRobotsAnswer: the body of a robots.txt comes through, decoded, in parts of a size
// that package robots can judge, and it is stored.
func TestRobotsAnswer(t *testing.T) {
	const text = "User-agent: *\nDisallow: /x\n"
	url := "https://site.example/robots.txt"
	g, f := New(options()), new(Found)
	for _, test := range []struct {
		name   string
		answer *fetch.Answer
		body   string
		types  []string
	}{
		{"plain", answered(200, text, "Content-Type", "text/plain"), text, []string{"response", "request"}},
		{"gzip", answered(200, pressed(text), "Content-Encoding", "gzip"), text, []string{"response", "request"}},
		{"noarchive", answered(200, text, "X-Robots-Tag", "noarchive"), text, []string{"response", "request"}},
		{"large", answered(200, strings.Repeat("#", 600<<10)), strings.Repeat("#", 500<<10+1), []string{"response", "request"}},
		{"missing", answered(404, "no"), "", []string{"response", "request"}},
		{"no answer", answered(0, ""), "", nil},
	} {
		g.Robots(url, test.answer, noon, f)
		types, _, _ := stored(t, f.Records)
		if string(f.Body) != test.body || f.Class != test.answer.Class || !reflect.DeepEqual(types, test.types) || f.Links.Len() != 0 {
			t.Errorf("%s: %v, %d bytes, records %q", test.name, f.Class, len(f.Body), types)
		}
	}
}

// TestWarcio has a reader that is not ours read a file of all kinds of records. It is
// optional: the reader is an npm package.
func TestWarcio(t *testing.T) {
	script, err := filepath.Abs("../../scripts/warcio.sh")
	if err != nil {
		t.Fatal(err)
	}
	if err := exec.Command(script, "check").Run(); err != nil {
		t.Skip("warcio is not installed: scripts/warcio.sh install")
	}
	var file []byte
	kinds := 0
	first := gather(options(), home, webPage("<p>page")).Records
	o := &archive.Original{Payload: first.Payload, Time: noon, Record: first.ID}
	for _, a := range []*fetch.Answer{
		webPage("<p>first"), answered(200, pressed("<p>page"), "Content-Type", "text/html", "Content-Encoding", "gzip"),
		answered(404, ""), answered(301, "", "Location", "/x"), answered(304, "", "ETag", `"x"`), webPage("<p>page"),
		answered(200, "x", "X-Robots-Tag", "noarchive"), answered(200, "%PDF", "Content-Type", "application/pdf"),
	} {
		f := new(Found)
		New(options()).PageAgain(home, a, noon, o, f)
		types, _, _ := stored(t, f.Records)
		kinds += len(types)
		file = append(file, f.Records.Bytes...)
	}
	name := filepath.Join(t.TempDir(), "x.warc.gz")
	if err := os.WriteFile(name, file, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(script, "index", name).Output()
	if got := strings.Count(string(out), "\n"); err != nil || got != kinds {
		t.Errorf("%d of %d records, %v\n%s", got, kinds, err, out)
	}
	// The index of captures has those with an answer to show: no withheld ones. A revisit has
	// the digest of its original.
	digest := `"digest":"` + strings.TrimPrefix(first.Payload.String(), "sha1:") + `"`
	if out, err = exec.Command(script, "cdx-index", name).Output(); err != nil || strings.Count(string(out), "\n") != 6 || strings.Count(string(out), `"mime":"warc/revisit"`) != 2 || strings.Count(string(out), digest) != 2 {
		t.Errorf("captures, %v:\n%s", err, out)
	}
}
