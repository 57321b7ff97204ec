package input

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"\n", `1""`},
		{"a", `1"a"`},
		{"a\n", `1"a"`},
		{"a\r\nb\r", `1"a" 2"b"`},
		{"a\r\r\n", `1"a\r"`},
		{"\n\n a \t\n# b\n", `1"" 2"" 3" a \t" 4"# b"`},
		{"\ufeffa\n\ufeffb\n", `1"a" 2"\ufeffb"`},
		{"\ufeff", ""},
		{"\ufeff\n", `1""`},
		{"\xff\x00\n", `1"\xff\x00"`},
	} {
		var got []string
		err := Lines(text(t, c.in), func(n int, s []byte) error {
			got = append(got, fmt.Sprintf("%d%s", n, strconv.Quote(string(s))))
			return nil
		})
		if s := strings.Join(got, " "); s != c.want || err != nil {
			t.Errorf("%q: got %s, %v; want %s", c.in, s, err, c.want)
		}
	}
}

func TestLinesCallbackError(t *testing.T) {
	err := Lines(text(t, "a\nb\n"), func(n int, s []byte) error {
		if n == 2 {
			return errors.New("no")
		}
		return nil
	})
	if !matches(err, "^f:2: no$") {
		t.Error(err)
	}
}

// The limit is exact, with and without a line feed at the end, wherever in the
// buffer the line begins, and for every form.
func TestLongLines(t *testing.T) {
	for _, before := range []int{0, 1, lineBuffer - 1, lineBuffer, lineBuffer + 1, 3 * lineBuffer} {
		for _, length := range []int{lineBuffer, MaxLine - 1, MaxLine, MaxLine + 1, 3 * MaxLine} {
			for _, end := range []string{"", "\n", "\nnext\n"} {
				in := strings.Repeat("\n", before) + strings.Repeat("x", length) + end
				longest := 0
				err := Lines(text(t, in), func(n int, s []byte) error {
					longest = max(longest, len(s))
					return nil
				})
				wantErr, want := "", length
				if length > MaxLine {
					wantErr = fmt.Sprintf("^f:%d: .*1048576 bytes", before+1)
					want = 0
				}
				if !matches(err, wantErr) || longest != want {
					t.Fatalf("%d lines, then %d bytes, then %q: longest %d, error %v", before, length, end, longest, err)
				}
			}
		}
	}
	comment := "#" + strings.Repeat("x", MaxLine)
	if _, err := edges(t, comment); !matches(err, "^f:1: .*1048576 bytes") {
		t.Error(err)
	}
}

func values(t testing.TB, s string) (string, error) {
	var out strings.Builder
	err := Values(text(t, s), func(key []byte, v float64) error {
		fmt.Fprintf(&out, "%q=%v ", key, v)
		return nil
	})
	return out.String(), err
}

func TestValues(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"3\t0.25\n", `"3"=0.25 `},
		{"# a\n\n \t \r\n3\t1e-9\r\n4\t-2", `"3"=1e-09 "4"=-2 `},
		{"http://a/b c\t 7 \n", `"http://a/b c"=7 `},
		{"a\tb\t.5\n", `"a\tb"=0.5 `},
		{" 3 \t+1.\n", `" 3 "=1 `},
		{"x\t1e-999\n", `"x"=0 `},
	} {
		if got, err := values(t, c.in); got != c.want || err != nil {
			t.Errorf("%q: got %s, %v; want %s", c.in, got, err, c.want)
		}
	}
}

func TestValuesErrors(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"1\t2\n3 4\n", `^f:2: no tab.*"3 4"`},
		{"\t4\n", `^f:1: .*before the tab`},
		{"a\t\n", `^f:1: .*after the tab`},
		{"a\t \r\n", `^f:1: .*after the tab`},
		{"a\tb\n", `^f:1: value "b" .*number$`},
		{"a\t1 2\n", `^f:1: value "1 2" .*number$`},
		{"a\t1-2\n", `^f:1: value "1-2" .*number$`},
		{"a\t0x1p4\n", `^f:1: value "0x1p4" .*number$`},
		{"a\t1_0\n", `^f:1: value "1_0" .*number$`},
		{"a\tNaN\n", `^f:1: value "NaN" .*finite$`},
		{"a\t-Inf\n", `^f:1: value "-Inf" .*finite$`},
		{"a\t1e999\n", `^f:1: value "1e999" .*too large$`},
		{"a\t\x1b[0m\n", `^f:1: value "\\x1b\[0m" .*number$`},
	} {
		if _, err := values(t, c.in); !matches(err, c.want) {
			t.Errorf("%q: got %v; want %s", c.in, err, c.want)
		}
	}
}

// FuzzValues: a list is read without panic, every value is finite, and what was
// accepted reads back the same when it is written again.
func FuzzValues(f *testing.F) {
	for _, s := range []string{"1\t2\n", "u\tv\t-1e5\r\n", "a\tNaN", "a\t1e999", "#\t\n", "\t"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		in, err := New("f", strings.NewReader(s), -1)
		if err != nil || in.format != "" {
			return
		}
		var again, want strings.Builder
		_ = Values(in, func(key []byte, v float64) error {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%q: value %v", s, v)
			}
			fmt.Fprintf(&again, "%s\t%v\n", key, v)
			fmt.Fprintf(&want, "%q=%v ", key, v)
			return nil
		})
		if strings.HasPrefix(again.String(), "\ufeff") || refusedStart(again.String()) {
			return // the first key would be taken for a mark or another format
		}
		if got, err := values(t, again.String()); got != want.String() || err != nil {
			t.Errorf("%q: read %s, again %s, %v", s, want.String(), got, err)
		}
	})
}

func refusedStart(s string) bool {
	in, err := New("f", strings.NewReader(s), -1)
	return err != nil || in.format != ""
}
