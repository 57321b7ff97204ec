package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/terminal"
	"golang.org/x/net/html"
)

// nasty is what strangers write: escapes that colour, move the cursor, change the title of
// the window and ask the terminal to answer, C1 controls as runes and as bytes, marks
// that turn the direction of writing, line ends of all kinds, and what ends a string.
var nasty = []string{
	"\x1b[31mred\x1b[0m", "\x1b]0;title\a", "\x1b[2J\x1b[H", "\x1bP$q\"p\x1b\\", "\u009b31m", "\x9b31m", "\u0085next",
	"evil\u202egpj.exe", "\u2066x\u2069", "\u200e\u200f", "a\r\nb", "a\nwinnow: error: b", "\u2028x\u2029", "\x00\x7f\b\b\b", "\t\v\f",
	"\xff\xfe", "\xc2", "=1+2", "<script>alert(1)</script>", `"'><img src=x onerror=alert(1)>`, "\U000e0001tag",
}

// checkShown fails if a text has anything that a terminal obeys or a reader cannot see.
func checkShown(t *testing.T, what string, text []byte) {
	t.Helper()
	hidden := func(r rune) bool {
		return r != '\n' && r != '\t' && !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r)
	}
	if i := bytes.IndexFunc(text, hidden); i >= 0 || !utf8.Valid(text) {
		t.Errorf("%s: byte %d is obeyed or not seen: %q", what, i, text[max(i-80, 0):min(i+80, len(text))])
	}
}

// TestNastyMessages: nothing of it comes through a message, a log line, a progress line, a
// panel, a table or a list, and none of them gets a second line by it.
func TestNastyMessages(t *testing.T) {
	for _, text := range nasty {
		var out, errs bytes.Buffer
		u := console.New(nil, &out, &errs)
		u.Say("error", text)
		u.Notef("%s", text)
		u.Finish(t.Context(), console.WithHint(fmt.Errorf("open %s: no", text), "try: %s", text))
		log := slog.New(&terminal.Log{Show: u.Say}).With("site", text)
		log.Warn(text, "error", text, text, 1)
		if lines := strings.Count(errs.String(), "\n"); lines != 5 || strings.Count(errs.String(), "winnow: ") < 5 {
			t.Errorf("%q: %d lines of messages:\n%s", text, lines, errs.String())
		}
		checkShown(t, "messages", errs.Bytes())
		table := show.NewList("name", text)
		table.Add(text, text)
		if err := table.Print(u.Stdout); err != nil {
			t.Fatal(err)
		}
		found := &history.Findings{List: []history.Finding{{Kind: "robots", URL: text, What: text}, {Kind: text, Site: text}}, Kinds: map[string]int64{text: 3}, Notes: []string{text}}
		if err := terminal.PrintFindings(u.Stdout, text, found); err != nil {
			t.Fatal(err)
		}
		checkShown(t, "table and list", out.Bytes())
		cells := strings.Split(terminal.PageLine(&history.PageInfo{URL: text, Note: text}), "\t")
		if last := cells[len(cells)-1]; len(cells) != 9 || strings.Count(last, "\n") != 1 {
			t.Errorf("%q: %d cells, the last %q", text, len(cells), last)
		}
		checkShown(t, "page", []byte(strings.Join(cells, "\t")))
	}
}

// TestNastyTerminal: the lines that are drawn again and again hold the escapes of ours and
// no others, and are never longer than the terminal is wide.
func TestNastyTerminal(t *testing.T) {
	for _, text := range nasty {
		var errs bytes.Buffer
		u := console.New(nil, io.Discard, &errs)
		u.Screen.Width = func() int { return 40 }
		u.Screen.Draw(text)
		u.Screen.Draw(text, text+strings.Repeat("x", 100))
		ours := strings.NewReplacer("\r", "", "\x1b[K", "", "\x1b[J", "", "\x1b[1A", "")
		drawn := ours.Replace(errs.String())
		checkShown(t, "drawn", []byte(drawn))
		for l := range strings.Lines(drawn) {
			if utf8.RuneCountInString(l) > 80 { // the line and the first of the panel
				t.Errorf("%q: drawn %q", text, l)
			}
		}
	}
}

// TestNastyScreen: what goes to a terminal as it is, is shown; however it is cut into
// pieces, it is the same.
func TestNastyScreen(t *testing.T) {
	for _, text := range append(nasty, "日本\t\u00a0é\n") {
		var whole, pieces bytes.Buffer
		a, b := &show.Terminal{W: &whole}, &show.Terminal{W: &pieces}
		io.WriteString(a, text+".\n")
		for i := range len(text) {
			b.Write([]byte{text[i]})
		}
		io.WriteString(b, ".\n")
		checkShown(t, "terminal", whole.Bytes())
		if whole.String() != pieces.String() {
			t.Errorf("%q: %q, in pieces %q", text, whole.String(), pieces.String())
		}
	}
}

// TestNastyJSON: an object is one line that no terminal obeys, and says what it was given.
func TestNastyJSON(t *testing.T) {
	for _, text := range nasty {
		var b bytes.Buffer
		if err := show.JSON(&b, map[string]string{"title": text}, ""); err != nil {
			t.Fatal(err)
		}
		checkShown(t, "JSON", b.Bytes())
		var back map[string]string
		if err := json.Unmarshal(b.Bytes(), &back); err != nil || bytes.Count(b.Bytes(), []byte("\n")) != 1 {
			t.Errorf("%q: %s, %v", text, b.Bytes(), err)
		}
		if want := strings.ToValidUTF8(text, "\ufffd"); utf8.ValidString(text) && back["title"] != want {
			t.Errorf("%q came back as %q", text, back["title"])
		}
	}
}

// nastyWeb has every nasty text in titles, links, anchors, robots.txt and sitemaps, and in
// header values, media types, redirects and validators what net/http lets pass there.
func nastyWeb(t *testing.T) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := ""
		for _, text := range nasty {
			body += "<title>" + text + "</title><a href=\"/" + html.EscapeString(text) + "\">" + text + "</a><a href=\"http://" + html.EscapeString(text) + "/\">\n"
		}
		head := "200 " + nasty[0]
		if i := strings.Index(r.URL.Path, "next"); i >= 0 {
			head = "302 Found\r\nLocation: " + nasty[4]
		}
		switch r.URL.Path {
		case "/robots.txt":
			body = "user-agent: *\ndisallow: /no" + strings.Join(nasty, "\ndisallow: /no") + "\nsitemap: /" + strings.Join(nasty, "\nsitemap: /")
		case "/red":
			head = "200 OK\r\nX-Robots-Tag: " + nasty[8]
		}
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer c.Close()
		fmt.Fprintf(c, "HTTP/1.1 %s\r\nContent-Type: text/html; charset=\u009b1m\r\nETag: \"%s\"\r\nServer: %s\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s",
			head, nasty[7], nasty[4], len(body), body)
	}))
	t.Cleanup(s.Close)
	return s
}

// TestNastyCrawl crawls it and asks every verb about the crawl: nothing nasty comes out,
// on no stream, in no file that people open, and nothing is written outside the directory.
func TestNastyCrawl(t *testing.T) {
	s := nastyWeb(t)
	home := t.TempDir()
	dir := filepath.Join(home, "crawl")
	seed := strings.Replace(s.URL, "127.0.0.1", "seed.localhost", 1)
	for _, args := range [][]string{
		{"crawl", seed + "/", "--dir", dir, "--allow-private", "--delay", "0", "--delay-factor", "0", "--ip-delay", "0", "--retries", "0", "--retry-delay", "10ms", "--patience", "1s", "-v",
			"--scope", "seeds", "--exclude", "<script>alert(2)</script>"},
		{"status", dir}, {"status", dir, "--json"}, {"pages", dir}, {"pages", dir, "--json"}, {"verify", dir}, {"verify", dir, "--json"},
		{"robots", seed + "/x", "--allow-private"}, {"robots", seed + "/x", "--allow-private", "--json"}, {"report", dir}, {"report", dir, "--json"},
		{"robots", seed + "/\x1b[31m", "--allow-private"}, {"crawl", "--dir", dir, "http://\x1b[31m/"}, {"pages", dir, "--site", nasty[0]},
	} {
		var out, errs bytes.Buffer
		code := run(t.Context(), args, strings.NewReader(""), &out, &errs)
		t.Logf("%q: exit %d\n%s%s", args, code, out.String(), errs.String())
		checkShown(t, args[0]+" to standard output", out.Bytes())
		checkShown(t, args[0]+" to standard error", errs.Bytes())
	}
	checkNastyFiles(t, home, dir)
}

// checkNastyFiles looks at what the crawl and its report left.
func checkNastyFiles(t *testing.T, home, dir string) {
	for _, name := range []string{"report/report.html", "report/curves.csv", "report/summary.json", "winnow.toml", "status.json"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		checkShown(t, name, text)
		switch filepath.Ext(name) {
		case ".html":
			checkNoScript(t, text)
		case ".csv":
			checkNoFormula(t, text)
		}
	}
	err := filepath.WalkDir(home, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		for _, c := range strings.TrimPrefix(path, home) {
			if !strings.ContainsRune("/-_.0123456789abcdefghijklmnopqrstuvwxyz", c) {
				t.Errorf("file %q", path)
			}
		}
		if d.Name() != filepath.Base(home) && !strings.HasPrefix(path, dir) {
			t.Errorf("%q is outside the crawl", path)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// checkNoScript parses a page as browsers do: no scripts, no handlers, nothing from
// elsewhere. Links lead to pages of the web.
func checkNoScript(t *testing.T, page []byte) {
	doc, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		if n.Type == html.ElementNode && (n.Data == "script" || n.Data == "iframe" || n.Data == "object" || n.Data == "img") {
			t.Errorf("element %s in the report", n.Data)
		}
		for _, a := range n.Attr {
			link := n.Data == "a" && a.Key == "href" && (strings.HasPrefix(a.Val, "#") || strings.HasPrefix(a.Val, "http://") || strings.HasPrefix(a.Val, "https://"))
			if strings.HasPrefix(a.Key, "on") || (a.Key == "href" || a.Key == "src") && !link {
				t.Errorf("%s=%q in the report", a.Key, a.Val)
			}
		}
	}
}

// checkNoFormula reads the cells as spreadsheets do.
func checkNoFormula(t *testing.T, text []byte) {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for _, cell := range row[:2] { // the others are numbers
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				t.Errorf("cell %q", cell)
			}
		}
	}
}
