package page

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"
)

// addLinks seeds a fuzz target with all links of the tables.
func addLinks(f *testing.F) {
	for _, c := range resolveCases {
		f.Add(testBase, c.ref)
		f.Add(c.want, c.ref)
	}
	for _, ref := range benchLinks {
		f.Add(benchBase, ref)
	}
	for _, ref := range []string{"http://[[::1]]/", "http://a..b/", "http://0x/", "http://-1/", "http://a.-/", "http://≠/",
		"http://xn--/", "http://a\u00ad.b/", "http://a:00000/", "//%5b::1%5D", "/.;jsessionid/..", "/a/.;/;phpsessid=/.."} {
		f.Add(testBase, ref)
	}
}

// FuzzNormalForm: whatever the link, Resolve does not panic, keeps its limits, and
// gives a normal form or nothing.
func FuzzNormalForm(f *testing.F) {
	addLinks(f)
	f.Fuzz(func(t *testing.T, base, ref string) { checkResolve(t, base, ref) })
}

func checkResolve(t *testing.T, base, ref string) Verdict {
	var r Resolver
	r.Document([]byte(base))
	url, v := r.Resolve(nil, []byte(ref))
	if !v.Usable() {
		if len(url) > 0 || v >= odd {
			t.Fatalf("base %q, link %q: %q with verdict %v", base, ref, url, v)
		}
		return v
	}
	if len(url) > DefaultMaxLen {
		t.Fatalf("base %q, link %q: %d bytes", base, ref, len(url))
	}
	checkNormal(t, string(url))
	if site, rest := Site(url); rest[0] != '/' || len(Host(site)) == 0 {
		t.Fatalf("%q has site %q and rest %q", url, site, rest)
	}
	return v
}

// FuzzFastEqualsSlow: on every link that the fast path accepts, it gives what the
// WHATWG parser and our own steps give.
func FuzzFastEqualsSlow(f *testing.F) {
	addLinks(f)
	f.Fuzz(checkFastEqualsSlow)
}

func checkFastEqualsSlow(t *testing.T, base, ref string) {
	var r Resolver
	r.Document([]byte(base))
	link, _, _ := bytes.Cut(trimControls([]byte(ref)), []byte("#"))
	colon, kind := schemeOf(link)
	if kind == otherScheme {
		if _, v := r.slow(nil, link); v.Usable() || v == Credentials {
			t.Fatalf("%q is not http, says the scheme; the slow path says %v", link, v)
		}
		return
	}
	fast, v := r.fast(nil, link, colon, kind)
	if v == odd {
		return
	}
	slow, w := r.slow(nil, link)
	if v != w || v == OK && !bytes.Equal(fast, slow) {
		t.Fatalf("base %q, link %q:\nfast %q (%v)\nslow %q (%v)", r.Base(), link, fast, v, slow, w)
	}
}

// FuzzSeed: ParseSeed gives a normal form or an error.
func FuzzSeed(f *testing.F) {
	for _, c := range seedCases {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if url, err := ParseSeed(text); err == nil {
			checkNormal(t, url)
		}
	})
}

// linkWords are the words of which trouble is made.
var linkWords = []string{
	"http:", "https:", "HTTP://", "https://", "//", "/", "/", "/", "..", ".", "%2e", "%2E%2e", "\\", "?", "&", "#", "=", ";", ":",
	"@", "%", "%4", "%41", "%3a", "%zz", "%31", "4", "1", "31", "a", "B", "é", "日本", "\xff", "\xc3", " ", "\t", "\n", "\x00", "\x7f",
	"+", "-", "_", "~", "^", "|", "'", "\"", "<", ">", "`", "{", "}", "[", "]", "[::1]", "[1:2::3.4.5.6]", "*", "!", "(", ")", ",", "$",
	"example", ".example", "a.example", "b.example:80", ":443", ":8080", ":0", "xn--", "xn--bcher-kva", "bücher", "ß", "。", "１",
	"127.0.0.1", "127", "0x7f", "0177", "256", ".0", "1.2.3.", "page.html", "index.php", "x=1", "utm_source=x", "UTM_y", "gclid",
	"sid=", "9f86d081884c7d65", "PHPSESSID=1", ";jsessionid=1", "jsessionid", ";phpsessid", "mailto:", "data:", "javascript:",
}

// TestWordsOfTrouble checks what the fuzz targets check on links made of such words;
// blind changes to bytes take long to find a punycode label behind a scheme.
func TestWordsOfTrouble(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 22))
	sentence := func() string {
		var b strings.Builder
		for range 1 + random.IntN(9) {
			b.WriteString(linkWords[random.IntN(len(linkWords))])
		}
		return b.String()
	}
	count := map[Verdict]int{}
	for range 20_000 {
		base := "http://a.example/" + sentence()
		if random.IntN(8) == 0 {
			base = "https://" + sentence()
		}
		ref := sentence()
		checkFastEqualsSlow(t, base, ref)
		count[checkResolve(t, base, ref)]++
	}
	for v := OK; v < odd; v++ {
		if count[v] == 0 && v != TooLong {
			t.Errorf("no link was %v: the words are too tame", v)
		}
	}
}
