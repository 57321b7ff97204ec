package config

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"golang.org/x/net/http/httpguts"
)

// checkNames checks how the crawler identifies itself.
func (c *Config) checkNames() error {
	if c.Contact != "" && !isContact(c.Contact) {
		return &KeyError{"contact", "you@example.org", fmt.Errorf("%q: want a mail address or a URL", c.Contact)}
	}
	if firstControl(c.UserAgent) >= 0 {
		return keyErrorf("user_agent", "%q: only printable ASCII can be sent", c.UserAgent)
	}
	if c.UserAgent != "" && robots.Token(c.UserAgent) == "" {
		return keyErrorf("user_agent", "%q: it must begin with a name of letters, which robots.txt files can address", c.UserAgent)
	}
	return nil
}

// isContact reports whether somebody can be reached there: a mail address, or a URL. In a
// User-Agent header it stands in parentheses.
func isContact(text string) bool {
	if firstControl(text) >= 0 || strings.ContainsAny(text, "() ") {
		return false
	}
	if u, err := url.Parse(text); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
		return u.Host != ""
	}
	name, host, _ := strings.Cut(text, "@")
	return name != "" && host != "" && !strings.Contains(host, "@")
}

// firstControl finds a byte that no header can have: not printable ASCII.
func firstControl(text string) int {
	return strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}

// checkAddresses looks at resolver, proxy and metrics.
func (c *Config) checkAddresses() error {
	if _, err := c.ResolverAddress(); err != nil {
		return err
	}
	if _, err := c.ProxyURL(); err != nil {
		return err
	}
	if _, err := c.NoticesAddress(); err != nil {
		return err
	}
	if _, err := c.UIAddress(); err != nil {
		return err
	}
	_, err := c.MetricsAddress()
	return err
}

// ResolverAddress returns the DNS server with its port, "" for that of the system.
func (c *Config) ResolverAddress() (string, error) {
	if c.Resolver == "" {
		return "", nil
	}
	if addr, err := netip.ParseAddr(c.Resolver); err == nil {
		return netip.AddrPortFrom(addr, 53).String(), nil
	}
	at, err := netip.ParseAddrPort(c.Resolver)
	if err != nil || at.Port() == 0 {
		return "", &KeyError{"resolver", "127.0.0.1:5353", fmt.Errorf("%q: want an IP address, with or without a port", c.Resolver)}
	}
	return at.String(), nil
}

// ProxyURL returns the proxy, nil for none.
func (c *Config) ProxyURL() (*url.URL, error) {
	if c.Proxy == "" {
		return nil, nil
	}
	u, err := url.Parse(c.Proxy)
	switch {
	case err != nil: // it is not repeated: it may have a password
		return nil, &KeyError{"proxy", "http://127.0.0.1:3128", errors.New("not a URL")}
	case !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) || u.Host == "" || u.Path != "" && u.Path != "/":
		return nil, &KeyError{"proxy", "http://127.0.0.1:3128", fmt.Errorf("%q: want the URL of a proxy: http, https or socks5", u.Redacted())}
	}
	return u, nil
}

// MetricsAddress returns where metrics are served, "" for nowhere. Without a host it is on
// loopback; other addresses need a token: nothing of a crawl is open to the network unless
// the user demands it twice.
func (c *Config) MetricsAddress() (string, error) {
	return ownAddress("metrics", c.Metrics, "9090", c.MetricsToken)
}

// UIAddress returns where the dashboard is served, "" for nowhere, by the same rules.
func (c *Config) UIAddress() (string, error) { return ownAddress("ui", c.UI, "8800", c.UIToken) }

// ownAddress returns the address of a key, at which the crawl itself serves something. usual is a
// port for hints.
func ownAddress(key, text, usual, token string) (string, error) {
	if text == "" {
		return "", nil
	}
	host, port, ok := hostPort(text)
	if !ok {
		return "", &KeyError{key, "127.0.0.1:" + usual, fmt.Errorf("%q: want a port, or an address and a port", text)}
	}
	if token == "" && !Loopback(host) {
		return "", &KeyError{key, "127.0.0.1:" + port, fmt.Errorf("%q is open to other machines and needs %s_token", text, key)}
	}
	return net.JoinHostPort(host, port), nil
}

// Loopback reports whether a host is this machine alone.
func Loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// NoticesAddress returns where notices are received, "" for nowhere. Without a host it is on
// loopback.
func (c *Config) NoticesAddress() (string, error) {
	if c.Notices == "" {
		return "", nil
	}
	host, port, ok := hostPort(c.Notices)
	if !ok {
		return "", &KeyError{"notices", "127.0.0.1:9091", fmt.Errorf("%q: want a port, or an address and a port", c.Notices)}
	}
	switch {
	case c.Recrawl.Duration <= 0:
		return "", &KeyError{"recrawl", "7d", errors.New("notices say which pages to visit again, and it is 0")}
	case !c.Planned():
		return "", &KeyError{"revisit", "default", errors.New("notices say which pages to visit again, and each page has its own time")}
	}
	return net.JoinHostPort(host, port), nil
}

// hostPort splits an address. Without a host it is loopback.
func hostPort(text string) (host, port string, ok bool) {
	host, port, err := net.SplitHostPort(text)
	if _, number := strconv.ParseUint(text, 10, 16); number == nil {
		host, port, err = "", text, nil
	}
	if host == "" {
		host = "127.0.0.1"
	}
	_, number := strconv.ParseUint(port, 10, 16)
	return host, port, err == nil && number == nil
}

// Agent returns the User-Agent header that a version of the program sends. It shows the
// owners of servers whom to contact.
func (c *Config) Agent(version string) string {
	agent := c.UserAgent
	if agent == "" {
		agent = "winnow"
		if version != "" {
			agent += "/" + version
		}
	}
	if c.Contact == "" || strings.Contains(agent, c.Contact) {
		return agent
	}
	return agent + " (+" + c.Contact + ")"
}

// Product returns the name that robots.txt files are read for.
func (c *Config) Product() string { return robots.Token(c.Agent("")) }

// ownHeader reports whether only the crawler sets a header, and which key to use instead.
func ownHeader(name string) (instead string, own bool) {
	switch http.CanonicalHeaderKey(name) {
	case "User-Agent":
		return "user_agent", true
	case "Host", "Connection", "Content-Length", "Transfer-Encoding", "Accept-Encoding", "If-Modified-Since",
		"If-None-Match", "Range", "Proxy-Authorization", "Te", "Trailer", "Upgrade", "Keep-Alive", "Expect":
		return "", true
	}
	return "", false
}

// checkHeaders looks at the headers for all sites.
func (c *Config) checkHeaders() error {
	for _, line := range c.Header {
		if err := checkHeader(line); err != nil {
			return &KeyError{"header", "", err}
		}
	}
	return nil
}

func checkHeader(line string) error {
	name, value, ok := strings.Cut(line, ":")
	shown := line
	if fetch.SecretHeader(line) {
		shown = strings.Fields(name + " ")[0] + " ..."
	}
	if !ok || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(strings.TrimSpace(value)) {
		return fmt.Errorf("%q: want \"Name: value\"", shown)
	}
	if instead, own := ownHeader(name); instead != "" {
		return fmt.Errorf("%q: use %s instead", shown, instead)
	} else if own {
		return fmt.Errorf("%q: the crawler sets %s itself", shown, name)
	}
	return nil
}

// NewScope returns the scope of a configuration.
func NewScope(c *Config) (*gather.Scope, error) {
	o, err := ScopeOptions(c)
	if err != nil {
		return nil, err
	}
	if c.Rules != "" {
		if o.Rules, err = ReadRules(c.Rules, gather.ParseRules); err != nil {
			return nil, err
		}
	}
	if c.Deny != "" {
		if o.Deny, err = ReadRules(c.Deny, gather.ParseDeny); err != nil {
			return nil, err
		}
	}
	return gather.NewScope(o)
}

// ScopeOptions returns the options of a scope, without the files that the configuration names.
func ScopeOptions(c *Config) (gather.ScopeOptions, error) {
	o := gather.ScopeOptions{Kind: c.Scope, Include: c.Include, Exclude: c.Exclude, SitemapOnly: c.SitemapOnly}
	if c.List {
		o.Kind = gather.ScopeList
	}
	for i := range c.Site {
		o.Sites = append(o.Sites, gather.SitePatterns{Match: c.Site[i].Match, Include: c.Site[i].Include, Exclude: c.Site[i].Exclude})
	}
	for _, text := range c.Seeds {
		url, err := page.ParseSeed(text)
		if err != nil {
			return o, fmt.Errorf("seed %q: %w", text, err)
		}
		o.Seeds = append(o.Seeds, url)
	}
	return o, nil
}

// ReadRules reads a file of rules.
func ReadRules(path string, parse func(string, io.Reader) (*gather.Rules, error)) (*gather.Rules, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parse(path, f)
}
