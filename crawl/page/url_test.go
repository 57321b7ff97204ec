package page

import (
	"strings"
	"testing"
	"unicode/utf8"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// resolve is one link against one base; no base when that is empty.
func resolve(t testing.TB, base, ref string) (string, Verdict) {
	t.Helper()
	var r Resolver
	if base != "" {
		if v := r.Document([]byte(base)); !v.Usable() {
			t.Fatalf("base %q: %v", base, v)
		}
	}
	url, v := r.Resolve([]byte("before "), []byte(ref))
	after, ok := strings.CutPrefix(string(url), "before ")
	if !ok {
		t.Fatalf("Resolve(%q) does not append: %q", ref, url)
	}
	if !v.Usable() && after != "" {
		t.Fatalf("Resolve(%q) = %q with verdict %v", ref, after, v)
	}
	return after, v
}

const testBase = "http://a.example/dir/sub/page.html?old=1"

// resolveCases were worked out by hand from the WHATWG standard and the list of our
// own steps in doc.go. All are relative to testBase.
var resolveCases = []struct{ ref, want string }{
	// Relative references.
	{"", "http://a.example/dir/sub/page.html?old=1"},
	{"#part", "http://a.example/dir/sub/page.html?old=1"},
	{"?x", "http://a.example/dir/sub/page.html?x"},
	{"?", "http://a.example/dir/sub/page.html"},
	{"?#f", "http://a.example/dir/sub/page.html"},
	{"next.html", "http://a.example/dir/sub/next.html"},
	{"next.html#a?b", "http://a.example/dir/sub/next.html"},
	{"./next", "http://a.example/dir/sub/next"},
	{".", "http://a.example/dir/sub/"},
	{"..", "http://a.example/dir/"},
	{"../", "http://a.example/dir/"},
	{"../../../../up", "http://a.example/up"},
	{"a/./b/../c", "http://a.example/dir/sub/a/c"},
	{"a/b/..", "http://a.example/dir/sub/a/"},
	{"/", "http://a.example/"},
	{"/top", "http://a.example/top"},
	{"/a//b///c", "http://a.example/a//b///c"},
	{"/a//..//b", "http://a.example/a//b"},
	{"/.../..a/b..", "http://a.example/.../..a/b.."},
	{"//b.example", "http://b.example/"},
	{"//b.example/x?y", "http://b.example/x?y"},
	{"///b.example/x", "http://b.example/x"},
	{"a:b", ""},
	{"./a:b", "http://a.example/dir/sub/a:b"},
	{"1:b", "http://a.example/dir/sub/1:b"},
	{"x?a/../b", "http://a.example/dir/sub/x?a/../b"},
	// Escaped dots are dots.
	{"%2e%2e/x", "http://a.example/dir/x"},
	{"%2E./x", "http://a.example/dir/x"},
	{".%2e", "http://a.example/dir/"},
	{"%2e/x", "http://a.example/dir/sub/x"},
	{"%2e%2e%2e/x", "http://a.example/dir/sub/.../x"},
	// Backslashes, white space, line breaks.
	{`\top`, "http://a.example/top"},
	{`\\b.example\x`, "http://b.example/x"},
	{`a\..\b?c\d`, `http://a.example/dir/sub/b?c\d`},
	{`http:\\b.example\x`, "http://b.example/x"},
	{"  next  ", "http://a.example/dir/sub/next"},
	{"a b", "http://a.example/dir/sub/a%20b"},
	{"a b #c", "http://a.example/dir/sub/a%20b%20"},
	{`a\b #c`, "http://a.example/dir/sub/a/b%20"},
	{"x?a b", "http://a.example/dir/sub/x?a%20b"},
	{"\tne\nxt\r\n", "http://a.example/dir/sub/next"},
	{"ht\ntp://b.ex\tample/", "http://b.example/"},
	{"/a\x00b", "http://a.example/a%00b"},
	{"/a\x7fb?\x01c\x02", "http://a.example/a%7Fb?%01c"},
	// Schemes.
	{"http:next", "http://a.example/dir/sub/next"},
	{"http:/top", "http://a.example/top"},
	{"https:b.example", "https://b.example/"},
	{"https:/b.example/x", "https://b.example/x"},
	{"http:///b.example/x", "http://b.example/x"},
	{"HTTPS://B.Example/Path", "https://b.example/Path"},
	{"http:", "http://a.example/dir/sub/page.html?old=1"},
	// Ports.
	{"http://b.example:80/", "http://b.example/"},
	{"https://b.example:443", "https://b.example/"},
	{"https://b.example:80", "https://b.example:80/"},
	{"http://b.example:8080?x", "http://b.example:8080/?x"},
	{"http://b.example:/x", "http://b.example/x"},
	{"http://b.example:0080/x", "http://b.example/x"},
	{"http://b.example:65535/", "http://b.example:65535/"},
	{"//b.example:80/", "http://b.example/"},
	// Hosts.
	{"http://b.example./x", "http://b.example/x"},
	{"http://b_c.example/", "http://b_c.example/"},
	{"http://B%41.example/", "http://ba.example/"},
	{"http://bücher.example/", "http://xn--bcher-kva.example/"},
	{"http://BÜCHER.example/ü?ü", "http://xn--bcher-kva.example/%C3%BC?%C3%BC"},
	{"http://xn--bcher-kva.example/", "http://xn--bcher-kva.example/"},
	{"http://faß.example/", "http://xn--fa-hia.example/"},
	{"http://ｅｘａｍｐｌｅ。org/", "http://example.org/"},
	{"http://127.0.0.1/", "http://127.0.0.1/"},
	{"http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x"},
	{"http://0177.0.0.0x1/", "http://127.0.0.1/"},
	{"http://2130706433/", "http://127.0.0.1/"},
	{"http://127.1./", "http://127.0.0.1/"},
	{"http://[::1]:80/", "http://[::1]/"},
	{"http://[1:0::0:2]:81/", "http://[1::2]:81/"},
	{"http://[::127.0.0.1]/", "http://[::7f00:1]/"},
	// Percent-encoding.
	{"/%41%7e%2d%5f%2E%30", "http://a.example/A~-_.0"},
	{"/%2f%3f%25%c3%a9", "http://a.example/%2F%3F%25%C3%A9"},
	{"/é", "http://a.example/%C3%A9"},
	{"/😀?😀", "http://a.example/%F0%9F%98%80?%F0%9F%98%80"},
	{"/%", "http://a.example/%"},
	{"/%zz?%4", "http://a.example/%zz?%4"},
	{"/%4%31", "http://a.example/%4%31"},
	{"/%%34%31", "http://a.example/%%341"},
	{"/%2541", "http://a.example/%2541"},
	{"/<\"`{}^|>", "http://a.example/%3C%22%60%7B%7D%5E|%3E"},
	{"?<\"'`{}^|>", "http://a.example/dir/sub/page.html?%3C%22%27`{}^|%3E"},
	{"/a'(b)!$&*+,=:@[]", "http://a.example/a'(b)!$&*+,=:@[]"},
	{"/\xff?\xfe", "http://a.example/%EF%BF%BD?%EF%BF%BD"},
	// Queries: tracking and sessions go, order and emptiness stay.
	{"/?b=2&a=1&b=1", "http://a.example/?b=2&a=1&b=1"},
	{"/?utm_source=x", "http://a.example/"},
	{"/?utm_source=x&a=1", "http://a.example/?a=1"},
	{"/?a=1&UTM%5fMedium=y&b", "http://a.example/?a=1&b"},
	{"/?a=1&fbclid=abc#top", "http://a.example/?a=1"},
	{"/?utm_=1&utm=1&utm", "http://a.example/?utm_=1&utm=1&utm"},
	{"/?gclid", "http://a.example/"},
	{"/?gclids=1", "http://a.example/?gclids=1"},
	{"/?a&&b&", "http://a.example/?a&&b&"},
	{"/?&", "http://a.example/?&"},
	{"/?&gclid=1", "http://a.example/"},
	{"/?PHPSESSID=1&p=2", "http://a.example/?p=2"},
	{"/?sid=7", "http://a.example/?sid=7"},
	{"/?sid=0123456789012345", "http://a.example/?sid=0123456789012345"},
	{"/?sid=introduction2algebra101", "http://a.example/?sid=introduction2algebra101"},
	{"/?sid=annual-report-2024-q3-v2", "http://a.example/?sid=annual-report-2024-q3-v2"},
	{"/?sid=9f86d081884c7d65", "http://a.example/"},
	{"/?q=jsessionid&x=utm_source", "http://a.example/?q=jsessionid&x=utm_source"},
	{"/x.jsp;jsessionid=8A1F.node1?p=1", "http://a.example/x.jsp?p=1"},
	{"/x;a=1;JSESSIONID=1;b=2/y;jsessionid", "http://a.example/x;a=1;b=2/y"},
	{"/;jsessionid=1/x", "http://a.example//x"},
	{"/a/..;jsessionid=1/x", "http://a.example/a/..;jsessionid=1/x"},
	{"/a;b/c;jsessionids=1", "http://a.example/a;b/c;jsessionids=1"},
}

func TestResolve(t *testing.T) {
	for _, c := range resolveCases {
		got, v := resolve(t, testBase, c.ref)
		if got != c.want || v.Usable() != (c.want != "") {
			t.Errorf("Resolve(%q) = %q (%v), want %q", c.ref, got, v, c.want)
		}
	}
}

func TestVerdicts(t *testing.T) {
	long := strings.Repeat("x", DefaultMaxLen-len("http://a.example/"))
	for _, c := range []struct {
		ref  string
		want Verdict
	}{
		{"/x", OK},
		{"/x#", Fragment},
		{"mailto:me@a.example", NotHTTP},
		{"JavaScript:void(0)", NotHTTP},
		{"java\nscript:void(0)", NotHTTP},
		{"data:image/png;base64," + strings.Repeat("A", 100_000), NotHTTP},
		{"tel:+4930", NotHTTP},
		{"ftp://a.example/", NotHTTP},
		{"file:///etc/hosts", NotHTTP},
		{"b.example:8080/x", NotHTTP}, // by the standard "b.example" is a scheme
		{"http://", Malformed},
		{"http://?x", Malformed},
		{"https://", Malformed},
		{"http://:80/", Malformed},
		{"http://b.example:65536/", Malformed},
		{"http://b.example:8a/", Malformed},
		{"http://b c.example/", Malformed},
		{"http://b%zz.example/", Malformed},
		{"http://b%00.example/", Malformed},
		{"http://b..example/", Malformed},
		{"http://.example/", Malformed},
		{"http://./", Malformed},
		{"http://" + strings.Repeat("b", 64) + ".example/", Malformed},
		{"http://" + strings.Repeat("b.", 127) + "example/", Malformed},
		{"http://xn--a.example/", Malformed},
		{"http://\xff.example/", Malformed},
		{"http://1.2.3.256/", Malformed},
		{"http://1.2.3.4.5/", Malformed},
		{"http://-1/", Malformed}, // the parser reads a number
		{"http://1.+2/", Malformed},
		{"http://１.2.3.4/", Malformed}, // full-width digit
		{"http://[::1/", Malformed},
		{"http://[::1%25eth0]/", Malformed},
		{"http://[[::1]", Malformed},
		{"http://[[::1]]/", Malformed},
		{"http://[::1]]/", Malformed},
		{"//[[::1]:80/", Malformed},
		{"http://xn--/", Malformed},
		{"http://xn--.example/", Malformed},
		{"http://example.xn--/", Malformed},
		{"http://example.xn--:80/x", Malformed},
		{"//example.XN--", Malformed},
		{"http://example.ｘｎ－－/", Malformed},
		{"http://me@b.example/", Credentials},
		{"http://me:secret@b.example/", Credentials},
		{"//:secret@b.example/", Credentials},
		{"http://a.example@b.example/", Credentials},
		{"http://@b.example/", OK}, // an empty name is none
		{"/" + long, OK},
		{"/" + long + "x", TooLong},
		{"/" + strings.Repeat("%41", len(long)), OK},    // shrinks
		{"/" + strings.Repeat(" ", 700) + "x", TooLong}, // grows
		{"/" + strings.Repeat("a/../", 3000), TooLong},
		{"/?utm_source=" + long, OK},
		{"/x#" + strings.Repeat("f", 100_000), Fragment},
	} {
		if _, v := resolve(t, "http://a.example/", c.ref); v != c.want {
			t.Errorf("Resolve(%.60q) = %v, want %v", c.ref, v, c.want)
		}
	}
}

func TestNoBase(t *testing.T) {
	for _, ref := range []string{"", "x", "/x", "//b.example/", "?x", "#x"} {
		if url, v := resolve(t, "", ref); v != Malformed {
			t.Errorf("Resolve(%q) without base = %q, %v", ref, url, v)
		}
	}
	if url, v := resolve(t, "", "HTTP://A.example"); url != "http://a.example/" || v != OK {
		t.Errorf("absolute without base: %q, %v", url, v)
	}
}

func TestBase(t *testing.T) {
	var r Resolver
	if v := r.Document([]byte("http://a.example/x/y?z#f")); v != Fragment || string(r.Base()) != "http://a.example/x/y?z" {
		t.Fatalf("Document: %v, base %q", v, r.Base())
	}
	if v := r.Rebase([]byte("../b/")); v != OK || string(r.Base()) != "http://a.example/b/" {
		t.Fatalf("Rebase: %v, base %q", v, r.Base())
	}
	for _, bad := range []string{"javascript:x", "http://", "http://me@b.example/"} {
		if v := r.Rebase([]byte(bad)); v.Usable() || string(r.Base()) != "http://a.example/b/" {
			t.Errorf("Rebase(%q): %v, base %q", bad, v, r.Base())
		}
	}
	if url, v := r.Resolve(nil, []byte(`c\ü`)); string(url) != "http://a.example/b/c/%C3%BC" {
		t.Errorf("slow path after Rebase: %q, %v", url, v)
	}
	r.Rebase([]byte("//b.example/q/"))
	if url, v := r.Resolve(nil, []byte(`c\d`)); string(url) != "http://b.example/q/c/d" {
		t.Errorf("slow path keeps an old base: %q, %v", url, v)
	}
	if v := r.Document([]byte("y")); v != Malformed || len(r.Base()) != 0 {
		t.Errorf("Document of a relative URL: %v, base %q", v, r.Base())
	}
}

// TestMaxLen: the limit counts bytes of the normal form.
func TestMaxLen(t *testing.T) {
	r := Resolver{MaxLen: len("http://a.example/12345")}
	for ref, want := range map[string]Verdict{"http://a.example/12345": OK, "http://a.example/123456": TooLong} {
		if _, v := r.Resolve(nil, []byte(ref)); v != want {
			t.Errorf("Resolve(%q) = %v, want %v", ref, v, want)
		}
	}
}

// cp1251 is enough of that charset for a test: small Cyrillic letters.
func cp1251(dst []byte, char rune) ([]byte, bool) {
	if char < 'а' || char > 'я' {
		return dst, false
	}
	return append(dst, byte(0xe0+char-'а')), true
}

// TestEncodeQuery: the charset of the document counts in the query alone, and what
// it does not have is sent as a character reference.
func TestEncodeQuery(t *testing.T) {
	r := Resolver{EncodeQuery: cp1251}
	r.Document([]byte("http://a.example/"))
	for ref, want := range map[string]string{
		"/я?q=я":        "http://a.example/%D1%8F?q=%FF",
		"/?q=а я&b=%41": "http://a.example/?q=%E0%20%FF&b=A",
		"/?q=€":         "http://a.example/?q=%26%238364%3B",
		"/?q=\nа\n":     "http://a.example/?q=%E0",
		"/?q=x":         "http://a.example/?q=x",
		"/я":            "http://a.example/%D1%8F",
		`\?q=я`:         "http://a.example/?q=%FF",
	} {
		if url, v := r.Resolve(nil, []byte(ref)); string(url) != want {
			t.Errorf("Resolve(%q) = %q (%v), want %q", ref, url, v, want)
		}
	}
	r.EncodeQuery = func(dst []byte, _ rune) ([]byte, bool) { return append(dst, 0x83, 'A', 0x83, '\\'), true }
	if url, _ := r.Resolve(nil, []byte("/?テ")); string(url) != `http://a.example/?%83A%83\` {
		t.Errorf("second bytes in ASCII: %q", url)
	}
}

// TestFastPath: the plain links that make up nearly all of the Web do not need the
// slow path, and neither path allocates for them.
func TestFastPath(t *testing.T) {
	var r Resolver
	r.Document([]byte(benchBase))
	dst := make([]byte, 0, DefaultMaxLen)
	for _, ref := range benchLinks {
		link := []byte(ref)
		colon, kind := schemeOf(link)
		if _, v := r.fast(dst, link, colon, kind); v == odd {
			t.Errorf("%q is not for the fast path", ref)
		}
		if n := testing.AllocsPerRun(10, func() { r.Resolve(dst, link) }); n != 0 {
			t.Errorf("%q: %v allocations", ref, n)
		}
	}
}

// TestDropTables: the tables fit their look-up.
func TestDropTables(t *testing.T) {
	for name := range dropNames {
		if len(name) > longestDrop || name != strings.ToLower(name) || !dropParameter([]byte(name+"=9f86d081884c7d659a2f")) {
			t.Errorf("parameter %q is in the table and not dropped", name)
		}
	}
	for word := range extensions {
		if len(word) > longestExtension || Extension([]byte("http://a.example/x."+word)) == ClassUnknown {
			t.Errorf("extension %q is in the table and not found", word)
		}
	}
}

// checkNormal reports what makes url no normal form.
func checkNormal(t *testing.T, url string) {
	t.Helper()
	var r Resolver
	if again, v := r.Resolve(nil, []byte(url)); string(again) != url || v != OK {
		t.Fatalf("not a fixed point: %q becomes %q (%v)", url, again, v)
	}
	if again, v := r.slow(nil, []byte(url)); string(again) != url || v != OK {
		t.Fatalf("not a fixed point of the slow path: %q becomes %q (%v)", url, again, v)
	}
	u, err := whatwg.Parse(url)
	if err != nil || u.Href(false) != url {
		t.Fatalf("a WHATWG parser reads %q as %v (%v)", url, u, err)
	}
	for _, c := range []byte(url) {
		if c <= ' ' || c >= utf8.RuneSelf-1 {
			t.Fatalf("byte %#x in %q", c, url)
		}
	}
}

func TestNormalFormIsFixed(t *testing.T) {
	for _, c := range resolveCases {
		if c.want != "" {
			checkNormal(t, c.want)
		}
	}
}

// Base returns the normal form of the base, valid until it changes.
func (r *Resolver) Base() []byte { return r.base }
