package gather

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
)

// ScopeOptions define which pages a crawl may fetch.
type ScopeOptions struct {
	// Kind is the value of --scope: "any" or "", "seeds" (the hosts of the seeds), "domain"
	// (their registered domains), "regexp:R" (URLs in which R matches); or ScopeList.
	Kind string
	// Seeds are normal forms. "seeds" means their hosts with their ports, over http and
	// https, with "www." in front or without: sites send visitors from one to the other.
	Seeds []string

	// Include and Exclude are regular expressions over whole URLs, in which they may match
	// anywhere. With includes, one of them must match; no exclude may.
	Include, Exclude []string
	Sites            []SitePatterns // further patterns; of those that match a host the longest counts

	// SitemapOnly leaves out seeds and what only links lead to: pages must be named by a
	// sitemap. Redirects count.
	SitemapOnly bool

	Rules *Rules // --rules: wins over Kind, not over the patterns
	Deny  *Rules // --deny: wins over everything; see Scope.SetDeny
}

// ScopeList is the kind of a scope without any page or sitemap file. Since no scope applies
// to seeds, they alone are fetched. No rule overrides it.
const ScopeList = "list"

// SitePatterns are patterns for the URLs of a host and of all hosts below it, as Include
// and Exclude of ScopeOptions are for all URLs.
type SitePatterns struct {
	Match            string
	Include, Exclude []string
}

// patterns are the compiled patterns of a site.
type patterns struct{ include, exclude []*regexp.Regexp }

// kind is a kind of scope.
type kind uint8

const (
	kindAny kind = iota
	kindSeeds
	kindDomain
	kindRegexp
	kindList
)

// A Scope judges URLs. The zero value lets all pass. It may be used by many goroutines.
type Scope struct {
	kind             kind
	names            map[string]bool // authorities or domains of the seeds
	pattern          *regexp.Regexp  // of kindRegexp
	include, exclude []*regexp.Regexp
	sitemapOnly      bool
	sites            map[string]patterns // by host
	rules            *Rules
	deny             atomic.Pointer[Rules]
}

// NewScope returns a new scope. Errors name the option.
func NewScope(o ScopeOptions) (*Scope, error) {
	s := &Scope{rules: o.Rules, sitemapOnly: o.SitemapOnly, names: map[string]bool{}}
	s.deny.Store(o.Deny)
	expr, isRegexp := strings.CutPrefix(o.Kind, "regexp:")
	switch {
	case o.Kind == "any" || o.Kind == "":
	case o.Kind == "seeds":
		s.kind = kindSeeds
	case o.Kind == "domain":
		s.kind = kindDomain
	case o.Kind == ScopeList:
		s.kind, s.rules = kindList, nil
	case isRegexp:
		s.kind = kindRegexp
	default:
		return nil, fmt.Errorf("scope %q: want any, seeds, domain or regexp:R", o.Kind)
	}
	s.addSeeds(o.Seeds)
	var err error
	if s.pattern, err = regexp.Compile(expr); err != nil {
		return nil, fmt.Errorf("scope %q: %w", o.Kind, err)
	}
	if s.include, err = compile("include", o.Include); err != nil {
		return nil, err
	}
	if s.exclude, err = compile("exclude", o.Exclude); err != nil {
		return nil, err
	}
	return s, s.addSites(o.Sites)
}

func (s *Scope) addSites(list []SitePatterns) (err error) {
	s.sites = make(map[string]patterns, len(list))
	for _, x := range list {
		var p patterns
		if p.include, err = compile("include", x.Include); err != nil {
			return err
		}
		if p.exclude, err = compile("exclude", x.Exclude); err != nil {
			return err
		}
		s.sites[x.Match] = p
	}
	return nil
}

// patternsOf returns the further patterns of a site.
func (s *Scope) patternsOf(site []byte) patterns {
	if len(s.sites) == 0 {
		return patterns{}
	}
	for name, more := page.Host(site), true; more; _, name, more = bytes.Cut(name, []byte(".")) {
		if p, ok := s.sites[string(name)]; ok {
			return p
		}
	}
	return patterns{}
}

func compile(option string, exprs []string) ([]*regexp.Regexp, error) {
	var list []*regexp.Regexp
	for _, e := range exprs {
		r, err := regexp.Compile(e)
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", option, e, err)
		}
		list = append(list, r)
	}
	return list, nil
}

func (s *Scope) addSeeds(seeds []string) {
	for _, seed := range seeds {
		site, _ := page.Site([]byte(seed))
		switch s.kind {
		case kindSeeds:
			s.names[string(authority(site))] = true
		case kindDomain:
			s.names[page.Domain(page.Host(site))] = true
		}
	}
}

// SameName reports whether two sites have the same host and port, apart from "www." in front
// of the host, http and https.
func SameName(a, b []byte) bool { return bytes.Equal(authority(a), authority(b)) }

// authority returns host and port of a site without "www.".
func authority(site []byte) []byte {
	_, name, _ := bytes.Cut(site, []byte("://"))
	return bytes.TrimPrefix(name, []byte("www."))
}

// SitemapOnly reports whether pages must be named by a sitemap.
func (s *Scope) SitemapOnly() bool { return s.sitemapOnly }

// SetDeny replaces the deny list, while others judge; nil is none.
func (s *Scope) SetDeny(r *Rules) { s.deny.Store(r) }

// Judge returns the reason why a page is out of scope: BarDenied (deny list), BarExcluded
// (a rule or pattern), BarScope (Kind); or NoBar.
func (s *Scope) Judge(site, rest []byte) event.Bar {
	url := append(append(make([]byte, 0, len(site)+len(rest)), site...), rest...)
	return s.judge(url, len(site), s.holds(site))
}

// Denied returns BarDenied if the deny list forbids a page. It ignores all other rules.
func (s *Scope) Denied(site, rest []byte) event.Bar {
	if s.deny.Load().match(site, rest) == deny {
		return event.BarDenied
	}
	return event.NoBar
}

// judge does what Judge does, for a URL in one piece with its site before mid. known
// reports whether the site matches the kind of the scope.
func (s *Scope) judge(url []byte, mid int, known bool) event.Bar {
	site, rest := url[:mid], url[mid:]
	if s.deny.Load().match(site, rest) == deny {
		return event.BarDenied
	}
	switch s.rules.match(site, rest) {
	case deny:
		return event.BarExcluded
	case silent:
		if !known || s.kind == kindRegexp && !s.pattern.Match(url) {
			return event.BarScope
		}
	}
	if len(s.include) > 0 && !matches(s.include, url) || matches(s.exclude, url) {
		return event.BarExcluded
	}
	if p := s.patternsOf(site); len(p.include) > 0 && !matches(p.include, url) || matches(p.exclude, url) {
		return event.BarExcluded
	}
	return event.NoBar
}

func matches(list []*regexp.Regexp, url []byte) bool {
	for _, r := range list {
		if r.Match(url) {
			return true
		}
	}
	return false
}

// holds reports whether a site is of the kind of the scope, as far as sites decide it.
func (s *Scope) holds(site []byte) bool {
	switch s.kind {
	case kindSeeds:
		return s.names[string(authority(site))]
	case kindDomain:
		return s.holdsDomain(page.Host(site))
	}
	return s.kind != kindList
}

// holdsDomain looks for a domain of the seeds at the end of a host before it computes
// the host's own domain, which takes longer and decides: a public suffix may lie between
// the two (a.github.io is no page of github.io).
func (s *Scope) holdsDomain(host []byte) bool {
	for name := host; ; {
		if s.names[string(name)] {
			return s.names[page.Domain(host)]
		}
		var more bool
		if _, name, more = bytes.Cut(name, []byte(".")); !more {
			return false
		}
	}
}

// DenyList returns the deny list in force, nil if there is none.
func (s *Scope) DenyList() *Rules { return s.deny.Load() }

// DeniesSite reports whether the deny list forbids a whole site. Then nothing is requested,
// neither its address nor its robots.txt. A rule about a path does not forbid these two.
func (s *Scope) DeniesSite(site []byte) bool { return s.deny.Load().match(site, []byte("/")) == deny }

// JudgeFile returns the reason not to request a sitemap file, as far as scope and deny list
// decide it. Include patterns and a regular expression choose pages, and a file is none:
// what it lists is judged page by page.
func (s *Scope) JudgeFile(site, rest []byte) event.Bar {
	if s.deny.Load().match(site, rest) == deny {
		return event.BarDenied
	}
	switch s.rules.match(site, rest) {
	case deny:
		return event.BarExcluded
	case silent:
		if !s.holds(site) {
			return event.BarScope
		}
	}
	if s.excludes(site, rest) {
		return event.BarExcluded
	}
	return event.NoBar
}

// JudgeRequisite returns the reason not to request what a page needs to be shown: BarDenied or
// BarExcluded, or NoBar. Requisites may be anywhere: the kind of the scope and include patterns
// choose pages.
func (s *Scope) JudgeRequisite(site, rest []byte) event.Bar {
	if s.deny.Load().match(site, rest) == deny {
		return event.BarDenied
	}
	if s.rules.match(site, rest) == deny || s.excludes(site, rest) {
		return event.BarExcluded
	}
	return event.NoBar
}

// excludes reports whether an exclude pattern matches a URL.
func (s *Scope) excludes(site, rest []byte) bool {
	own := s.patternsOf(site).exclude
	if len(s.exclude)+len(own) == 0 {
		return false
	}
	url := slices.Concat(site, rest)
	return matches(s.exclude, url) || matches(own, url)
}

// DenyText returns a deny list with the same meaning as r, one rule a line, in an order that
// depends on the rules alone. ParseDeny reads it.
func (r *Rules) DenyText() string {
	if r == nil {
		return ""
	}
	var b strings.Builder
	for _, host := range slices.Sorted(maps.Keys(r.hosts)) {
		var paths []string
		for _, x := range r.hosts[host] {
			if x.says == deny {
				paths = append(paths, x.path)
			}
		}
		slices.Sort(paths)
		if host == "" {
			host = "*"
		}
		for _, path := range paths {
			b.WriteString(host)
			b.WriteString(path)
			b.WriteByte('\n')
		}
	}
	return b.String()
}

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
