package page

import (
	"bytes"
	"slices"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// slow appends the normal form of any link, by a full WHATWG parser: international
// names, user names, backslashes, addresses in strange notation, text that is not
// UTF-8. Its result is copied as in the fast path, which decodes
// escapes and drops parameters.
func (r *Resolver) slow(dst, ref []byte) ([]byte, Verdict) {
	ref = mapCapitalSharpS(ref)
	// An empty fragment at the end, because the parser trims white space: white
	// space before the fragment, which is already removed, belongs to the link.
	u, err := r.parse(string(ref) + "#")
	switch {
	case err != nil:
		return dst, Malformed
	case u.Scheme() != "http" && u.Scheme() != "https":
		return dst, NotHTTP
	case u.Username() != "" || u.Password() != "":
		return dst, Credentials
	}
	host, ok := checkedHost(u, ref)
	if !ok {
		return dst, Malformed
	}
	dst = append(dst, u.Scheme()...)
	dst = append(dst, "://"...)
	dst = append(dst, host...)
	if port := u.Port(); port != "" {
		dst = append(dst, ':')
		dst = append(dst, port...)
	}
	root := len(dst)
	path := strings.TrimPrefix(u.Pathname(), "/")
	dst, v := appendPath(append(dst, '/'), root, []byte(path))
	if v == OK {
		dst, v = appendQuery(dst, []byte(u.Query()))
	}
	if v == odd { // cannot be: the parser leaves nothing that is odd
		return dst, Malformed
	}
	return dst, v
}

// parse reads ref relative to the base.
func (r *Resolver) parse(ref string) (*whatwg.Url, error) {
	if len(r.base) == 0 {
		return whatwg.Parse(ref)
	}
	if r.parsed == nil {
		base, err := whatwg.Parse(string(r.base))
		if err != nil {
			return nil, err
		}
		r.parsed = base
	}
	return r.parsed.Parse(ref)
}

// checkedHost returns the host in normal form, and whether we believe it.
//
//   - An IPv4 address may be written in any way the standard knows, with octal and
//     hexadecimal numbers, but in ASCII digits without signs. The parser takes "+1"
//     and "-1" for numbers (the standard does not); serious authors write no
//     address that way, or in full-width digits.
//   - Names end without a dot (the same name to DNS, and a second copy of the whole
//     site to us) and have labels that DNS can hold.
//   - Punycode must survive a second parse: the tables of the IDNA library and its
//     exceptions let some names out that it does not let in again.
//   - A dot at the end must have been there: of "example.xn--" the parser leaves
//     "example.", another name.
//
// A link without a host has that of its base, which was looked at.
func checkedHost(u *whatwg.Url, ref []byte) (string, bool) {
	host := u.Hostname()
	raw, _, own := rawHost(ref)
	switch {
	case !own:
		return strings.TrimSuffix(host, "."), true
	case u.IsIPv4():
		return host, len(bytes.Trim(raw, "0123456789abcdefABCDEFxX.:")) == 0
	case strings.HasPrefix(host, "["):
		return host, oneBracketed(raw)
	}
	host, dot := strings.CutSuffix(host, ".")
	if dot && !endsInDot(raw) {
		return "", false
	}
	if !resolvable([]byte(host)) {
		return "", false
	}
	if strings.Contains(host, "xn--") {
		again, err := whatwg.Parse("http://" + host)
		return host, err == nil && again.Hostname() == host
	}
	return host, true
}

// rawHost returns host and port as written in a link that has them, and where they begin.
// Other links have the host of their base.
func rawHost(ref []byte) (host []byte, at int, ok bool) {
	rest := ref
	if colon, kind := schemeOf(ref); kind == httpScheme {
		rest, ok = ref[colon+1:], true
	}
	slashes := len(rest)
	rest = bytes.TrimLeft(rest, `/\`)
	if slashes -= len(rest); !ok && slashes < 2 {
		return nil, 0, false
	}
	at = len(ref) - len(rest)
	if i := bytes.IndexAny(rest, `/\?`); i >= 0 {
		rest = rest[:i]
	}
	user := bytes.LastIndexByte(rest, '@') + 1
	return rest[user:], at + user, true
}

// oneBracketed reports whether a raw host is one thing in brackets, perhaps with a port. The
// parser takes "[[::1]" for "[::1]".
func oneBracketed(raw []byte) bool {
	end := bytes.IndexByte(raw, ']')
	return end > 0 && bytes.LastIndexByte(raw, '[') == 0 && bytes.LastIndexByte(raw, ']') == end
}

// endsInDot reports whether a raw host, perhaps with a port, ends in a dot, or in what means
// one.
func endsInDot(raw []byte) bool {
	if i := bytes.LastIndexByte(raw, ':'); i >= 0 {
		raw = raw[:i]
	}
	for _, dot := range []string{".", "\u3002", "\uff0e", "\uff61", "%2e", "%2E"} {
		if bytes.HasSuffix(raw, []byte(dot)) {
			return true
		}
	}
	return false
}

// mapCapitalSharpS makes a small letter of the capital sharp s in a host, as IDNA does
// since Unicode 15.1. The tables of the parser are older and make "ss" of it: another
// name.
func mapCapitalSharpS(ref []byte) []byte {
	const capital, small = "\u1e9e", "\u00df"
	if !bytes.Contains(ref, []byte(capital)) {
		return ref
	}
	host, at, ok := rawHost(ref)
	if !ok {
		return ref
	}
	return slices.Concat(ref[:at], bytes.ReplaceAll(host, []byte(capital), []byte(small)), ref[at+len(host):])
}
