package robots

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// hundred is a robots.txt of 100 rules in the manner of a large site.
func hundred() []byte {
	var b strings.Builder
	b.WriteString("User-agent: somebot\nDisallow: /\n\nUser-agent: *\nCrawl-delay: 2\n")
	for i := range 50 {
		fmt.Fprintf(&b, "Disallow: /section-%02d/private/\n", i)
	}
	for i := range 25 {
		fmt.Fprintf(&b, "Disallow: /*?sort%02d=\n", i)
		fmt.Fprintf(&b, "Allow: /section-%02d/private/open$\n", i)
	}
	b.WriteString("Sitemap: https://www.example.com/sitemap.xml\n")
	return []byte(b.String())
}

// usual is a robots.txt as most sites with one have it.
const usual = `User-agent: *
Disallow: /wp-admin/
Disallow: /search
Disallow: /cart
Disallow: /checkout
Disallow: /*?replytocom=
Disallow: /*/feed/$
Allow: /wp-admin/admin-ajax.php

Sitemap: https://www.example.com/sitemap.xml
`

// TestNoAllocation: a page is tested when it would be handed out; that must not allocate.
func TestNoAllocation(t *testing.T) {
	rules := Parse(hundred()).For("winnow")
	for _, path := range []string{
		"/", "/section-49/private/x", "/other/page.html?sort24=up", "/%62/caf%c3%a9*$",
		"/日本語/のページ", strings.Repeat("/%41", 250),
	} {
		if n := testing.AllocsPerRun(100, func() { rules.Test(path) }); n > 0 {
			t.Errorf("Test(%.40q) allocates %v times", path, n)
		}
	}
}

// TestNoBlowUp: rules and paths made to set a matcher back again and again. An exponential
// one would not end.
func TestNoBlowUp(t *testing.T) {
	body := "user-agent: *\ndisallow: /" + strings.Repeat("*a", 1000) + "*b\n" +
		"disallow: /*" + strings.Repeat("a", 3000) + "b\n" + "disallow: /" + strings.Repeat("*a*", 1000) + "c$\n"
	rules := Parse([]byte(body)).For("winnow")
	if v := rules.Test("/" + strings.Repeat("a", 8000)); !v.Allowed {
		t.Errorf("refused by line %d", v.Line)
	}
	if v := rules.Test("/" + strings.Repeat("a", 8000) + "bc"); v.Allowed {
		t.Error("allowed")
	}
}

// TestDecodeDamage: every beginning of the bytes that ends inside a rule, and wrong flags
// and formats, are errors.
func TestDecodeDamage(t *testing.T) {
	rules := pack([]rule{{pattern: "/abc*d$", length: 7, line: 300}}, 0)
	data, _ := rules.AppendBinary(nil)
	if back, err := Decode(data); err != nil || back != rules {
		t.Fatalf("Decode = %v, %v", back, err)
	}
	for n := range len(data) {
		if n == 2 {
			continue // format and delay: rules of their own
		}
		if _, err := Decode(data[:n]); err == nil {
			t.Errorf("the first %d of %d bytes were read", n, len(data))
		}
	}
	for name, bad := range map[string][]byte{
		"format":      append([]byte{format + 1}, data[1:]...),
		"flags":       binary.AppendUvarint([]byte{format, 0}, 3<<flagBits|flagAnchored),
		"no pattern":  {format, 0, 0, 1},
		"long delay":  binary.AppendUvarint([]byte{format}, 1<<40),
		"huge length": append(binary.AppendUvarint([]byte{format, 0}, 1<<62), "\x01/x"...),
	} {
		if name == "flags" {
			bad = append(bad, "\x01/ab"...)
		}
		if r, err := Decode(bad); err == nil {
			t.Errorf("%s: read as %q", name, r.packed)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	body := hundred()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(body).For("winnow")
	}
}

func BenchmarkTest(b *testing.B) {
	large, small := Parse(hundred()).For("winnow"), Parse([]byte(usual)).For("winnow")
	for _, bench := range []struct {
		name, path string
		rules      Rules
	}{
		{"usual/no match", "/2024/05/a-page-about-something.html?page=2", small},
		{"usual/escapes", "/2024/05/caf%c3%a9-%7euser.html?page=2", small},
		{"hundred/first", "/section-01/private/open", large},
		{"hundred/no match", "/2024/05/a-page-about-something.html?page=2", large},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bench.rules.Test(bench.path)
			}
		})
	}
}

// BenchmarkMemory measures what the rules of a site take on the heap.
func BenchmarkMemory(b *testing.B) {
	for name, body := range map[string][]byte{"usual": []byte(usual), "hundred": hundred(), "none": nil} {
		b.Run(name, func(b *testing.B) {
			const sites = 10_000
			for b.Loop() {
				kept := make([]Rules, sites)
				before := heap()
				for i := range kept {
					kept[i] = Parse(body).For("winnow")
				}
				b.ReportMetric(float64(heap()-before)/sites+16, "B/site")
				runtime.KeepAlive(kept)
			}
		})
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
