package robots

import (
	"encoding/binary"
	"slices"
	"strings"
	"time"
)

// A rule is an allow or disallow line that applies to us.
type rule struct {
	pattern string // in normal form, not empty
	length  int    // octets that decide precedence
	line    int32
	allow   bool
}

// A group holds all rules of the file for one product token, wherever they are.
type group struct {
	rules []rule
	delay time.Duration // the longest
}

func (g *group) add(r record) {
	if r.kind == delay {
		g.delay = max(g.delay, seconds(r.value))
		return
	}
	if r.value == "" {
		return // matches nothing (RFC 9309, empty-pattern)
	}
	pattern, stray, length := normalPattern(r.value)
	if _, esc, more := spellings(pattern); more {
		length += len(esc) - len(pattern)
	}
	g.spell(pattern, length, r)
	if stray != "" {
		g.spell(stray, length, r)
	}
}

// spell adds a rule in all its spellings; packing drops doubles.
func (g *group) spell(pattern string, length int, r record) {
	if raw, esc, more := spellings(pattern); more {
		g.rules = append(g.rules,
			rule{raw, length, r.line, r.kind == allow}, rule{esc, length, r.line, r.kind == allow})
	}
	g.rules = append(g.rules, rule{pattern, length, r.line, r.kind == allow})
}

// A scope records which crawlers the present lines are for.
type scope struct {
	open        bool // the last line that matters was a user-agent line: more may come
	named, star bool // us, everybody
}

// userAgent reads a user-agent line.
func (s *scope) userAgent(named, star bool) {
	if !s.open {
		*s = scope{open: true}
	}
	s.named = s.named || named
	s.star = s.star || star
}

// For returns the rules for a product token: those of all groups that name it, without
// regard to case; if there is no such group, those of all groups for "*"; if there is none
// either, none. Of a product like "winnow/1.0" the token counts.
func (f *File) For(product string) Rules {
	token := Token(product)
	found := false // some group names us
	var named, star group
	// A rule ends a row of user-agent lines, a Crawl-delay does not: RFC 9309, 2.2.4. But
	// its author thought that it did, so for delays it does.
	var rules, delays scope
	for _, r := range f.records {
		at := &rules
		switch r.kind {
		case agent:
			us := token != "" && strings.EqualFold(Token(r.value), token)
			found = found || us
			rules.userAgent(us, isStar(r.value))
			delays.userAgent(us, isStar(r.value))
			continue
		case delay:
			at = &delays
		default:
			rules.open = false
		}
		delays.open = false
		if at.named {
			named.add(r)
		}
		if at.star && !found {
			star.add(r)
		}
	}
	if found {
		return pack(named.rules, named.delay)
	}
	return pack(star.rules, star.delay)
}

// pack sorts the rules by precedence and writes them down.
func pack(rules []rule, delay time.Duration) Rules {
	ms := (delay + time.Millisecond - 1) / time.Millisecond // never shorter than requested
	if len(rules) == 0 && ms == 0 {
		return Rules{}
	}
	buf := binary.AppendUvarint([]byte{format}, uint64(ms))
	for _, r := range order(rules) {
		head := uint64(len(r.pattern))<<flagBits | flagsOf(r.pattern)
		if r.allow {
			head |= flagAllow
		}
		buf = binary.AppendUvarint(buf, head)
		buf = binary.AppendUvarint(buf, uint64(r.line))
		buf = append(buf, r.pattern...)
	}
	return Rules{string(buf)}
}

// order puts the rule that counts first. Of several rules with one pattern only that one
// stays.
func order(rules []rule) []rule {
	slices.SortFunc(rules, func(a, b rule) int {
		if c := strings.Compare(a.pattern, b.pattern); c != 0 {
			return c
		}
		return precedence(a, b)
	})
	rules = slices.CompactFunc(rules, func(a, b rule) bool { return a.pattern == b.pattern })
	slices.SortStableFunc(rules, precedence) // spellings of one line stay in the order of their patterns
	return rules
}

// precedence returns negative if a counts before b: the longest first, of equal ones the
// allowing, of those the first in the file.
func precedence(a, b rule) int {
	switch {
	case a.length != b.length:
		return b.length - a.length
	case a.allow != b.allow && a.allow:
		return -1
	case a.allow != b.allow:
		return 1
	}
	return int(a.line - b.line)
}
