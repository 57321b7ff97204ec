package page

import (
	"strings"
	"testing"
)

// TestSeedSecrets: a seed with a password is refused, and no message repeats the password.
func TestSeedSecrets(t *testing.T) {
	for _, seed := range []string{
		"http://me:s3cret@example.org/", "https://s3cret@example.org", "me:s3cret@example.org", "s3cret@example.org/a@b",
		"http:me:s3cret@example.org/", "https:///me:s3cret@example.org", "ftp://me:s3cret@example.org/", "http://me:s3cret@exa..mple.org/",
		"http://me:s3c ret@example.org/", "http://me:s3cret@example.org:99999/", "//me:s3cret@example.org/", "http://me:x@s3cret@example.org/",
	} {
		url, err := ParseSeed(seed)
		if err == nil || url != "" {
			t.Errorf("%q is taken for %q", seed, url)
		} else if strings.Contains(err.Error(), "s3c") {
			t.Errorf("%q: %v", seed, err)
		}
	}
}

// addressSpellings are hosts that the URL standard reads as an address of this machine or
// of its network, and the normal form of each. What is no address by that reading must
// not become one later. (The standard would read a few more, in wide digits and escapes, as
// addresses; here they are no links at all.)
var addressSpellings = map[string]string{
	"0177.0.0.1": "127.0.0.1", "0x7f.1": "127.0.0.1", "2130706433": "127.0.0.1", "0x7f000001": "127.0.0.1", "017700000001": "127.0.0.1",
	"127.1": "127.0.0.1", "127.0.1": "127.0.0.1", "0": "0.0.0.0", "0x0": "0.0.0.0", "00.0x.0": "0.0.0.0", "127.0.0.1.": "127.0.0.1",
	"１２７.０.０.１": "", "127。0。0。1": "", "%31%32%37.0.0.1": "", "3232235521": "192.168.0.1", "169.254.43518": "169.254.169.254",
	"[::1]": "[::1]", "[0:0::0:1]": "[::1]", "[::ffff:127.0.0.1]": "[::ffff:7f00:1]", "[64:FF9B::127.0.0.1]": "[64:ff9b::7f00:1]",
	"256.1.1.1": "", "1.2.3.4.5": "", "0x100000000": "", "127.0.0.08": "", "[::1%25eth0]": "", "[fe80::1%eth0]": "", "[::1": "", "127.0.0.1:0x50": "",
}

// TestAddressSpellings: every spelling of an address is one address in the normal form, so
// that the guard behind the resolver sees it.
func TestAddressSpellings(t *testing.T) {
	for host, want := range addressSpellings {
		var r Resolver
		url, v := r.Resolve(nil, []byte("http://"+host+"/"))
		if want == "" {
			if v.Usable() {
				t.Errorf("%s becomes %s", host, url)
			}
			continue
		}
		if got := string(Host(url)); !v.Usable() || got != want {
			t.Errorf("%s becomes %q, %v, want %s", host, url, v, want)
		}
	}
}

// TestHostileSchemes: only http and https are links, whatever a link looks like.
func TestHostileSchemes(t *testing.T) {
	var r Resolver
	r.Document([]byte("https://a.example/"))
	for _, href := range []string{"file:///etc/passwd", "FILE:/etc/passwd", "ftp://a.example/", "gopher://a.example:25/", "javascript:alert(1)",
		"java\nscript:alert(1)", " \x01javascript:alert(1)", "data:text/html,x", "dict://a.example/", "ldap://a.example/", "jar:http://a.example!/", "view-source:http://a.example/", "ws://a.example/", "unix:/var/run/docker.sock", "http+unix://x/", "blob:https://a.example/1"} {
		if url, v := r.Resolve(nil, []byte(href)); v.Usable() {
			t.Errorf("%q becomes %s", href, url)
		}
	}
}

// TestLineEndsInURLs: no normal form has a control character or a space, wherever it stood.
func TestLineEndsInURLs(t *testing.T) {
	var r Resolver
	r.Document([]byte("https://a.example/"))
	for _, piece := range []string{"\r\n", "\n", "\r", "\t", "\x00", "\x1b[31m", "\x7f", " ", "\u0085", "\u2028", "\u202e", "\u009b", "\xff", "\v", "\f"} {
		for _, form := range []string{"/a%sb", "/?a%sb", "https://b.example/%s", "https://b%s.example/", "ht%stps://b.example/", "https://b.example%s/", "https://b.example:8%s0/", "//%s/", "#%s", ";%s=%s"} {
			url, v := r.Resolve(nil, []byte(strings.ReplaceAll(form, "%s", piece)))
			for _, c := range url {
				if c <= ' ' || c >= 0x7f {
					t.Errorf("%q with %q: %q, %v", form, piece, url, v)
				}
			}
		}
	}
}
