package page

import (
	"strings"
	"testing"
)

// seedCases: what people type, and the normal form or a word of the error.
var seedCases = []struct{ text, want, err string }{
	{text: "example.org", want: "https://example.org/"},
	{text: "  Example.ORG/Docs \n", want: "https://example.org/Docs"},
	{text: "www.example.co.uk/a?b#c", want: "https://www.example.co.uk/a?b"},
	{text: "example.org:8080", want: "https://example.org:8080/"},
	{text: "example.org:8080/x:y", want: "https://example.org:8080/x:y"},
	{text: "//example.org/x", want: "https://example.org/x"},
	{text: "http://example.org", want: "http://example.org/"},
	{text: "HTTPS://example.org", want: "https://example.org/"},
	{text: "bücher.de", want: "https://xn--bcher-kva.de/"},
	{text: "localhost", want: "http://localhost/"},
	{text: "localhost:8080/x", want: "http://localhost:8080/x"},
	{text: "127.0.0.1:8080", want: "http://127.0.0.1:8080/"},
	{text: "[::1]:8080", want: "http://[::1]:8080/"},
	{text: "a.example", want: "https://a.example/"},
	{text: "http://intranet/", want: "http://intranet/"},
	{text: "foo.github.io", want: "https://foo.github.io/"},
	{text: "https://seeds.txt/", want: "https://seeds.txt/"},

	{text: "", err: "is empty"},
	{text: "  ", err: "is empty"},
	{text: "a.example b.example", err: "white space"},
	{text: "mailto:me@example.org", err: `scheme "mailto"`},
	{text: "ftp://example.org/", err: `scheme "ftp"`},
	{text: "http:example.org", err: "http://example.org"},
	{text: "https:///example.org", err: "https://example.org"},
	{text: "http://", err: "no host"},
	{text: "intranet", err: "http://intranet/"},
	{text: "seeds.txt", err: `no top-level domain "txt"`},
	{text: "./seeds", err: "--seeds"},
	{text: "/etc/seeds", err: "--seeds"},
	{text: "http://me:secret@example.org/", err: "password"},
	{text: "me@example.org", err: "user name"},
	{text: "http://example.org:99999/", err: "port"},
	{text: "example.org:80a", err: "port"},
	{text: "http://exa mple.org/", err: "white space"},
	{text: "http://exa..mple.org/", err: `host "exa..mple.org"`},
	{text: "https://example.org/" + strings.Repeat("x", DefaultMaxLen), err: "longer than 2048"},
}

func TestParseSeed(t *testing.T) {
	for _, c := range seedCases {
		url, err := ParseSeed(c.text)
		switch {
		case c.err == "" && (err != nil || url != c.want):
			t.Errorf("ParseSeed(%q) = %q, %v; want %q", c.text, url, err, c.want)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("ParseSeed(%q) = %q, %v; want an error with %q", c.text, url, err, c.err)
		case c.err != "" && !strings.HasPrefix(err.Error(), "seed "):
			t.Errorf("ParseSeed(%q): the error does not name the seed: %v", c.text, err)
		}
	}
}
