package input

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func text(t testing.TB, s string) *File {
	t.Helper()
	f, err := New("f", strings.NewReader(s), int64(len(s)))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// edges gives the links as "src>dst " and the error.
func edges(t testing.TB, s string) (string, error) {
	var out strings.Builder
	err := Edges(text(t, s), func(src, dst uint32) error {
		fmt.Fprintf(&out, "%d>%d ", src, dst)
		return nil
	})
	return out.String(), err
}

func TestEdges(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"plain", "0 1\n1 0\n", "0>1 1>0 "},
		{"tabs", "0\t1\n", "0>1 "},
		{"many blanks", "  0 \t  1\t \n", "0>1 "},
		{"no last line feed", "0 1\n2 3", "0>1 2>3 "},
		{"CRLF", "0 1\r\n2 3 \r\n\r\n4 5\r", "0>1 2>3 4>5 "},
		{"comments and empty lines", "# a b c\n\n  # 1 2\n \t\n1 2\n#", "1>2 "},
		{"byte order mark", "\ufeff1 2\n", "1>2 "},
		{"only a byte order mark", "\ufeff", ""},
		{"largest id", "4294967294 0\n0 4294967294\n", "4294967294>0 0>4294967294 "},
		{"leading zeros", "007 0000000000000000000000012\n", "7>12 "},
		{"self-link and repetition", "3 3\n3 3\n", "3>3 3>3 "},
	} {
		if got, err := edges(t, c.in); got != c.want || err != nil {
			t.Errorf("%s: got %q, %v; want %q", c.name, got, err, c.want)
		}
	}
}

func TestEdgesErrors(t *testing.T) {
	const ids = ".* 0 to 4294967294$"
	const form = `.*"source target"$`
	for _, c := range []struct{ in, want string }{
		{"0 1\n-3 4\n", `^f:2: source "-3" .*negative` + ids},
		{"0 -0\n", `^f:1: target "-0" .*negative` + ids},
		{"4294967295 0\n", `^f:1: source "4294967295" .*too large` + ids},
		{"0 99999999999\n", `^f:1: target "99999999999" .*too large` + ids},
		{"18446744073709551616 0\n", `^f:1: source "18446744073709551616" .*too large` + ids},
		{"0 18446744073709551617\n", `^f:1: target "18446744073709551617" .*too large` + ids},
		{"a 0\n", `^f:1: source "a" .*number$`},
		{"- 0\n", `^f:1: source "-" .*number$`},
		{"-1x 0\n", `^f:1: source "-1x" .*number$`},
		{"+1 0\n", `^f:1: source "\+1" .*number$`},
		{"0 1.5\n", `^f:1: target "1.5" .*number$`},
		{"0;1\n", `^f:1: source "0;1" .*number$`},
		{"0,x\n", `^f:1: target "x" .*number$`},
		{"0 1\r2 3\n", `^f:1: target "1\\r2" .*number$`},
		{"\n\n# x\n12\n", `^f:4: .*one column.*"12"` + form},
		{"12 \r\n", `^f:1: .*one column.*"12"` + form},
		{"1 2 3\n", `^f:1: .*third column.*"3"` + form},
		{"1 2 # x\n", `^f:1: .*third column.*"#"` + form},
		{"1 \x1b[31mred\n", `^f:1: target "\\x1b\[31mred" .*number$`},
		{"1 \xff\u202e\n", `^f:1: target "\\xff\\u202e" .*number$`},
		{"1 " + strings.Repeat("x", 50) + "\n",
			`^f:1: target "` + strings.Repeat("x", 40) + `"\.\.\. .*number$`},
	} {
		_, err := edges(t, c.in)
		var e *Error
		if !errors.As(err, &e) || !matches(err, c.want) {
			t.Errorf("%q:\n got %v\nwant %s", c.in, err, c.want)
		}
	}
}

// Links before a bad line are delivered: the caller writes nothing until the end.
func TestEdgesStopsAtTheBadLine(t *testing.T) {
	got, err := edges(t, "1 2\nx\n3 4\n")
	if got != "1>2 " || err == nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestCallbackErrorGetsFileAndLine(t *testing.T) {
	full := errors.New("disk full")
	for _, in := range []string{"1 2\n3 4\n", "1 2\n 3 4\n"} { // by the fast and by the slow way
		f := text(t, in)
		err := Edges(f, func(src, dst uint32) error {
			if src == 3 {
				return full
			}
			return nil
		})
		if !errors.Is(err, full) || err.Error() != "f:2: disk full" {
			t.Errorf("%q: %v", in, err)
		}
	}
}

func TestIDs(t *testing.T) {
	for _, c := range []struct{ in, want, err string }{
		{"", "[]", ""},
		{"3\n1\r\n\n# x\n 2\t\n4294967294", "[3 1 2 4294967294]", ""},
		{"3\n-1\n", "[3]", `^f:2: id "-1" .*negative.* 0 to 4294967294$`},
		{"4294967295\n", "[]", `^f:1: id "4294967295" .*too large.* 0 to 4294967294$`},
		{"x\n", "[]", `^f:1: id "x" .*number$`},
		{"1 2\n", "[]", `^f:1: .*second column.*"2"`},
	} {
		got := []uint32{}
		err := IDs(text(t, c.in), func(id uint32) error { got = append(got, id); return nil })
		if fmt.Sprint(got) != c.want || !matches(err, c.err) {
			t.Errorf("%q: got %v, %v; want %s, %s", c.in, got, err, c.want, c.err)
		}
	}
}

// matches reports whether the text of err matches a pattern; the empty pattern stands
// for no error.
func matches(err error, pattern string) bool {
	if err == nil || pattern == "" {
		return err == nil && pattern == ""
	}
	return regexp.MustCompile(pattern).MatchString(err.Error())
}

func TestParseIDEmpty(t *testing.T) {
	if _, err := ParseID(nil); err == nil {
		t.Error("an empty text is no id")
	}
}

// plainEdges is the format said again in the plainest way: what Edges must agree
// with. It returns the number of the bad line, or 0.
func plainEdges(s string) (links string, bad int) {
	s = strings.TrimPrefix(s, "\ufeff")
	s = strings.TrimSuffix(s, "\n")
	for i, line := range strings.Split(s, "\n") {
		line = strings.TrimSuffix(line, "\r")
		f := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' })
		if len(f) == 0 || strings.HasPrefix(f[0], "#") {
			continue
		}
		if len(f) != 2 {
			return links, i + 1
		}
		src, err1 := strconv.ParseUint(f[0], 10, 64)
		dst, err2 := strconv.ParseUint(f[1], 10, 64)
		if err1 != nil || err2 != nil || src > uint64(MaxID) || dst > uint64(MaxID) {
			return links, i + 1
		}
		links += fmt.Sprintf("%d>%d ", src, dst)
	}
	return links, 0
}

func FuzzEdges(f *testing.F) {
	for _, s := range []string{"", "0 1\n2 3", "# c\n\t4 5 \r\n", "-1 2\n", "1 4294967295", "1 2 3",
		"00000000000000000000000007 1\n", "12345678901 1\n", "\ufeff1 2", "1 2\n\n x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if in, err := New("f", strings.NewReader(s), -1); err != nil || in.format != "" {
			return // the bytes happen to be another format: FuzzOpen's business
		}
		want, bad := plainEdges(s)
		got, err := edges(t, s)
		line := 0
		if e := new(Error); errors.As(err, &e) {
			line = e.Line
		}
		if got != want || line != bad {
			t.Errorf("%q: got %q, %v; want %q, bad line %d", s, got, err, want, bad)
		}
	})
}

func TestEdgesDoesNotAllocatePerLine(t *testing.T) {
	in := bytes.Repeat([]byte("123456 234567\n 1\t2 \n"), 10000)
	count := func(data []byte) float64 {
		return testing.AllocsPerRun(3, func() {
			f, err := New("f", bytes.NewReader(data), -1)
			if err != nil {
				t.Fatal(err)
			}
			if err := Edges(f, func(src, dst uint32) error { return nil }); err != nil {
				t.Fatal(err)
			}
		})
	}
	if one, all := count(in[:20]), count(in); all > one {
		t.Errorf("%v allocations for two lines, %v for 20,000", one, all)
	}
}

// BenchmarkEdges: plain text from memory, ids of six digits as in graphs of up to
// a million pages.
func BenchmarkEdges(b *testing.B) {
	for _, c := range []struct{ name, format string }{
		{"plain", "%d %d\n"}, {"crlf", "%d %d\r\n"}, {"blanks", " %d  %d\n"},
	} {
		var text bytes.Buffer
		const lines = 1 << 20
		for i := range uint32(lines) {
			fmt.Fprintf(&text, c.format, i*2654435761>>12, i*2246822519>>12)
		}
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			var sum uint64
			for b.Loop() {
				f, err := New("f", bytes.NewReader(text.Bytes()), -1)
				if err != nil {
					b.Fatal(err)
				}
				if err := Edges(f, func(src, dst uint32) error { sum += uint64(src ^ dst); return nil }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/lines, "ns/line")
		})
	}
}
