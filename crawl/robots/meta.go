package robots

import "strings"

// Tags holds the demands of a page about its use, by X-Robots-Tag or robots meta.
type Tags uint8

const (
	NoIndex   Tags = 1 << iota // keep it out of an index: its body is not stored
	NoFollow                   // its links are recorded, not queued
	NoArchive                  // keep no copy of it
)

// String returns the words for the tags, separated by commas, in the order of the constants.
func (t Tags) String() string {
	var words []string
	for _, w := range [...]string{"noindex", "nofollow", "noarchive"} {
		if directive(w)&t != 0 {
			words = append(words, w)
		}
	}
	return strings.Join(words, ", ")
}

// directives lists the words with a meaning for a crawler. The most restrictive of several
// counts, so "all", "index", "follow" and "archive" have none.
var directives = [...]struct {
	word string
	tags Tags
}{
	{"noindex", NoIndex}, {"nofollow", NoFollow}, {"none", NoIndex | NoFollow},
	{"noarchive", NoArchive}, {"nocache", NoArchive},
}

// valued lists the words whose colon begins a value, and not a section for one crawler.
var valued = [...]string{"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}

// separators separate words. Blanks and semicolons too: "noindex nofollow" can mean
// only one thing.
const separators = ",; \t\r\n\v\f"

// ParseMeta reads the values of X-Robots-Tag headers, or of the content attributes of
// meta elements that are named "robots" or as our product token. "name:" in a value
// begins a section for that crawler only, up to the end of the value or the next
// "name:". Unknown words, among them dates, are skipped.
func ParseMeta(values []string, product string) Tags {
	var tags Tags
	for _, v := range values {
		tags |= parseValue(v, Token(product))
	}
	return tags
}

func parseValue(v, token string) (tags Tags) {
	ours := true
	for v != "" {
		var word string
		word, v = cutWord(v)
		name, rest, ok := strings.Cut(word, ":")
		switch {
		case !ok:
			rest = word
		case isValued(name):
			v = skipValue(rest, v)
			continue
		case hasLetter(name):
			ours = appliesTo(name, token)
		}
		if ours {
			tags |= directive(rest)
		}
	}
	return tags
}

// skipValue drops the first word behind "unavailable_after:", which can look like a section
// for a crawler (2030-01-01T12:00). Further words of a date cannot.
func skipValue(value, rest string) string {
	if value == "" && strings.HasPrefix(rest, " ") {
		_, rest = cutWord(rest)
	}
	return rest
}

// cutWord splits s behind its first word. A colon by itself belongs to the word
// before it.
func cutWord(s string) (word, rest string) {
	s = strings.TrimLeft(s, separators)
	i := strings.IndexAny(s, separators)
	if i < 0 {
		return s, ""
	}
	word, rest = s[:i], s[i:]
	if after, ok := strings.CutPrefix(strings.TrimLeft(rest, " \t"), ":"); ok {
		return s[:len(s)-len(after)], after
	}
	return word, rest
}

// appliesTo reports whether a section for name applies to the crawler of this token.
func appliesTo(name, token string) bool {
	name = strings.TrimRight(name, " \t")
	return name == "*" || strings.EqualFold(name, "robots") ||
		token != "" && strings.EqualFold(Token(name), token)
}

func isValued(name string) bool {
	for _, w := range valued {
		if strings.EqualFold(strings.TrimRight(name, " \t"), w) {
			return true
		}
	}
	return false
}

// hasLetter reports whether s has a letter: the name of a crawler has, the hour of a
// date has not.
func hasLetter(name string) bool {
	return strings.ContainsFunc(name, func(r rune) bool { return r < 128 && isLetter(byte(r)) || r == '*' })
}

func directive(word string) Tags {
	for _, d := range directives {
		if strings.EqualFold(word, d.word) {
			return d.tags
		}
	}
	return 0
}
