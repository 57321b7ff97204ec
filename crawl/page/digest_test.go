package page

import (
	"fmt"
	"hash/fnv"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"
)

const digestPage = `<html><head><title>A page</title></head><body><h1 id="x" class="y">Head</h1>
<p>Some <b>bold</b> text with a <a href="/one" title="t">link</a>.</p><ul><li>one</li><li>two</li></ul>
<table><tr><td>1</td><td>2</td></tr></table></body></html>`

func digestOf(html string) Digest {
	var p Page
	NewScanner(ScanOptions{}).Scan([]byte(html), &p)
	return p.Digest
}

// TestDigestStable is the fixture of W19: formatting changes leave the digest alone.
func TestDigestStable(t *testing.T) {
	want := digestOf(digestPage)
	for name, r := range map[string][]string{
		"attribute order":        {`id="x" class="y"`, `class="y" id="x"`},
		"attributes gone":        {` id="x" class="y"`, ``},
		"quotes":                 {`id="x"`, `id=x`},
		"case of tags":           {`<h1`, `<H1`, `</p>`, `</P>`, `<td>`, `<TD>`},
		"line breaks":            {"\n", "\r\n\r\n  "},
		"line breaks gone":       {"\n", ""},
		"white space in text":    {"Some ", "Some\n\t  "},
		"white space in blocks":  {"<li>", "<li> ", "</td>", "\n</td>"},
		"comment":                {"bold", "bo<!-- x -->ld", "<ul>", "<!-- list --><ul>"},
		"formatting gone":        {"<b>", "", "</b>", ""},
		"other formatting":       {"<b>", `<span class="b"><font color=red>`, "</b>", "</font></span>"},
		"formatting of a word":   {"text", "t<i>ex</i>t"},
		"optional end tags gone": {"</li>", "", "</td>", "", "</p>", "", "</tr>", ""},
		"wrapped in div":         {"<ul>", "<div><ul>", "</ul>", "</ul></div>"},
		"tbody":                  {"<tr>", "<tbody><tr>"},
		"target of a link":       {"/one", "/two"},
		"script and style":       {"<ul>", "<script>var a;</script><style>b</style><ul>"},
		"reference":              {"Head", "H&#101;ad"},
	} {
		if got := digestOf(strings.NewReplacer(r...).Replace(digestPage)); got != want {
			t.Errorf("%s: the digest changed", name)
		}
	}
}

func TestDigestChanges(t *testing.T) {
	want := digestOf(digestPage)
	for name, r := range map[string][]string{
		"word":            {"Some", "any"},
		"case of a word":  {"Some", "some"},
		"space in a word": {"Head", "He ad"},
		"title":           {"A page", "B page"},
		"heading":         {"<h1", "<h2"},
		"list":            {"<ul>", "<ol>"},
		"paragraph":       {"bold", "bold<p>"},
		"no link":         {`<a href="/one" title="t">`, "<a>"},
		"image":           {"bold", "bold<img src=x>"},
	} {
		if got := digestOf(strings.NewReplacer(r...).Replace(digestPage)); got == want {
			t.Errorf("%s: the digest did not change", name)
		}
	}
}

// TestDigestEmpty: pages without words are not duplicates of each other (W20).
func TestDigestEmpty(t *testing.T) {
	for _, html := range []string{"", "<frameset><frame src=a>", "<p> <script>x</script>", "<title> </title>"} {
		if d := digestOf(html); !d.IsZero() {
			t.Errorf("%q has digest %v", html, d)
		}
	}
	if d := digestOf("<title>x</title>"); d.IsZero() || len(d.String()) != 32 {
		t.Errorf("digest of a title: %v", d)
	}
}

// TestDigestWhole: the digest covers text and tags beyond all limits.
func TestDigestWhole(t *testing.T) {
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, "<p>line %d <a href=x>of</a> text", i)
	}
	all := digestOf(b.String())
	for _, limit := range []int{1, 7, 100, 5000, 100_000, 10 << 20} {
		for _, end := range []string{"", " ", "<p>", "\n<br>"} {
			var p Page
			NewScanner(ScanOptions{Text: limit, Links: 1}).Scan([]byte(b.String()+end), &p)
			if same := p.Digest == all; same != (end != "<p>") {
				t.Errorf("limit %d, end %q: digest equal is %v", limit, end, same)
			}
			if cap(p.Text) > 2*(limit+tailBytes)+64 && limit < 100_000 {
				t.Errorf("limit %d: %d bytes of memory", limit, cap(p.Text))
			}
		}
	}
}

// TestDigestDroppedLink: the text of a link is text, also when the link is dropped.
func TestDigestDroppedLink(t *testing.T) {
	const html = `words <a href=long><img alt=more></a>`
	var p Page
	NewScanner(ScanOptions{Href: 3}).Scan([]byte(html), &p)
	if p.Digest != digestOf(html) || p.Dropped != 1 || string(p.Text) != "words more" {
		t.Errorf("text %q, %d dropped", p.Text, p.Dropped)
	}
}

// TestDigestPinned: digests are stored in crawls, so that a change must be noticed.
func TestDigestPinned(t *testing.T) {
	if got := digestOf(digestPage).String(); got != "1ec61f3da6feea7f188e42a725e6faab" {
		t.Errorf("digest is now %s: crawls written before see new pages everywhere", got)
	}
}

// naiveSimHash counts bit by bit.
func naiveSimHash(hashes []uint64) (m uint64) {
	for i := range 64 {
		n := 0
		for _, h := range hashes {
			n += int(h>>i&1)*2 - 1
		}
		if n > 0 {
			m |= 1 << i
		}
	}
	return m
}

func TestBitCounter(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for n := range 300 {
		var c bitCounter
		var hashes []uint64
		for range n {
			hashes = append(hashes, r.Uint64()&r.Uint64())
			c.add(hashes[len(hashes)-1])
		}
		if got, want := c.majority(), naiveSimHash(hashes); got != want {
			t.Fatalf("%d numbers: got %x, want %x", n, got, want)
		}
	}
}

// defined is SimHash word for word as its comment has it.
func defined(text []byte) uint64 {
	isWord := func(c byte) bool {
		return c >= 0x80 || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
	}
	var last [3]uint64
	var hashes []uint64
	words := 0
	for len(text) > 0 {
		n := 0
		h := fnv.New64a()
		for ; n < len(text) && isWord(text[n]); n++ {
			c := text[n]
			if c < 0x80 && c >= 'A' {
				c |= 0x20
			}
			h.Write([]byte{c})
		}
		if n > 0 {
			last = [3]uint64{last[1], last[2], h.Sum64()}
			if words++; words >= 3 {
				hashes = append(hashes, mix(last))
			}
		}
		text = text[min(n+1, len(text)):]
	}
	if words == 1 || words == 2 {
		hashes = append(hashes, mix(last))
	}
	return naiveSimHash(hashes)
}

// TestSimHashDefined: SimHashes are stored in crawls and compared with new ones.
func TestSimHashDefined(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	const bytes = "aZ09 \n.,@[`{/:\x7f\x80\xff\x00"
	for n := range 2000 {
		text := make([]byte, n)
		for i := range text {
			if text[i] = bytes[r.IntN(len(bytes))]; n%2 == 0 {
				text[i] = byte(r.Uint32())
			}
		}
		if got, want := SimHash(text), defined(text); got != want {
			t.Fatalf("%q: %x, want %x", text, got, want)
		}
	}
}

// words gives n words; every word depends on the seed.
func words(seed uint64, n int) []string {
	r := rand.New(rand.NewPCG(seed, 7))
	w := make([]string, n)
	for i := range w {
		w[i] = fmt.Sprintf("w%d", r.IntN(5000))
	}
	return w
}

// TestSimHashNear: a small change moves few bits, another text about half of them.
func TestSimHashNear(t *testing.T) {
	var near, far int
	for seed := range uint64(50) {
		w := words(seed, 2000)
		a := SimHash([]byte(strings.Join(w, " ")))
		w[1000] = "changed"
		near = max(near, bits.OnesCount64(a^SimHash([]byte(strings.Join(w, " ")))))
		far += bits.OnesCount64(a ^ SimHash([]byte(strings.Join(words(seed+1000, 2000), " "))))
	}
	if near > 8 {
		t.Errorf("one word of 2,000 changed up to %d bits", near)
	}
	if mean := float64(far) / 50; mean < 28 || mean > 36 {
		t.Errorf("unrelated texts differ in %.1f bits on average", mean)
	}
}

func TestSimHashWords(t *testing.T) {
	h := func(s string) uint64 { return SimHash([]byte(s)) }
	if h("") != 0 || h(" \n.,") != 0 {
		t.Error("a text without words has no SimHash")
	}
	if h("One two, THREE.") != h("one\ntwo three") {
		t.Error("case and punctuation count")
	}
	if h("a b c") == h("c b a") || h("a") == h("b") || h("a b") == h("b a") || h("a") == 0 {
		t.Error("order or short texts do not count")
	}
	if h("in May 2024 nothing") == h("in May 31 nothing") || h("2024") == 0 || h("a1 b c") == h("a2 b c") {
		t.Error("numbers do not count")
	}
}
