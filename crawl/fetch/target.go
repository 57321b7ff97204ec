package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// accept is what is asked for unless the caller says otherwise.
const accept = "text/html,application/xhtml+xml;q=0.9,*/*;q=0.5"

// codings are those that Decoder undoes.
const codings = "gzip, br, zstd, deflate"

// newRequest makes the request.
func (x *exchange) newRequest(ctx context.Context) (*http.Request, error) {
	u, err := target(x.r.URL, x.c.o.Proxy != nil)
	if err != nil {
		return nil, err
	}
	if err := x.guardTarget(u); err != nil {
		return nil, err
	}
	q := &http.Request{
		Method: http.MethodGet, URL: u, Host: u.Host, Header: x.header(),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Close: x.r.Last,
	}
	return q.WithContext(ctx), nil
}

// sent is the header of a request as it goes over the wire. The two exceptions are
// net/http's: an empty User-Agent keeps it from sending one of its own, and it says by
// itself that a connection is to be closed, where there is a way to say it.
func sent(q *http.Request, http2 bool) http.Header {
	h := q.Header
	if closes := q.Close && !http2; closes || h.Get("User-Agent") == "" {
		h = h.Clone()
		if closes {
			h["Connection"] = []string{"close"}
		}
		if h.Get("User-Agent") == "" {
			delete(h, "User-Agent")
		}
	}
	return h
}

func (x *exchange) header() http.Header {
	o, r := x.c.o, x.r
	h := make(http.Header, 6+len(o.Header)+len(r.Header))
	h["User-Agent"] = []string{o.UserAgent}
	h["Accept"] = []string{accept}
	h["Accept-Encoding"] = []string{codings}
	if r.Accept != "" {
		h["Accept"] = []string{r.Accept}
	}
	if validator(r.ETag) {
		h["If-None-Match"] = []string{r.ETag}
	}
	if validator(r.Modified) {
		h["If-Modified-Since"] = []string{r.Modified}
	}
	for _, more := range []http.Header{o.Header, r.Header} {
		for name, values := range more {
			h[http.CanonicalHeaderKey(name)] = values
		}
	}
	return h
}

// validator reports whether a value that a server gave may be sent back to it in a header.
func validator(s string) bool {
	return s != "" && len(s) <= 1024 && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// target is the URL of a request. What goes over the wire is exactly what stands in the
// normal form: net/url escapes and checks by rules of its own, so where the two differ
// the path is handed over as opaque. Behind a proxy a request names the whole URL.
func target(raw string, proxied bool) (*url.URL, error) {
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok || scheme != "http" && scheme != "https" {
		return nil, fmt.Errorf("%w: no scheme http or https", errURL)
	}
	rest, _, _ = strings.Cut(rest, "#")
	host, path := rest, ""
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	host = host[strings.LastIndexByte(host, '@')+1:]
	if host == "" {
		return nil, fmt.Errorf("%w: no host", errURL)
	}
	path, query, asks := strings.Cut(path, "?")
	if path == "" {
		path = "/"
	}
	u := &url.URL{Scheme: scheme, Host: host, RawPath: path, RawQuery: query, ForceQuery: asks && query == ""}
	plain, err := url.PathUnescape(path)
	if u.Path = plain; err != nil || u.EscapedPath() != path {
		u.Path, u.RawPath, u.Opaque = "", "", path
		if proxied && scheme == "http" || strings.HasPrefix(path, "//") {
			u.Opaque = "//" + host + path // in absolute form
		}
	}
	return u, nil
}

// hostPort is where a URL leads, with its port.
func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

var (
	errURL       = errors.New("not a URL to ask for")
	errNoAddress = errors.New("no address")
	// errPrivate and errPort are refusals of our own.
	errPrivate = errors.New("not an address of the public Web")
	errPort    = errors.New("not a port of the Web")
)

// guard refuses addresses that are not public, and some even where those are allowed.
func (c *Client) guard(ip netip.Addr) error {
	if Never(ip) || !c.o.AllowPrivate && Private(ip) {
		return fmt.Errorf("%v: %w", ip, errPrivate)
	}
	return nil
}

// guardTarget refuses ports of other services, and what a proxy would connect to without
// our seeing the address.
func (x *exchange) guardTarget(u *url.URL) error {
	if n, err := strconv.ParseUint(u.Port(), 10, 16); err == nil && !x.c.o.AllowPrivate && BadPort(uint16(n)) {
		return fmt.Errorf("%d: %w", n, errPort)
	}
	if x.c.o.Proxy == nil {
		return nil
	}
	addrs := x.r.Addrs
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
		addrs = []netip.Addr{ip}
	}
	for _, ip := range addrs {
		if err := x.c.guard(ip); err != nil {
			return err
		}
	}
	return nil
}
