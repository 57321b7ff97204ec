package page

import "testing"

// Normal forms keep what tells pages apart.
func TestCaseNormal(t *testing.T) {
	var r Resolver
	r.Document([]byte("http://a.example/dir/page"))
	for _, c := range []struct{ in, want string }{
		{"view.php?pk_noticia=12", "http://a.example/dir/view.php?pk_noticia=12"},
		{"view.php?pk_id=12&x=1", "http://a.example/dir/view.php?pk_id=12&x=1"},
		{"view.php?mtm_id=1&piwik_x=2", "http://a.example/dir/view.php?mtm_id=1&piwik_x=2"},
		{"view.php?pk_campaign=1&x=1&PK_kwd=2&mtm_source=3&mtm_cid=4&matomo_campaign=5", "http://a.example/dir/view.php?x=1"},
		{"?session=abc123def456ab78cd", "http://a.example/dir/page"},
		{"http://a.example/a/%2e%2e/b", "http://a.example/b"},
		{"http:\\\\a.example\\x", "http://a.example/x"},
		{"//b.example:80/", "http://b.example/"},
		{"http://a.example./x", "http://a.example/x"},
		{"http://a.example。/x", "http://a.example/x"},
		{"http://a.example%2E:8080/x", "http://a.example:8080/x"},
		{"http://ex%61mple.com/", "http://example.com/"},
		{"http://a.example/a;b=1/../c", "http://a.example/c"},
		{"http://xn--zca.example/", "http://xn--zca.example/"},
		{"http://faß.example/", "http://xn--fa-hia.example/"},
		{"http://ẞ.example/ẞ", "http://xn--zca.example/%E1%BA%9E"}, // not ss.example
		{"/ẞ?ẞ", "http://a.example/%E1%BA%9E?%E1%BA%9E"},
		{"http://a.example/x?a=b c", "http://a.example/x?a=b%20c"},
		{"http://0x7f.1/", "http://127.0.0.1/"},
		{"http://a_b.example/", "http://a_b.example/"},
		{"http://[::FFFF:127.0.0.1]/", "http://[::ffff:7f00:1]/"},
		{"http://[::1]:8080\\x", "http://[::1]:8080/x"},
		{"http://a.example:65536/", ""},
		{"http://a.example/\u202e", "http://a.example/%E2%80%AE"},
	} {
		if got, v := r.Resolve(nil, []byte(c.in)); string(got) != c.want {
			t.Errorf("%q: %s (%v), want %s", c.in, got, v, c.want)
		}
	}
}

// A link without a host has the host of its base, whatever that looks like, and however
// odd the link.
func TestOddLinksOfAddresses(t *testing.T) {
	for base, want := range map[string]string{
		"http://127.0.0.1/": "http://127.0.0.1/%C3%BC/x", "http://[::1]:8080/": "http://[::1]:8080/%C3%BC/x", "http://b.example./": "http://b.example/%C3%BC/x",
	} {
		var r Resolver
		r.Document([]byte(base))
		for _, ref := range []string{"/ü\\x", "ü\\x", "\\ü\\x"} {
			if got, v := r.Resolve(nil, []byte(ref)); string(got) != want {
				t.Errorf("%s from %s: %s (%v)", ref, base, got, v)
			}
		}
	}
}
