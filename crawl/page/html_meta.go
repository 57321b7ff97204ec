package page

import (
	"bytes"
	"math/bits"

	"github.com/zeebo/xxh3"
)

// eachWord calls f for the words of b, between commas and white space.
func eachWord(b []byte, f func(word []byte)) {
	for len(b) > 0 {
		n := 0
		for n < len(b) && class[b[n]]&space == 0 && b[n] != ',' {
			n++
		}
		if n > 0 {
			f(b[:n])
		}
		b = b[min(n+1, len(b)):]
	}
}

// relWords lists the words of rel that a crawler knows, in lower case.
var relWords = []struct {
	word string
	rel  Rel
}{
	{"nofollow", RelNofollow},
	{"sponsored", RelSponsored},
	{"ugc", RelUGC},
	{"canonical", RelCanonical},
	{"next", RelNext},
	{"prev", RelPrev},
	{"previous", RelPrev},
	{"alternate", RelAlternate},
	{"self", RelSelf},
	{"stylesheet", RelStylesheet},
	{"icon", RelIcon},
	{"apple-touch-icon", RelIcon},
	{"mask-icon", RelIcon},
	{"dns-prefetch", RelResource},
	{"manifest", RelResource},
	{"modulepreload", RelResource},
	{"pingback", RelResource},
	{"preconnect", RelResource},
	{"prefetch", RelResource},
	{"preload", RelResource},
	{"appendix", RelGuide},
	{"chapter", RelGuide},
	{"collection", RelGuide},
	{"contents", RelGuide},
	{"first", RelGuide},
	{"glossary", RelGuide},
	{"help", RelGuide},
	{"home", RelGuide},
	{"index", RelGuide},
	{"item", RelGuide},
	{"last", RelGuide},
	{"section", RelGuide},
	{"start", RelGuide},
	{"subsection", RelGuide},
	{"toc", RelGuide},
	{"top", RelGuide},
	{"up", RelGuide},
}

// rel reads the rel attribute of the current tag.
func (s *Scanner) rel() Rel {
	if !s.has(attrRel) {
		return 0
	}
	return relOf(s.value(attrRel))
}

// relOf returns the relations that a list of words names.
func relOf(words []byte) (r Rel) {
	eachWord(words, func(word []byte) {
		for i := range relWords {
			if equalFold(word, relWords[i].word) {
				r |= relWords[i].rel
			}
		}
	})
	return r
}

// startMeta reads a meta element: directives for robots or a refresh.
func (s *Scanner) startMeta() {
	if name := bytes.TrimSpace(s.value(attrName)); equalFold(name, "robots") || len(name) > 0 && s.isAgent(name) {
		s.keepRobots(s.value(attrContent))
	}
	if equalFold(s.value(attrHTTPEquiv), "refresh") {
		s.startRefresh(s.value(attrContent))
	}
}

func (s *Scanner) isAgent(name []byte) bool {
	return len(name) == len(s.opt.Agent) && asciiEqual(name, []byte(s.opt.Agent))
}

// maxRobots bounds the values that are kept of a page. Two are usual. Further
// values are dropped.
const maxRobots = 64

// keepRobots stores the directives of one meta element. Package robots parses them, and
// those of headers.
func (s *Scanner) keepRobots(content []byte) {
	if len(content) > 0 && len(s.page.Robots) < maxRobots {
		s.page.Robots = append(s.page.Robots, s.copyOf(content[:min(len(content), s.opt.Title)]))
	}
}

// startRefresh reads the contents of a refresh, as in "5; url='/next'". Only the
// first one of a page counts, and one without a URL reloads the page: no link.
func (s *Scanner) startRefresh(content []byte) {
	seconds, href, ok := parseRefresh(content)
	if !ok || s.page.Refresh >= 0 {
		return
	}
	s.page.Refresh = seconds
	s.addSource(KindRefresh, href)
}

// maxRefresh is the longest delay, in seconds. Longer ones are cut to it.
const maxRefresh = 365 * 24 * 3600

// parseRefresh follows the shared declarative refresh steps (WHATWG 4.2.5.3).
func parseRefresh(b []byte) (seconds int, href []byte, ok bool) {
	b = bytes.TrimLeft(b, "\t\n\f\r ")
	n := 0
	for ; n < len(b) && class[b[n]]&digit != 0; n++ {
		seconds = min(seconds*10+int(b[n]-'0'), maxRefresh)
	}
	if n == 0 && (len(b) == 0 || b[0] != '.') {
		return 0, nil, false
	}
	b = bytes.TrimLeft(b[n:], "0123456789.")
	if len(b) == 0 {
		return seconds, nil, true
	}
	if b[0] != ';' && b[0] != ',' && class[b[0]]&space == 0 {
		return 0, nil, false
	}
	b = bytes.TrimLeft(b, "\t\n\f\r ")
	if len(b) > 0 && (b[0] == ';' || b[0] == ',') {
		b = b[1:]
	}
	return seconds, refreshTarget(bytes.TrimLeft(b, "\t\n\f\r ")), true
}

// refreshTarget reads "url = 'target'"; "url =" and the quotes may be missing.
func refreshTarget(b []byte) []byte {
	if len(b) >= 3 && equalFold(b[:3], "url") {
		if rest := bytes.TrimLeft(b[3:], "\t\n\f\r "); len(rest) > 0 && rest[0] == '=' {
			b = bytes.TrimLeft(rest[1:], "\t\n\f\r ")
		}
	}
	if len(b) > 0 && (b[0] == '"' || b[0] == '\'') {
		quote := b[0]
		b = b[1:]
		if n := bytes.IndexByte(b, quote); n >= 0 {
			b = b[:n]
		}
	}
	return b
}

// notePictures adds the sources of an img or source element to the pictures of the page.
// Only a source that is a whole URL or begins with a slash does not depend on the place of
// the page.
func (s *Scanner) notePictures() {
	p := s.page
	for _, a := range [...]attr{attrSrc, attrSrcset} {
		v := bytes.TrimSpace(s.value(a))
		if len(v) == 0 {
			continue
		}
		p.Pictures = (bits.RotateLeft64(p.Pictures, 27) ^ xxh3.Hash(v)) * changePrime
		if v[0] != '/' && !bytes.Contains(v[:min(len(v), 12)], []byte(":")) {
			p.Beside = true
		}
	}
}
