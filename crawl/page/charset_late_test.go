package page

import (
	"strings"
	"testing"
)

// A meta element beyond the first 1,024 bytes counts as long as the head continues, and not
// in a comment, a script or another raw text.
func TestLateCharset(t *testing.T) {
	const meta = `<meta charset="ISO-8859-9">`
	long := strings.Repeat("x", 1100)
	for _, test := range []struct{ name, page, want string }{
		{"after a comment", "<!-- " + long + "-->\n" + meta, "windows-1254"},
		{"across the limit", "<!--" + strings.Repeat("x", 1024-len("<!---->")-5) + "-->" + meta, "windows-1254"},
		{"after scripts and styles", "<!DOCTYPE html><html><head><script>if (a</*" + long + "*/b) '<meta charset=koi8-r>'</script><style>" + long + "</style>" + meta, "windows-1254"},
		{"after a title with it", "<title>" + long + "<meta charset=koi8-r></title>" + meta, "windows-1254"},
		{"as http-equiv", "<link href='" + long + "'><META HTTP-EQUIV=Content-Type CONTENT='text/html; charset=windows-1251'>", "windows-1251"},
		{"utf-16 is not meant", "<!--" + long + "--><meta charset=utf-16>", "utf-8"},
		{"the first counts", "<!--" + long + "--><meta charset=koi8-r>" + meta, "koi8-r"},
		{"an early one wins", "<meta charset=koi8-r><!--" + long + "-->" + meta, "koi8-r"},
		{"a label that nobody knows", "<!--" + long + "--><meta charset=none>" + meta, "windows-1254"},
		{"in a comment", "<!--" + long + meta + "-->", "utf-8"},
		{"in a script", "<script>" + long + meta + "</script>", "utf-8"},
		{"in a title", "<title>" + long + meta + "</title>", "utf-8"},
		{"in the body", "<head><!--" + long + "--></head>" + meta, "utf-8"},
		{"after a paragraph", "<!--" + long + "--><p>" + meta, "utf-8"},
		{"in a tag without end", "<!--" + long + "--><meta charset=koi8-r", "utf-8"},
	} {
		if got := DetectCharset([]byte(test.page), ""); got.Name != test.want || (got.Source == CharsetMeta) != (test.want != "utf-8" || strings.Contains(test.page, "utf-16")) {
			t.Errorf("%s: %v, want %s", test.name, got, test.want)
		}
	}
	if got := DetectCharset([]byte("<!--"+long+"-->"+meta), "text/html; charset=utf-8"); got.Source != CharsetHTTP {
		t.Errorf("the header does not win: %v", got)
	}
}
