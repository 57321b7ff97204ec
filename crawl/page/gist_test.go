package page

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"
)

func gistOf(title, text string) Gist { return GistOf([]byte(title), []byte(text)) }

// Numbers, case and punctuation do not change what a page says; words and their order do,
// also those of its title.
func TestGistChange(t *testing.T) {
	want := gistOf("Club", "In May 2024, 17 members met.").Change
	for _, same := range []string{"in may 2025 3 members met", "In May\nmembers met", "IN MAY 1 2 3 MEMBERS MET!"} {
		if got := gistOf("club 7", same).Change; got != want {
			t.Errorf("%q says something else", same)
		}
	}
	for _, other := range [][2]string{{"Club", "In June 2024, 17 members met."}, {"House", "In May 2024, 17 members met."}, {"Club", "members met In May"}} {
		if got := gistOf(other[0], other[1]).Change; got == want {
			t.Errorf("%q says the same", other)
		}
	}
	if gistOf("", "12 34 - 5").Change != 0 || gistOf("", "").Change != 0 || gistOf("x", "").Change == 0 {
		t.Error("a page without words says something, or one with a title nothing")
	}
}

// The terms are a set: repeats and numbers do not count.
func TestGistTerms(t *testing.T) {
	a, b := gistOf("", "mon tue wed 1 2 3"), gistOf("wed", "tue mon tue mon")
	if a.Terms != b.Terms || bits.OnesCount64(a.Terms) != 3 {
		t.Errorf("terms %b and %b", a.Terms, b.Terms)
	}
	if c := gistOf("", "thu"); c.Terms&^a.Terms == 0 {
		t.Error("another word is none")
	}
}

// pairs are the numbers of a gist up to the first 0.
func pairs(g Gist) (n int) {
	for n < len(g.Numbers) && g.Numbers[n] != 0 {
		n++
	}
	return n
}

// Of the pairs of numbers the smallest hashes are kept, each once, in order: texts with the
// same pairs have the same sample, and one pair more changes at most one place.
func TestGistNumbers(t *testing.T) {
	var text strings.Builder
	for i := range 200 {
		fmt.Fprintf(&text, "%d:%02d ", i%24, i*7%60)
		g := gistOf("", text.String())
		n := pairs(g)
		if n != min(NumberPairs, 2*i+1) && i < 10 {
			t.Errorf("%d pairs after %d times", n, i+1)
		}
		for k := 1; k < n; k++ {
			if g.Numbers[k-1] >= g.Numbers[k] {
				t.Fatalf("the sample is not in order: %v", g.Numbers)
			}
		}
		if again := gistOf("", text.String()+text.String()); pairs(again) < n {
			t.Errorf("a repeat has lost pairs")
		}
	}
	if pairs(gistOf("", "just 1 number")) != 0 || pairs(gistOf("", "from 1 to 2")) != 1 {
		t.Error("a pair of one number, or none of two")
	}
	common, a, b := 0, gistOf("", "1 2 3 4 5 6 7 8 9 10 11"), gistOf("", "2 3 4 5 6 7 8 9 10 11 12")
	for _, x := range a.Numbers {
		for _, y := range b.Numbers {
			if x == y {
				common++
			}
		}
	}
	if common < NumberPairs-2 {
		t.Errorf("%d of %d pairs in common", common, NumberPairs)
	}
}

// Pages that differ in their numbers are not near each other.
func TestSimHashNumbers(t *testing.T) {
	table := func(seed int) (b []byte) {
		for i := range 40 {
			b = fmt.Appendf(b, "Screw %d price %d.%02d ", seed*1000+i, (seed*31+i*7)%90, (seed*17+i)%100)
		}
		return b
	}
	for seed := 1; seed < 20; seed++ {
		if d := bits.OnesCount64(SimHash(table(0)) ^ SimHash(table(seed))); d <= 3 {
			t.Errorf("two price lists differ in %d bits", d)
		}
	}
}

// The pictures of a page are in its hash, in their order; one that is written without a
// slash is beside the page.
func TestPictures(t *testing.T) {
	scan := func(html string) *Page {
		p := new(Page)
		NewScanner(ScanOptions{}).Scan([]byte(html), p)
		return p
	}
	one := scan(`<img src="/a.png"><img src="/b.png">`)
	for _, html := range []string{``, `<img>`, `<img src="">`, `<img src="/b.png"><img src="/a.png">`, `<img src="/a.png">`, `<img src="/a.png"><img src="/b.png?1">`} {
		if scan(html).Pictures == one.Pictures {
			t.Errorf("%s shows the same", html)
		}
	}
	if scan(`<p><IMG alt=x SRC='/a.png'>words<img src=/b.png >`).Pictures != one.Pictures {
		t.Error("attributes and words make other pictures")
	}
	if scan("").Pictures != 0 || one.Pictures == 0 || len(one.Links) != 0 {
		t.Error("pictures of none, or links of pictures")
	}
	for html, want := range map[string]bool{
		`<img src="a.png">`: true, `<img src="../a.png">`: true, `<img src="/a.png">`: false, `<img src="//x.example/a">`: false,
		`<img src="https://x.example/a">`: false, `<source srcset="a.png 2x">`: true, `<img src="data:x">`: false,
	} {
		if scan(html).Beside != want {
			t.Errorf("%s: beside is %v", html, !want)
		}
	}
}

func BenchmarkGist(b *testing.B) {
	s, p := NewScanner(ScanOptions{}), new(Page)
	var texts [][]byte
	total := 0
	for _, page := range benchPages(b) {
		s.Scan(page, p)
		texts = append(texts, append([]byte(nil), p.Text...))
		total += len(p.Text)
	}
	b.SetBytes(int64(total))
	b.ReportAllocs()
	for b.Loop() {
		for _, text := range texts {
			GistOf(nil, text)
		}
	}
}
