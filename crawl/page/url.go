package page

import (
	"bytes"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// DefaultMaxLen is the longest normal form accepted where Resolver.MaxLen is 0, in
// bytes. Browsers and servers take 2,000 everywhere and not much more; longer ones
// are traps with few exceptions.
const DefaultMaxLen = 2048

// rawFactor bounds the work on one link: text of more than rawFactor*MaxLen bytes
// (before the fragment) is too long without a look. It may shrink, by dot segments
// and tracking parameters, but not honestly to a quarter.
const rawFactor = 4

// A Verdict is the result of resolving a link.
type Verdict uint8

const (
	OK          Verdict = iota // a normal form
	Fragment                   // a normal form; a fragment was dropped
	NotHTTP                    // a scheme we do not fetch: mailto, javascript, data, tel, ftp...
	Malformed                  // no URL by the WHATWG standard, or a host that no DNS can hold
	TooLong                    // longer than MaxLen
	Credentials                // holds a user name or a password: refused

	odd // within the package: not for the fast path
)

// Usable reports whether there is a normal form.
func (v Verdict) Usable() bool { return v <= Fragment }

// String returns the word for counters and messages.
func (v Verdict) String() string {
	switch v {
	case OK:
		return "ok"
	case Fragment:
		return "fragment dropped"
	case NotHTTP:
		return "not http"
	case Malformed:
		return "malformed"
	case TooLong:
		return "too long"
	case Credentials:
		return "credentials"
	}
	return "unknown verdict"
}

// A Resolver turns the links of one document into normal forms. The zero value has
// no base and takes absolute URLs only. It is meant to be kept and reused; it is not
// safe for concurrent use.
type Resolver struct {
	// MaxLen bounds the normal form in bytes; 0 means DefaultMaxLen.
	MaxLen int

	// EncodeQuery appends one non-ASCII character in the charset of the document,
	// or returns false if that charset has no such character. Browsers send the query
	// of a link, and nothing else of it, in the document's charset, and old sites
	// rely on it. Nil means UTF-8, the charset of nearly all documents (and, by the
	// standard, of those in UTF-16 too).
	EncodeQuery func(dst []byte, char rune) ([]byte, bool)

	base    []byte // normal form, or empty
	siteEnd int    // base[:siteEnd] is the site; base[siteEnd] is the first slash of the path
	dirEnd  int    // base[:dirEnd] ends in the last slash of the path
	pathEnd int    // base[:pathEnd] is all but the query

	parsed  *whatwg.Url // base for the slow path, nil until it is needed
	scratch []byte      // a link without tabs and newlines, or in another charset
	newBase []byte      // the next base while it is made; swapped with base
}

// Document sets the base to the URL of a document, which must be absolute and not lie in
// the memory of the base before it. When it is not usable the Resolver has no base.
func (r *Resolver) Document(url []byte) Verdict {
	if r.newBase == nil {
		r.newBase = r.base[:0] // one document needs one buffer: without <base> there is no other
	}
	r.setBase(nil)
	return r.Rebase(url)
}

// Rebase sets the base to a link, as <base href> does. If the link is not usable
// the base stays as it was, as the HTML standard demands.
func (r *Resolver) Rebase(ref []byte) Verdict {
	url, v := r.Resolve(r.newBase[:0], ref)
	if v.Usable() {
		r.newBase = r.base
		r.setBase(url)
	}
	return v
}

// setBase notes where the parts of a normal form lie.
func (r *Resolver) setBase(url []byte) {
	r.base, r.parsed = url, nil
	r.siteEnd, r.dirEnd, r.pathEnd = 0, 0, 0
	if len(url) == 0 {
		return
	}
	site, rest := Site(url)
	r.siteEnd = len(site)
	if i := bytes.IndexByte(rest, '?'); i >= 0 {
		rest = rest[:i]
	}
	r.pathEnd = r.siteEnd + len(rest)
	r.dirEnd = bytes.LastIndexByte(url[:r.pathEnd], '/') + 1
}

// maxLen returns the limit in force.
func (r *Resolver) maxLen() int {
	if r.MaxLen > 0 {
		return r.MaxLen
	}
	return DefaultMaxLen
}

// Resolve appends the normal form of a link to dst. If there is none, it returns
// dst unchanged. The link is the value of the attribute, in UTF-8 and with
// character references already decoded.
func (r *Resolver) Resolve(dst, ref []byte) ([]byte, Verdict) {
	ref = trimControls(ref)
	good := OK
	if i := bytes.IndexByte(ref, '#'); i >= 0 {
		ref, good = ref[:i], Fragment
	}
	url, v := r.normal(dst, ref)
	if v == OK && len(url)-len(dst) > r.maxLen() {
		v = TooLong
	}
	if v != OK {
		return url[:len(dst)], v // what was written behind dst is scratch
	}
	return url, good
}

// normal appends the normal form of a link without fragment, of any length.
func (r *Resolver) normal(dst, ref []byte) ([]byte, Verdict) {
	colon, kind := schemeOf(ref)
	if kind == otherScheme {
		return dst, NotHTTP // before the length: pictures in data: URLs are long
	}
	if len(ref) > rawFactor*r.maxLen() {
		return dst, TooLong
	}
	if r.EncodeQuery != nil {
		ref = r.encodeQuery(ref)
	}
	url, v := r.fast(dst, ref, colon, kind)
	if v != odd {
		return url, v
	}
	if bytes.ContainsAny(ref, "\t\n\r") {
		return r.normal(url[:len(dst)], r.joinLines(ref))
	}
	return r.slow(url[:len(dst)], ref)
}

// joinLines takes out tabs and newlines, which the standard ignores anywhere in a
// URL: people break long links in their editors.
func (r *Resolver) joinLines(ref []byte) []byte {
	clean := r.scratch[:0] // ref may lie in scratch already: the write never overtakes the read
	for _, c := range ref {
		if c != '\t' && c != '\n' && c != '\r' {
			clean = append(clean, c)
		}
	}
	r.scratch = clean
	return clean
}

// trimControls takes control characters and spaces off both ends.
func trimControls(ref []byte) []byte {
	for len(ref) > 0 && ref[0] <= ' ' {
		ref = ref[1:]
	}
	for len(ref) > 0 && ref[len(ref)-1] <= ' ' {
		ref = ref[:len(ref)-1]
	}
	return ref
}
