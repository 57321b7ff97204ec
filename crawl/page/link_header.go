package page

import "strings"

// A HeaderLink is a link of a Link header: the target as written, and its purpose.
type HeaderLink struct {
	Href string
	Rel  Rel
}

// HeaderLinks returns the links of the values of Link headers that are links of the page
// itself and whose relation a crawler acts on (RFC 8288). A link with an anchor parameter
// is of another resource, or of a part of the page, and does not count. A value counts up
// to its first error. The work is linear in the length of the values.
func HeaderLinks(values []string) (list []HeaderLink) {
	for _, rest := range values {
		for ok := true; ok; {
			var l HeaderLink
			if l, rest, ok = headerLink(rest); ok && l.Href != "" && l.Rel != 0 {
				list = append(list, l)
			}
		}
	}
	return list
}

// headerLink reads the first link of a value, and returns what follows it. ok is false at
// the end of the value or at an error. A link that is of another context has no Href.
func headerLink(s string) (l HeaderLink, rest string, ok bool) {
	s = strings.TrimLeft(s, " \t,")
	if !strings.HasPrefix(s, "<") {
		return l, "", false
	}
	l.Href, s, ok = strings.Cut(s[1:], ">")
	if !ok {
		return HeaderLink{}, "", false
	}
	var p headerParams
	s = p.read(s)
	l.Rel = relOf([]byte(p.rel))
	if l.Rel&RelAlternate != 0 {
		l.Rel |= alternate([]byte(p.media))
	}
	if p.anchored {
		l.Href = ""
	}
	return l, s, true
}

// headerParams holds the parameters of a link that matter.
type headerParams struct {
	rel, media string
	related    bool // there was a rel: only the first counts
	anchored   bool // there was an anchor
}

// read reads the parameters at the beginning of s and returns what follows them.
func (p *headerParams) read(s string) string {
	for {
		s = strings.TrimLeft(s, " \t")
		if !strings.HasPrefix(s, ";") {
			return s
		}
		s = strings.TrimLeft(s[1:], " \t")
		n := strings.IndexAny(s, "=;, \t")
		if n < 0 {
			n = len(s)
		}
		name, value := s[:n], ""
		s = strings.TrimLeft(s[n:], " \t")
		if strings.HasPrefix(s, "=") {
			value, s = paramValue(strings.TrimLeft(s[1:], " \t"))
		}
		p.set(strings.ToLower(name), value)
	}
}

func (p *headerParams) set(name, value string) {
	switch {
	case name == "rel" && !p.related:
		p.rel, p.related = value, true
	case name == "type" && p.media == "":
		p.media = value
	case name == "anchor":
		p.anchored = true
	}
}

// paramValue reads a token or a quoted string, and returns what follows it. A quoted string
// without an end reaches to the end of s.
func paramValue(s string) (value, rest string) {
	if !strings.HasPrefix(s, `"`) {
		n := strings.IndexAny(s, ";,")
		if n < 0 {
			n = len(s)
		}
		return strings.TrimRight(s[:n], " \t"), s[n:]
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '"':
			return b.String(), s[i+1:]
		case '\\':
			if i++; i == len(s) {
				return b.String(), ""
			}
		}
		b.WriteByte(s[i])
	}
	return b.String(), ""
}
