package input

import (
	"fmt"
	"strings"
	"testing"
)

func TestIsURL(t *testing.T) {
	for text, want := range map[string]bool{
		"http://a.example/": true, "HTTPS://a": true, "svn+ssh://a/b": true, "http://a.example/x,y?z=1": true,
		"": false, "a.example": false, "not a url": false, "http:///x": false, "http://": false, "://a": false, "1a://b": false, "http://a b": false,
	} {
		if IsURL([]byte(text)) != want {
			t.Errorf("%q: want %v", text, want)
		}
	}
}

// Pairs of URLs are read with tabs, blanks, commas and the quotes of CSV between them, with a
// header or without. What is something else is counted.
func TestPairs(t *testing.T) {
	const a, b = "http://a.example/", "http://b.example/x"
	for text, want := range map[string]string{
		a + " " + b + "\n" + b + "\t" + a:                 "a>b b>a",
		a + "," + b:                                       "a>b",
		a + ", " + b + "\n":                               "a>b",
		"source,target\n" + a + "," + b + ",7\n":          "a>b",
		"from\tto\r\n" + a + "\t" + b + "\tanchor\r\n":    "a>b",
		`"` + a + `","` + b + `"`:                         "a>b",
		"# links\n\n" + a + "  " + b:                      "a>b",
		a + "\n" + a + " " + b + "\nfoo bar\nb.example,c": "1! a>b 3! 4!",
		a + "," + b + "\nsource,target\n":                 "a>b 2!",
		a + " " + "/relative\n":                           "1!",
		"http://a.example/1,2,http://b.example/x\n":       "http://a.example/1,2>b",
	} {
		f, err := New("f", strings.NewReader(text), -1)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		short := strings.NewReplacer(a, "a", b, "b")
		err = Pairs(f, func(source, target []byte) error {
			pair := string(source) + ">" + string(target)
			if pair == a+">"+b || pair == b+">"+a {
				pair = short.Replace(pair)
			}
			got = append(got, strings.TrimSuffix(pair, b)+map[bool]string{true: "b"}[strings.HasSuffix(pair, b)])
			return nil
		}, func(line int, _ []byte) { got = append(got, fmt.Sprint(line, "!")) })
		if s := strings.Join(got, " "); err != nil || s != want {
			t.Errorf("%q: %q (%v), want %q", text, s, err, want)
		}
	}
}

func TestArePairs(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "0 1\n": false, "source,target\n0,1\n": false, "source,target\nhttp://a/,http://b/\n": true, "# x\n\nhttp://a/ http://b/\n": true,
		"foo\nhttp://a/ http://b/\n": false, "a,b\nc,d\nhttp://a/ http://b/\n": false,
	} {
		f, err := New("f", strings.NewReader(text), -1)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ArePairs(f); got != want || err != nil {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// Ids may be a table of CSV.
func TestEdgesCSV(t *testing.T) {
	f, err := New("f", strings.NewReader("Source,Target,Weight\n0,1,0.5\n1, 2\n2\t3\n"), -1)
	if err != nil {
		t.Fatal(err)
	}
	var got []uint32
	if err := Edges(f, func(src, dst uint32) error { got = append(got, src, dst); return nil }); err != nil || fmt.Sprint(got) != "[0 1 1 2 2 3]" {
		t.Errorf("%v, %v", got, err)
	}
}
