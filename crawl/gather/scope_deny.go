package gather

import (
	"maps"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/event"
)

// DenyList is the deny list in force, nil if there is none.
func (s *Scope) DenyList() *Rules { return s.deny.Load() }

// DeniesSite reports whether the deny list forbids a whole site: then nothing is asked of
// it, neither its address nor its robots.txt. A rule about a path leaves both alone.
func (s *Scope) DeniesSite(site []byte) bool { return s.deny.Load().match(site, []byte("/")) == deny }

// JudgeFile says why a sitemap file is not to be asked for, as far as scope and deny list
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
	if len(s.exclude) > 0 && matches(s.exclude, slices.Concat(site, rest)) {
		return event.BarExcluded
	}
	return event.NoBar
}

// DenyText is a deny list with the same meaning as r, one rule a line, in an order that
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
