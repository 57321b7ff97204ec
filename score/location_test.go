package score

import "testing"

func TestLocation(t *testing.T) {
	for url, want := range map[string]float64{
		"http://a.example":               1,
		"http://a.example/":              0,
		"http://a.example?q=/x/y":        0,
		"http://a.example/?q":            -1,
		"http://a.example/b":             -1,
		"http://a.example/b/":            -2,
		"http://a.example/b/c.html#/d?e": -2,
		"http://a.example/b/c?d=/e/f#g":  -3,
		"http://home.example/b/c":        -1,
		"http://a.example/~x/home.html":  -1,
		"http://a.example/HOME":          -1,
		"http://a.example/?home":         -1,
	} {
		if got := DefaultRules().Value([]byte(url)); got != want {
			t.Errorf("%s: %v, want %v", url, got, want)
		}
	}
}

// TestRules checks the points of 20 URLs under rules of each kind (M14).
func TestRules(t *testing.T) {
	r := NewRules()
	for _, line := range []string{"# ours", "", "-1 slash", "-0.5 query", "+1 home", "+4 suffix .edu", "+8 contains news", "\t16  prefix https:"} {
		if err := r.Add(line); err != nil {
			t.Fatal(err)
		}
	}
	for url, want := range map[string]float64{
		"http://a.com":                 1,
		"http://a.com/":                0,
		"http://a.com/b":               -1,
		"http://a.com/b/c":             -2,
		"http://a.com/b/c/":            -3,
		"http://a.com/?q":              -0.5,
		"http://a.com/b?q=/":           -1.5,
		"http://a.com/b#/?":            -1,
		"http://a.com/home":            0,
		"http://a.com/home/b?x":        -1.5,
		"http://home.com/b":            0,
		"http://a.edu":                 5,
		"http://a.edu:8080/b":          3,
		"http://user@a.edu/b":          3,
		"http://a.edu.com/b":           -1,
		"http://a.com/x.edu":           -1,
		"http://a.com/news":            7,
		"http://news.com/news?news":    6.5,
		"https://a.com/b":              15,
		"https://news.edu/home/?b=c/d": -2 - 0.5 + 1 + 4 + 8 + 16,
	} {
		if got := r.Value([]byte(url)); got != want {
			t.Errorf("%s: %v, want %v", url, got, want)
		}
	}
	for _, line := range []string{"suffix .edu", "x suffix .edu", "+1", "+1 suffix", "+1 slash x", "+1 ending .edu", "inf slash", "+1 suffix a b"} {
		if err := r.Add(line); err == nil {
			t.Errorf("%q is a rule", line)
		}
	}
}

// TestImported checks that the longest key counts (M25).
func TestImported(t *testing.T) {
	m, err := NewImported(
		[]string{"http://a.com", "a.com", "http://a.com/b/", "http://a.com/b/c", "com", "http://a.com/?q", "b.a.com", "[::1]"},
		[]float64{1, 2, 3, 4, 5, 6, 7, 8})
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]float64{
		"http://a.com":          1,
		"http://a.com/":         1,
		"http://a.com/?q":       6,
		"http://a.com/?qq":      1,
		"http://a.com?x":        1,
		"http://a.com/b":        1,
		"http://a.com/b/":       3,
		"http://a.com/b/d":      3,
		"http://a.com/b/c":      4,
		"http://a.com/b/c/d":    4,
		"http://a.com/b/c#d":    4,
		"http://a.com/b/cd":     3,
		"https://a.com/b/c":     2,
		"http://a.com:8080/b/c": 2,
		"http://www.a.com/":     2,
		"http://x.b.a.com/":     7,
		"http://aa.com/":        5,
		"http://[::1]:80/":      8,
		"http://a.org/":         -1,
		"":                      -1,
	} {
		got, ok := m.Value([]byte(url))
		if ok != (want > 0) || ok && got != want {
			t.Errorf("%q: %v, %v, want %v", url, got, ok, want)
		}
	}
	for _, keys := range [][]string{{"a", "b", "a"}, {""}} {
		if _, err := NewImported(keys, make([]float64, len(keys))); err == nil {
			t.Errorf("%q are keys", keys)
		}
	}
}
