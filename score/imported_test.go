package score

import (
	"testing"
)

// What is packed and read again has the same keys and values; other bytes are an error, never a
// panic.
func TestImportedPacked(t *testing.T) {
	for _, keys := range [][]string{nil, {"a.example"}, {"http://a.example/b", "http://a.example/b/c", "http://a.example", "b.example", "a.example"}} {
		values := make([]float64, len(keys))
		for i := range values {
			values[i] = float64(i) - 0.5
		}
		m, err := NewImported(keys, values)
		if err != nil {
			t.Fatal(err)
		}
		b := m.AppendBinary(nil)
		n, err := ReadImported(b)
		if err != nil || !m.Equal(n) || !ImportedOf(m.Parts()).Equal(n) {
			t.Errorf("%v is read as %+v, %v", keys, n, err)
		}
		for i := range b {
			if _, err := ReadImported(b[:i]); err == nil {
				t.Errorf("%d of %d bytes are read", i, len(b))
			}
		}
	}
}

func FuzzReadImported(f *testing.F) {
	m, err := NewImported([]string{"a.example", "http://a.example/b", "http://a.example/b/c"}, []float64{1, 2, 3})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(m.AppendBinary(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ReadImported(b)
		if err != nil {
			return
		}
		if n, err := ReadImported(m.AppendBinary(nil)); err != nil || n.Len() != m.Len() {
			t.Errorf("%v after another round", err)
		}
		m.Value([]byte("http://a.example/b/c/d?e"))
	})
}

// Rules are read as they are written, and sets of terms cover what they should.
func TestRulesText(t *testing.T) {
	r, err := ParseRules("+1 suffix .edu\n# none\n\n-0.5 slash\n2 contains home")
	if err != nil || r.Len() != 3 {
		t.Fatal(r, err)
	}
	again, err := ParseRules(r.Text())
	if err != nil || again.Text() != r.Text() || again.Value([]byte("http://a.edu/home/")) != 1+2-1 {
		t.Errorf("%q, %v", r.Text(), err)
	}
	if _, err := ParseRules("1 nothing"); err == nil {
		t.Error("a rule of no kind")
	}
}

func TestNeeds(t *testing.T) {
	needs := func(text string) Needs {
		f, err := Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		return f.Needs
	}
	a := needs("q(pagerank) + depth")
	for text, covered := range map[string]bool{"1": true, "pagerank": true, "q(pagerank)*depth": true, "q(depth)": false, "cash": false} {
		if a.Cover(needs(text)) != covered {
			t.Errorf("%v covers %s: %v", a, text, !covered)
		}
	}
	if !a.With(needs("q(depth)")).Cover(needs("q(depth)")) || a.String() != "q(pagerank) depth" || !a.Links() || needs("cash").Links() {
		t.Errorf("%v", a)
	}
}
