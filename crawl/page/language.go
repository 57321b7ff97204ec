package page

import (
	"regexp"
	"strings"
)

// htmlLang finds the language that a page declares, and headLang that of its header. Only the
// first part of a tag such as de-AT counts.
var (
	htmlLang = regexp.MustCompile(`(?i)<html\b[^>]*\blang\s*=\s*["']?\s*([a-z]{2,3})\b`)
	headLang = regexp.MustCompile(`(?i)^\s*([a-z]{2,3})\b`)
)

// LanguageWithin is the number of bytes at the beginning of a page in which its language is
// looked for.
const LanguageWithin = 8 << 10

// Language returns the language that a page declares: by the lang attribute of its html element,
// or else by the value of its header Content-Language. It is empty if it declares none.
func Language(html []byte, header string) string {
	if m := htmlLang.FindSubmatch(html[:min(len(html), LanguageWithin)]); m != nil {
		return strings.ToLower(string(m[1]))
	}
	if m := headLang.FindStringSubmatch(header); m != nil {
		return strings.ToLower(m[1])
	}
	return ""
}
