package robots

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestCases runs testdata/cases.txt, whose head explains its form (W14).
func TestCases(t *testing.T) {
	asked := 0
	for _, c := range readCases(t) {
		asked += len(c.asks)
		t.Run(c.title, func(t *testing.T) {
			f := Parse([]byte(c.body.String()))
			for _, a := range c.asks {
				if err := a.check(f); err != nil {
					t.Errorf("cases.txt:%d: %s: %v", a.at, a.text, err)
				}
			}
			if len(f.Sitemaps) > 0 {
				t.Errorf("sitemaps %q are not in the case", f.Sitemaps)
			}
		})
	}
	if asked < 300 {
		t.Errorf("%d questions were read: the file is not whole", asked)
	}
}

// A testCase is one robots.txt and what is asked about it.
type testCase struct {
	title string
	body  strings.Builder
	asks  []ask
}

// An ask is one question and its answer, on one line.
type ask struct {
	at   int // in cases.txt
	text string
}

func readCases(t testing.TB) []*testCase {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "cases.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var cases []*testCase
	for n, in := 1, bufio.NewScanner(file); in.Scan(); n++ {
		line := in.Text()
		if title, ok := strings.CutPrefix(line, "== "); ok {
			cases = append(cases, &testCase{title: title})
		} else if line != "" && line[0] != '#' {
			if err := cases[len(cases)-1].add(n, line); err != nil {
				t.Fatalf("cases.txt:%d: %v", n, err)
			}
		}
	}
	return cases
}

func (c *testCase) add(at int, line string) error {
	switch line[0] {
	case '|':
		c.body.WriteString(strings.TrimPrefix(line[1:], " ") + "\n")
		return nil
	case '+':
		return c.repeat("1", line[2:])
	case 'x':
		if n, text, ok := strings.Cut(line[2:], " "); ok && line[1] == ' ' {
			return c.repeat(n, text)
		}
	}
	c.asks = append(c.asks, ask{at, line})
	return nil
}

func (c *testCase) repeat(count, quoted string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	text, err := strconv.Unquote(quoted)
	c.body.WriteString(strings.Repeat(text, n))
	return err
}

// check answers the question from f and compares.
func (a ask) check(f *File) error {
	w := words(a.text)
	switch {
	case w[0] == "sitemap":
		return a.sitemap(f, w[1])
	case w[0] == "delay":
		want, err := time.ParseDuration(w[2])
		if got := f.For(w[1]).Delay(); err != nil || got != want {
			return fmt.Errorf("got %v (%v)", got, err)
		}
		return nil
	case len(w) != 4:
		return fmt.Errorf("%d words, want 4", len(w))
	}
	v := f.For(w[0]).Test(w[1])
	got := map[bool]string{true: "allow", false: "refuse"}[v.Allowed] + " " + strconv.Itoa(v.Line)
	if v.Rule == "" && v.Line == 0 {
		got = "allow -"
	}
	if got != w[2]+" "+w[3] {
		return fmt.Errorf("got %s by %q", got, v.Rule)
	}
	return nil
}

// sitemap takes the next sitemap off the list.
func (a ask) sitemap(f *File, want string) error {
	if len(f.Sitemaps) == 0 || f.Sitemaps[0] != want {
		return fmt.Errorf("got %q", f.Sitemaps)
	}
	f.Sitemaps = f.Sitemaps[1:]
	return nil
}

// words splits a line at blanks; a word that begins with a quotation mark is quoted as in
// Go.
func words(line string) (w []string) {
	for line = strings.TrimLeft(line, " "); line != ""; line = strings.TrimLeft(line, " ") {
		if quoted, err := strconv.QuotedPrefix(line); err == nil {
			text, _ := strconv.Unquote(quoted)
			w, line = append(w, text), line[len(quoted):]
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		w, line = append(w, word), rest
	}
	return w
}
