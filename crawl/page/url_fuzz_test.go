package page

import (
	"bytes"
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
	f.Fuzz(func(t *testing.T, base, ref string) {
		var r Resolver
		r.Document([]byte(base))
		url, v := r.Resolve(nil, []byte(ref))
		if !v.Usable() {
			if len(url) > 0 || v >= odd {
				t.Fatalf("%q with verdict %v", url, v)
			}
			return
		}
		if len(url) > DefaultMaxLen {
			t.Fatalf("%d bytes", len(url))
		}
		checkNormal(t, string(url))
		if site, rest := Site(url); rest[0] != '/' || len(Host(site)) == 0 {
			t.Fatalf("%q has site %q and rest %q", url, site, rest)
		}
	})
}

// FuzzFastEqualsSlow: on every link that the fast path accepts, it gives what the
// WHATWG parser and our own steps give.
func FuzzFastEqualsSlow(f *testing.F) {
	addLinks(f)
	f.Fuzz(func(t *testing.T, base, ref string) {
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
	})
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
