package page

import (
	"bytes"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// slow appends the normal form of any link, by a full WHATWG parser: international
// names, user names, backslashes, addresses in strange notation, text that is not
// UTF-8. What that parser gives is copied as in the fast path, which decodes
// escapes and drops parameters.
func (r *Resolver) slow(dst, ref []byte) ([]byte, Verdict) {
	// An empty fragment at the end, because the parser trims white space: what stood
	// before the fragment, which is off already, belongs to the link.
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

// checkedHost is the host in normal form, and whether we believe it.
//
//   - An IPv4 address may be written in any way the standard knows, with octal and
//     hexadecimal numbers, but in ASCII digits without signs. The parser takes "+1"
//     and "-1" for numbers (the standard does not); nobody writes an address that
//     way, or in full-width digits, who wants to be read.
//   - Names end without a dot (the same name to DNS, and a second copy of the whole
//     site to us) and have labels that DNS can hold.
//   - Punycode must survive a second parse: the tables of the IDNA library and its
//     exceptions let some names out that it does not let in again.
func checkedHost(u *whatwg.Url, ref []byte) (string, bool) {
	host := u.Hostname()
	if u.IsIPv4() {
		return host, len(bytes.Trim(rawHost(ref), "0123456789abcdefABCDEFxX.:")) == 0
	}
	if strings.HasPrefix(host, "[") {
		return host, true
	}
	host = strings.TrimSuffix(host, ".")
	if !resolvable([]byte(host)) {
		return "", false
	}
	if strings.Contains(host, "xn--") {
		again, err := whatwg.Parse("http://" + host)
		return host, err == nil && again.Hostname() == host
	}
	return host, true
}

// rawHost is host and port as they stand in a link that has them.
func rawHost(ref []byte) []byte {
	if colon, kind := schemeOf(ref); kind == httpScheme {
		ref = ref[colon+1:]
	}
	ref = bytes.TrimLeft(ref, `/\`)
	if i := bytes.IndexAny(ref, `/\?`); i >= 0 {
		ref = ref[:i]
	}
	return ref[bytes.LastIndexByte(ref, '@')+1:]
}
