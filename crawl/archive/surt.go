package archive

import (
	"slices"
	"strings"
)

// surt is the key by which an index sorts: the host turned round, so that the pages of a
// domain stand together, then path and query,
//
//	https://www.example.org:8080/a?y=1&x=2  ->  org,example:8080)/a?x=2&y=1
//
// all in lower case, without www and default ports, the parts of the query sorted: URLs
// that differ in this alone are usually one page. Other schemes are their own key.
func surt(url string) string {
	lower := strings.ToLower(url)
	scheme, rest, ok := strings.Cut(lower, "://")
	if !ok || scheme != "http" && scheme != "https" {
		return visible(lower)
	}
	rest, _, _ = strings.Cut(rest, "#")
	authority, target := splitURL("://" + rest)
	host, port := splitPort(authority)
	if scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		port = ""
	}
	key := turned(withoutWWW(host))
	if port != "" {
		key += ":" + port
	}
	return visible(key + ")" + sortQuery(target))
}

func splitPort(authority string) (host, port string) {
	i := strings.LastIndexByte(authority, ':')
	if i < 0 || i < strings.LastIndexByte(authority, ']') {
		return authority, ""
	}
	return authority[:i], authority[i+1:]
}

// withoutWWW takes off www. and www2. where something is left.
func withoutWWW(host string) string {
	first, rest, ok := strings.Cut(host, ".")
	n, isWWW := strings.CutPrefix(first, "www")
	if ok && isWWW && (n == "" || digits(n)) && strings.Contains(rest, ".") {
		return rest
	}
	return host
}

// turned writes the labels of a host from right to left; an IPv6 address stays.
func turned(host string) string {
	if strings.HasPrefix(host, "[") {
		return host
	}
	labels := strings.Split(strings.Trim(host, "."), ".")
	slices.Reverse(labels)
	return strings.Join(labels, ",")
}

func sortQuery(target string) string {
	path, query, ok := strings.Cut(target, "?")
	if !ok || query == "" {
		return path
	}
	parts := strings.Split(query, "&")
	slices.Sort(parts)
	return path + "?" + strings.Join(parts, "&")
}

// visible escapes what would break a line of an index: spaces, control characters, and
// bytes that are not ASCII.
func visible(s string) string {
	const hexDigits = "0123456789abcdef"
	var b []byte
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f {
			b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
		} else {
			b = append(b, c)
		}
	}
	return string(b)
}
