package gather

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/page"
)

// Rules decide whether hosts and directories are wanted. A rule is about a host, all
// hosts below it, and perhaps about a beginning of path and query:
//
//	# comment
//	allow example.org
//	deny  example.org/private/
//	deny  *
//
// The most specific rule decides: of the rules that fit, those of the longest host, and
// among them the one with the longest path. "*" is every host.
type Rules struct {
	hosts map[string][]rule // by host; "" is "*"
	count int
}

type rule struct {
	path string // a prefix, "" for all
	says answer
}

// An answer is the decision of the rules about a URL.
type answer uint8

const (
	silent answer = iota
	allow
	deny
)

// ParseRules reads a rule file: "allow" or "deny", a host and perhaps a path in each
// line. Errors have the name and the line.
func ParseRules(name string, r io.Reader) (*Rules, error) {
	return parseRules(name, r, func(line string) (answer, string, error) {
		word, rest, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
		switch word {
		case "allow":
			return allow, rest, nil
		case "deny":
			return deny, rest, nil
		}
		return silent, "", fmt.Errorf("%q: want allow or deny, then a host", word)
	})
}

// ParseDeny reads a deny list: a host and perhaps a path in each line, without a word
// before it.
func ParseDeny(name string, r io.Reader) (*Rules, error) {
	return parseRules(name, r, func(line string) (answer, string, error) { return deny, line, nil })
}

// Len returns the number of rules.
func (r *Rules) Len() int { return r.count }

func parseRules(name string, r io.Reader, split func(line string) (answer, string, error)) (*Rules, error) {
	rules := &Rules{hosts: map[string][]rule{}}
	in := bufio.NewScanner(r)
	for n := 1; in.Scan(); n++ {
		line, _, _ := strings.Cut(strings.TrimPrefix(in.Text(), "\ufeff"), "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		says, target, err := split(line)
		if err == nil {
			err = rules.add(says, strings.TrimSpace(target))
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return rules, nil
}

func (r *Rules) add(says answer, target string) error {
	host, path, err := parseTarget(target)
	if err != nil {
		return err
	}
	for _, old := range r.hosts[host] {
		switch {
		case old.path != path:
		case old.says == says:
			return nil
		default:
			return fmt.Errorf("%q is both allowed and denied", target)
		}
	}
	r.hosts[host] = append(r.hosts[host], rule{path, says})
	r.count++
	return nil
}

// parseTarget reads a host with or without a path and returns both in normal form.
func parseTarget(target string) (host, path string, err error) {
	host, path = target, ""
	if i := strings.IndexByte(target, '/'); i >= 0 {
		host, path = target[:i], target[i:]
	}
	switch {
	case strings.ContainsAny(target, " \t"):
		return "", "", fmt.Errorf("%q: want one host, perhaps with a path", target)
	case strings.Contains(target, "://"):
		return "", "", fmt.Errorf("%q: rules apply to http and https; write the host without a scheme", target)
	case strings.Contains(host[strings.IndexByte(host, ']')+1:], ":"):
		return "", "", fmt.Errorf("%q: rules apply to all ports; leave the port out", target)
	case host == "*":
		host = ""
	default:
		host = strings.TrimPrefix(strings.TrimPrefix(host, "*"), ".")
		if host == "" {
			return "", "", fmt.Errorf("%q: there is no host", target)
		}
	}
	return normalTarget(target, host, path)
}

// normalTarget brings host and path into the form that URLs have: punycode, escapes.
func normalTarget(target, host, path string) (string, string, error) {
	known := host
	if known == "" {
		known = "any.example"
	}
	var r page.Resolver
	url, v := r.Resolve(nil, []byte("http://"+known+path))
	if !v.Usable() || bytes.ContainsAny([]byte(host), "?@*") {
		return "", "", fmt.Errorf("%q: no host and path that a URL can have", target)
	}
	site, rest := page.Site(url)
	if host != "" {
		host = string(page.Host(site))
	}
	if path == "" || path == "/" {
		return host, "", nil
	}
	return host, string(rest), nil
}

// match returns the decision of the rules about a URL.
func (r *Rules) match(site, rest []byte) answer {
	if r == nil || r.count == 0 {
		return silent
	}
	for name := page.Host(site); ; {
		if says := longest(r.hosts[string(name)], rest); says != silent {
			return says
		}
		if len(name) == 0 {
			return silent
		}
		_, name, _ = bytes.Cut(name, []byte(".")) // nothing left: "*"
	}
}

// longest returns the word of the longest path that fits.
func longest(rules []rule, rest []byte) answer {
	says, length := silent, -1
	for _, r := range rules {
		if n := len(r.path); n > length && n <= len(rest) && string(rest[:n]) == r.path {
			says, length = r.says, n
		}
	}
	return says
}
