package score

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Rules give points to URLs: the location metric IL of Cho, Garcia-Molina and Page 1998,
// section 2. The value of a URL is the sum of what the rules give it.
type Rules struct{ list []Rule }

// A Rule gives points to URLs of a kind. It is written as its points, its kind and, for some
// kinds, a text: "+1 suffix .edu".
type Rule struct {
	Points float64
	Kind   string // see RuleKinds
	Text   string
}

// RuleKinds returns the kinds of rules with their meanings.
func RuleKinds() [][2]string {
	return [][2]string{
		{"slash", "for each slash in the path"},
		{"query", "if the URL has a query"},
		{"home", `if the URL contains "home", or its path is empty or "/"`},
		{"suffix TEXT", "if the host ends with the text, such as .edu"},
		{"contains TEXT", "if the URL contains the text"},
		{"prefix TEXT", "if the URL begins with the text"},
	}
}

// DefaultRules returns those of the policy location.
func DefaultRules() *Rules {
	return &Rules{[]Rule{{-1, "slash", ""}, {-1, "query", ""}, {1, "home", ""}}}
}

// NewRules returns no rules, to which Add adds.
func NewRules() *Rules { return &Rules{} }

// Add adds the rule on a line. It skips empty lines and those that begin with #.
func (r *Rules) Add(line string) error {
	fields := strings.Fields(line)
	if len(fields) == 0 || fields[0][0] == '#' {
		return nil
	}
	points, err := strconv.ParseFloat(fields[0], 64)
	if err != nil || math.IsNaN(points) || math.IsInf(points, 0) {
		return fmt.Errorf("%q is not a number of points: a rule is points, kind and text, such as +1 suffix .edu", fields[0])
	}
	var kinds []string
	for _, k := range RuleKinds() {
		kind, text, wants := strings.Cut(k[0], " ")
		kinds = append(kinds, kind)
		if len(fields) < 2 || fields[1] != kind {
			continue
		}
		if wants != (len(fields) == 3) || len(fields) > 3 {
			return fmt.Errorf("want: points %s", strings.TrimSpace(kind+" "+text))
		}
		r.list = append(r.list, Rule{points, kind, strings.Join(fields[2:], "")})
		return nil
	}
	return fmt.Errorf("no kind of rule in %q: there are %s", line, strings.Join(kinds, ", "))
}

// ParseRules returns the rules on the lines of a text.
func ParseRules(text string) (*Rules, error) {
	r := NewRules()
	for line := range strings.Lines(text) {
		if err := r.Add(line); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Text returns the rules on lines, as ParseRules reads them.
func (r *Rules) Text() string {
	var b strings.Builder
	for _, rule := range r.list {
		fmt.Fprintf(&b, "%v %v\n", rule.Points, rule)
	}
	return b.String()
}

// Len returns the number of rules.
func (r *Rules) Len() int { return len(r.list) }

// Value returns the points of a URL.
func (r *Rules) Value(url []byte) (sum float64) {
	u := parts(url)
	for i := range r.list {
		sum += r.list[i].points(&u)
	}
	return sum
}

// Each calls fn with each rule and what it gives to a URL.
func (r *Rules) Each(url []byte, fn func(rule Rule, points float64)) {
	u := parts(url)
	for _, rule := range r.list {
		fn(rule, rule.points(&u))
	}
}

// String returns the rule without its points.
func (r Rule) String() string { return strings.TrimSpace(r.Kind + " " + r.Text) }

// urlParts are the parts of a URL that rules look at.
type urlParts struct {
	all, host, path []byte
	query           bool
}

// parts returns the parts of a URL.
func parts(url []byte) (u urlParts) {
	u.all = url
	if i := bytes.Index(url, []byte("://")); i >= 0 {
		url = url[i+3:]
	}
	i := bytes.IndexAny(url, "/?#")
	if i < 0 {
		u.host = hostOf(url)
		return u
	}
	u.host, url = hostOf(url[:i]), url[i:]
	if i := bytes.IndexAny(url, "?#"); i >= 0 {
		u.path, u.query = url[:i], url[i] == '?'
		return u
	}
	u.path = url
	return u
}

// Path returns the part of a URL between its authority and its query or fragment.
func Path(url []byte) []byte { return parts(url).path }

// hostOf returns an authority without user and port.
func hostOf(authority []byte) []byte {
	authority = authority[bytes.LastIndexByte(authority, '@')+1:]
	if i := bytes.LastIndexByte(authority, ':'); i >= 0 && bytes.IndexByte(authority[i:], ']') < 0 {
		authority = authority[:i]
	}
	return authority
}

// points returns what the rule gives to a URL.
func (r *Rule) points(u *urlParts) float64 {
	fits := false
	switch r.Kind {
	case "slash":
		return float64(r.Points * float64(bytes.Count(u.path, []byte("/"))))
	case "query":
		fits = u.query
	case "home":
		fits = len(u.path) == 0 || string(u.path) == "/" || bytes.Contains(u.all, []byte("home"))
	case "suffix":
		fits = bytes.HasSuffix(u.host, []byte(r.Text))
	case "contains":
		fits = bytes.Contains(u.all, []byte(r.Text))
	case "prefix":
		fits = bytes.HasPrefix(u.all, []byte(r.Text))
	}
	return float64(r.Points * truth(fits))
}
