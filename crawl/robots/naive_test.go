package robots

import (
	"fmt"
	"regexp"
	"strings"
)

// The naive model: the same definitions written for reading, not for speed.

var naiveEscapeBegins = regexp.MustCompile(`^%[0-9A-Fa-f]{2}`)

// naiveNormal is the normal form of a path; with rule, of the value of a rule without its
// final $, with stray for a % that begins no escape.
func naiveNormal(s string, rule bool, stray string) string {
	if !rule {
		s, _, _ = strings.Cut(s, "#")
	}
	if !strings.HasPrefix(s, "/") && !(rule && strings.HasPrefix(s, "*")) {
		s = "/" + s
	}
	var out strings.Builder
	for len(s) > 0 {
		var octet byte
		isEscape := naiveEscapeBegins.MatchString(s)
		if isEscape {
			fmt.Sscanf(s[1:3], "%02x", &octet)
			s = s[3:]
		} else {
			octet, s = s[0], s[1:]
		}
		if octet == '%' && !isEscape {
			out.WriteString(stray)
			continue
		}
		out.WriteString(naiveSpell(octet, isEscape, rule))
	}
	return out.String()
}

func naiveSpell(c byte, isEscape, rule bool) string {
	const alone = "-._~ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	switch {
	case strings.IndexByte(alone, c) >= 0:
		return string(rune(c))
	case isEscape:
	case strings.IndexByte(":/?[]@!&'()+,;=", c) >= 0, rule && c == '*':
		return string(rune(c))
	}
	return fmt.Sprintf("%%%02X", c)
}

// naiveMatch keeps all places of the path at which what is left of the pattern may begin.
// (Trying everything a star could stand for is shorter to write, but eight stars and 180
// octets were enough to keep it busy for a day.)
func naiveMatch(pattern, path string) bool {
	at := map[int]bool{0: true}
	for i := range len(pattern) {
		next := map[int]bool{}
		for j := range len(path) + 1 {
			switch {
			case !at[j]:
			case i == len(pattern)-1 && pattern[i] == '$':
				next[j] = j == len(path)
			case pattern[i] == '*':
				for k := j; k <= len(path); k++ {
					next[k] = true
				}
			case j < len(path) && path[j] == pattern[i]:
				next[j+1] = true
			}
		}
		at = next
	}
	for _, is := range at {
		if is {
			return true
		}
	}
	return false
}

// naiveTest looks at every rule of the file in turn and keeps the best so far. Behind the
// ? of a rule it escapes : / @ on both sides.
func naiveTest(f *File, product, path string) Verdict {
	path = naiveNormal(path, false, "%25")
	best, length := Verdict{Allowed: true}, -1
	if path == "/robots.txt" {
		return best
	}
	for _, r := range naiveGroup(f, product) {
		pattern, counted := naivePattern(r.value, "%")
		other, _ := naivePattern(r.value, "%25")
		if !naiveMatchQuery(pattern, path) && !naiveMatchQuery(other, path) || counted < length {
			continue
		}
		if counted > length || r.kind == allow && !best.Allowed {
			best, length = Verdict{Allowed: r.kind == allow, Line: int(r.line)}, counted
		}
	}
	return best
}

func naivePattern(value, stray string) (pattern string, counted int) {
	body, end := strings.CutSuffix(value, "$")
	if end {
		pattern = "$"
	}
	if body == "" {
		body = "/"
	}
	pattern = naiveNormal(body, true, stray) + pattern
	escaped := len(pattern)
	if before, after, ok := strings.Cut(pattern, "?"); ok {
		escaped = len(before) + 1 + len(naiveEscape(after))
	}
	return pattern, escaped
}

func naiveEscape(s string) string {
	return strings.NewReplacer(":", "%3A", "/", "%2F", "@", "%40").Replace(s)
}

// naiveMatchQuery matches as written or, from the ? of the rule on, all raw or all escaped.
func naiveMatchQuery(pattern, path string) bool {
	if naiveMatch(pattern, path) {
		return true
	}
	before, after, ok := strings.Cut(pattern, "?")
	if !ok {
		return false
	}
	raw := strings.NewReplacer("%3A", ":", "%2F", "/", "%40", "@").Replace(after)
	return naiveMatch(before+"?"+raw, path) || naiveMatch(before+"?"+naiveEscape(after), path)
}

// naiveGroup are the rules for a product, in file order: first whether any line names it,
// then the groups one after the other.
func naiveGroup(f *File, product string) (rules []record) {
	who := "*"
	for _, r := range f.records {
		if r.kind == agent && naiveIs(r.value, product) {
			who = product
		}
	}
	ours, rule := false, true
	for _, r := range f.records {
		switch r.kind {
		case agent:
			ours = ours && !rule || naiveIs(r.value, who)
			rule = false
		case allow, disallow:
			rule = true
			if ours && r.value != "" {
				rules = append(rules, r)
			}
		}
	}
	return rules
}

var naiveName = regexp.MustCompile(`^([A-Za-z_-]+|\*([ \t\v\f]|$))`)

func naiveIs(value, who string) bool {
	name := strings.TrimRight(naiveName.FindString(value), " \t\v\f")
	return name != "" && strings.EqualFold(name, who)
}
