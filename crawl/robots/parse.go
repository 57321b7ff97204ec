package robots

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// MaxSize is the number of bytes that are read of a robots.txt: the least that RFC 9309,
// 2.5 permits. A caller need not download more.
const MaxSize = 500 << 10

// MaxDelay is the longest Crawl-delay that is believed; a longer one counts as this. It is
// the age at which a robots.txt has to be fetched again (RFC 9309, 2.4), so that nothing
// longer could ever be kept.
const MaxDelay = 24 * time.Hour

// kind is the kind of a line.
type kind uint8

const (
	unknown kind = iota
	agent
	allow
	disallow
	delay
	sitemap
)

// keys lists the words before the colon, the right ones first, then the wrong ones that the
// package comment lists. Compared without regard to case.
var keys = [...]struct {
	word string
	kind kind
}{
	{"disallow", disallow}, {"allow", allow}, {"user-agent", agent},
	{"sitemap", sitemap}, {"crawl-delay", delay},
	{"useragent", agent}, {"user agent", agent},
	{"disalow", disallow}, {"dissallow", disallow}, {"dissalow", disallow},
	{"diasllow", disallow}, {"disallaw", disallow},
	{"site-map", sitemap},
	{"crawl delay", delay}, {"crawl_delay", delay}, {"crawldelay", delay},
}

// A record is one line with a meaning.
type record struct {
	kind  kind
	line  int32  // counted from 1
	value string // without comment and surrounding blanks
}

// A File is a robots.txt as read, for any product token. It is meant to be short-lived:
// keep the Rules.
type File struct {
	records []record // in file order, no unknown ones, no sitemaps
	// Sitemaps are the values of the Sitemap lines, as written, in file order. They
	// belong to no group.
	Sitemaps []string
}

// Parse reads the body of a robots.txt. Every body is one: of an HTML page or a picture
// there remain no rules, and all is allowed.
func Parse(body []byte) *File {
	f := new(File)
	rest := string(trimMark(clip(body)))
	for n := int32(1); rest != ""; n++ {
		var line string
		line, rest = cutLine(rest)
		k, value := split(line)
		switch k {
		case unknown:
		case sitemap:
			if value != "" {
				f.Sitemaps = append(f.Sitemaps, value)
			}
		default:
			f.records = append(f.records, record{k, n, value})
		}
	}
	return f
}

// clip keeps the lines that lie within the first MaxSize bytes entirely: half a line can
// mean the opposite of the whole ("Disallow: /" of "Disallow: /private").
func clip(body []byte) []byte {
	if len(body) <= MaxSize {
		return body
	}
	n := MaxSize
	for n > 0 && !isEnd(body[n]) && !isEnd(body[n-1]) {
		n--
	}
	return body[:n]
}

func isEnd(c byte) bool { return c == '\n' || c == '\r' }

// trimMark drops a byte order mark, or as much of one as there is.
func trimMark(body []byte) []byte {
	for _, c := range []byte("\xef\xbb\xbf") {
		if len(body) == 0 || body[0] != c {
			break
		}
		body = body[1:]
	}
	return body
}

// cutLine splits s behind its first line; CR, LF and CR LF end one.
func cutLine(s string) (line, rest string) {
	i := strings.IndexAny(s, "\r\n")
	switch {
	case i < 0:
		return s, ""
	case strings.HasPrefix(s[i:], "\r\n"):
		return s[:i], s[i+2:]
	}
	return s[:i], s[i+1:]
}

// blanks are cut from both ends of keys and values.
const blanks = " \t\v\f"

// split reads one line.
func split(line string) (kind, string) {
	line, _, _ = strings.Cut(line, "#")
	line = strings.Trim(line, blanks)
	key, value, ok := strings.Cut(line, ":")
	if !ok {
		i := strings.IndexAny(line, blanks)
		if i < 0 {
			return unknown, ""
		}
		key, value = line[:i], strings.Trim(line[i:], blanks)
		if strings.ContainsAny(value, blanks) {
			return unknown, "" // three words are a sentence, not a rule
		}
	}
	return kindOf(strings.TrimRight(key, blanks)), strings.TrimLeft(value, blanks)
}

func kindOf(key string) kind {
	for _, k := range keys {
		if len(k.word) == len(key) && strings.EqualFold(k.word, key) {
			return k.kind
		}
	}
	return unknown
}

// Token returns the product token that s begins with: its longest beginning of letters, "_"
// and "-" (RFC 9309, 2.2.1). A good product name is its own token.
func Token(s string) string {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && c != '_' && c != '-' {
			return s[:i]
		}
	}
	return s
}

func isLetter(c byte) bool { c |= 0x20; return 'a' <= c && c <= 'z' }

// isStar reports whether a user-agent line is for everybody: "*", perhaps with more words.
func isStar(value string) bool {
	return value == "*" || strings.HasPrefix(value, "*") && strings.Contains(blanks, value[1:2])
}

// seconds reads a Crawl-delay: a decimal number of seconds, perhaps with an s and further
// words behind it. What is negative, not finite or no number is 0, that is, not there.
func seconds(value string) time.Duration {
	if i := strings.IndexAny(value, blanks); i >= 0 {
		value = value[:i]
	}
	if strings.Trim(value, "0123456789.+-eEs") != "" {
		return 0 // hexadecimal, "inf", "nan", words
	}
	v, err := strconv.ParseFloat(strings.TrimSuffix(value, "s"), 64)
	if err != nil || v <= 0 || math.IsInf(v, 0) {
		return 0
	}
	return time.Duration(min(v, MaxDelay.Seconds()) * float64(time.Second))
}
