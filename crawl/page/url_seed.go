package page

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// ParseSeed reads a URL as people type it and returns its normal form. The scheme may be
// missing: "example.org/docs" is https, and http where certificates are not
// available, on localhost and on bare addresses. The error describes what is wrong with
// the text and, if possible, what would be right.
func ParseSeed(text string) (string, error) {
	seed := strings.TrimSpace(text)
	url, err := parseSeed(seed)
	if err != nil {
		return "", fmt.Errorf("seed %q: %w", withoutUser(seed), err)
	}
	return url, nil
}

// withoutUser removes the part before the @ of a host: a password must not appear in a
// message.
func withoutUser(seed string) string {
	_, rest, has := strings.Cut(seed, "://")
	if !has {
		rest = seed
	}
	rest = strings.TrimLeft(rest, "/")
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	at := strings.LastIndexByte(rest[:end], '@')
	if at < 0 {
		return seed
	}
	return strings.TrimSuffix(seed, rest) + "..." + rest[at:]
}

func parseSeed(seed string) (string, error) {
	switch {
	case seed == "":
		return "", errors.New("is empty")
	case strings.ContainsAny(seed, " \t\r\n"):
		return "", errors.New("has white space in it; give each URL for itself, and write %20 for a space that is meant")
	}
	full := seed
	scheme, after, has := cutScheme(seed)
	switch {
	case !has:
		var err error
		if full, err = addScheme(seed); err != nil {
			return "", err
		}
	case scheme != "http" && scheme != "https":
		return "", fmt.Errorf("scheme %q cannot be crawled, only http and https", scheme)
	case !strings.HasPrefix(after, "//") || strings.HasPrefix(after, "///"):
		return "", fmt.Errorf("two slashes must follow the scheme: %s", withoutUser(scheme+"://"+strings.TrimLeft(after, "/")))
	}
	return normalSeed(full)
}

// cutScheme splits a scheme off. "host:8080" has none: a number, or nothing, follows
// its colon, and no scheme that people type has a dot.
func cutScheme(seed string) (scheme, after string, has bool) {
	scheme, after, has = strings.Cut(seed, ":")
	if !has || strings.ContainsAny(scheme, "/?#.[@") {
		return "", seed, false
	}
	if after == "" || urlDigit(after[0]) {
		return "", seed, false
	}
	return strings.ToLower(scheme), after, true
}

// addScheme completes what looks like a host, and a path perhaps.
func addScheme(seed string) (string, error) {
	if strings.HasPrefix(seed, "//") {
		return "https:" + seed, nil
	}
	if seed[0] == '/' || seed[0] == '.' {
		return "", errors.New("is not a URL; a file with URLs in it is given by --seeds")
	}
	https := "https://" + seed
	url, err := normalSeed(https)
	if err != nil {
		return "", err
	}
	host := string(Host([]byte(url)))
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil || host == "localhost" {
		return "http://" + seed, nil
	}
	if !strings.Contains(host, ".") {
		return "", fmt.Errorf("is not a URL; write http://%s/ if a host of that name is meant", host)
	}
	top, icann := publicsuffix.PublicSuffix(host)
	if !icann && !strings.Contains(top, ".") && !slices.Contains(localTops, top) {
		return "", fmt.Errorf("there is no top-level domain %q; write %s if a host of that name is meant, "+
			"and give a file with URLs by --seeds", top, url)
	}
	return https, nil
}

// localTops are the top-level domains that no registry sells and people use: for
// tests and documents (RFC 2606), and at home.
var localTops = []string{"example", "test", "localhost", "local", "internal", "lan"}

// normalSeed returns the normal form of a full URL.
func normalSeed(full string) (string, error) {
	var r Resolver
	url, v := r.Resolve(nil, []byte(full))
	switch v {
	case OK, Fragment:
		return string(url), nil
	case TooLong:
		return "", fmt.Errorf("is longer than %d bytes", DefaultMaxLen)
	case Credentials:
		return "", errors.New("contains a user name or password; remove it, and give both in a [[site]] table of --config")
	case NotHTTP:
		return "", errors.New("only http and https can be crawled")
	}
	host, _, _ := rawHost([]byte(full))
	if strings.HasPrefix(full, "http") && len(host) == 0 {
		return "", errors.New("has no host")
	}
	return "", fmt.Errorf("host %q is not a name or an address, or its port is not a number below 65536", host)
}

// Forms returns the normal forms that a text may stand for: without a scheme, there are
// two.
func Forms(text string) ([]string, error) {
	first, err := ParseSeed(text)
	if err != nil {
		return nil, err
	}
	forms := []string{first}
	if !strings.Contains(text, "://") {
		for _, scheme := range []string{"http://", "https://"} {
			if form, err := ParseSeed(scheme + text); err == nil && form != first {
				forms = append(forms, form)
			}
		}
	}
	return forms, nil
}
