package crawl

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
)

// What the cases of the outside review share: tests whose names begin with TestCase.

// countOf is how many URLs of a list begin with a prefix.
func countOf(list []string, prefix string) (n int) {
	for _, u := range list {
		if strings.HasPrefix(u, prefix) {
			n++
		}
	}
	return n
}

// ownWords is a text of sixty words that no other name has.
func ownWords(name string) string {
	h := uint64(1469598103934665603)
	for _, c := range []byte(name) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	var b strings.Builder
	for range 60 {
		h = h*6364136223846793005 + 1442695040888963407
		n := h >> 33
		for range 5 {
			b.WriteByte('a' + byte(n%26))
			n /= 26
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// ownPage answers with a page of its own words, and with links.
func ownPage(urls ...string) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(rw, "<title>%s</title><p>%s", ownWords(r.Host + r.URL.Path)[:20], ownWords(r.Host+r.URL.RequestURI()))
		for _, u := range urls {
			fmt.Fprintf(rw, `<a href="%s">x</a>`, u)
		}
	}
}

// publicAddr is a public address for each number.
func publicAddr(i int) netip.Addr { return netip.AddrFrom4([4]byte{93, 184, byte(i >> 8), byte(i)}) }
