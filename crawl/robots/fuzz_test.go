package robots

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// sameVerdict compares a verdict with that of the naive model, which names no rule.
func sameVerdict(got, want Verdict) bool {
	return got.Allowed == want.Allowed && got.Line == want.Line
}

// small reports whether the naive model, which is cubic, can answer soon.
func small(body []byte, path string) bool {
	return len(body) <= 400 && len(path) <= 60
}

// FuzzParse: no file and no path upsets the parser, the packed rules answer as the file
// read naively does, and they survive being written and read.
func FuzzParse(f *testing.F) {
	for _, c := range readCases(f) {
		if c.body.Len() > 1000 {
			continue
		}
		for _, a := range c.asks {
			if w := words(a.text); len(w) == 4 {
				f.Add([]byte(c.body.String()), w[0], w[1])
			}
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, product, path string) {
		file := Parse(body)
		rules := file.For(product)
		got := rules.Test(path)
		if small(body, path) {
			if want := naiveTest(file, Token(product), path); !sameVerdict(got, want) {
				t.Errorf("Test(%q) = %+v, naively %+v", path, got, want)
			}
		}
		if d := rules.Delay(); d < 0 || d > MaxDelay {
			t.Errorf("delay %v", d)
		}
		roundTrip(t, rules, path)
	})
}

// roundTrip writes the rules and reads them back.
func roundTrip(t *testing.T, rules Rules, path string) {
	t.Helper()
	data, err := rules.AppendBinary([]byte("before"))
	if err != nil {
		t.Fatal(err)
	}
	back, err := Decode(data[len("before"):])
	if err != nil {
		t.Fatalf("Decode(%q): %v", data, err)
	}
	if back != rules || back.Test(path) != rules.Test(path) || back.Delay() != rules.Delay() {
		t.Errorf("%q came back as %q", rules.packed, back.packed)
	}
}

// FuzzDecode: what Decode accepts can be asked, and is written again as it was.
func FuzzDecode(f *testing.F) {
	for _, c := range readCases(f) {
		if c.body.Len() < 1000 {
			data, _ := Parse([]byte(c.body.String())).For("a").AppendBinary(nil)
			f.Add(data, "/x")
		}
	}
	f.Add([]byte{format, 0, 0x80, 0x80, 0}, "/x")
	f.Fuzz(func(t *testing.T, data []byte, path string) {
		rules, err := Decode(data)
		if err != nil {
			return
		}
		rules.Test(path)
		if d := rules.Delay(); d < 0 || d > MaxDelay {
			t.Errorf("delay %v", d)
		}
		roundTrip(t, rules, path)
	})
}

// FuzzNormal: the normal form is one, and the naive one.
func FuzzNormal(f *testing.F) {
	for _, s := range []string{"/", "", "a", "/%62%2f%zz%", "/ツ*$#x", "/%C3%A9?a=/:@", "%", "/%4", "\x00\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		got := string(appendPath(nil, path))
		if want := naiveNormal(path, false, "%25"); got != want {
			t.Errorf("normal form of %q is %q, naively %q", path, got, want)
		}
		if !isNormal(got) {
			t.Errorf("%q is not normal", got)
		}
		if isNormal(path) && got != path {
			t.Errorf("%q is normal, but becomes %q", path, got)
		}
	})
}

// FuzzParseMeta: no value upsets it, and words for others say nothing to us.
func FuzzParseMeta(f *testing.F) {
	for _, s := range []string{"noindex, nofollow", "otherbot: none", "unavailable_after: 1 Jan 2030 10:00:00 GMT", ":::", "a : b"} {
		f.Add(s, "winnow")
	}
	f.Fuzz(func(t *testing.T, value, product string) {
		tags := ParseMeta([]string{value}, product)
		if tags&^(NoIndex|NoFollow|NoArchive) != 0 {
			t.Errorf("tags %b", tags)
		}
		if !strings.Contains(value, ":") && tags != ParseMeta([]string{"otherbot: x", value}, "") {
			t.Errorf("%q without a name depends on who asks", value)
		}
	})
}

// TestRandom compares with the naive model on files of a small alphabet, where rules meet
// paths often.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(9309, 1))
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	some := func(n int, words ...string) (s string) {
		for range r.IntN(n) {
			s += pick(words...)
		}
		return s
	}
	matched := 0
	for range 20_000 {
		body := ""
		for range 1 + r.IntN(6) {
			body += pick("user-agent: a", "user-agent: *", "user-agent: b") + "\n"
			for range r.IntN(5) {
				body += pick("allow: ", "disallow: ") + pick("/", "/", "*", "") +
					some(5, "a", "b", "/", "*", "$", "%61", "%2f", "%2F", "?", ":", "%", "é") + pick("", "", "$") + "\n"
			}
		}
		path := "/" + some(8, "a", "b", "/", "%62", "%2F", "?", ":", "$", "%C3%A9", "%")
		f := Parse([]byte(body))
		got, want := f.For("a").Test(path), naiveTest(f, "a", path)
		if !sameVerdict(got, want) {
			t.Fatalf("Test(%q) = %+v, naively %+v, in\n%s", path, got, want, body)
		}
		if got.Line > 0 {
			matched++
		}
	}
	if matched < 5000 {
		t.Errorf("only %d of 20,000 paths met a rule: the test tests little", matched)
	}
}
