package gather

import (
	"fmt"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
)

// A RobotsSource holds the rules of a robots.txt for an agent, and where they come from.
// winnow robots prints its JSON form.
type RobotsSource struct {
	From   string `json:"robots"` // URL or file
	Class  string `json:"class"`  // found, moved, unavailable, unreachable
	Status int    `json:"status"` // of the last answer; 0: none, or a file
	Hops   int    `json:"redirects"`
	Bytes  int    `json:"bytes"`
	Note   string `json:"note,omitempty"` // what went wrong

	rules    robots.Rules
	sitemaps []string
}

// Source returns the rules for an agent in a robots.txt that was fetched.
func (f *RobotsFile) Source(agent string) *RobotsSource {
	s := &RobotsSource{From: f.URL, Class: f.Class.String(), Status: f.Status, Hops: f.Hops, Note: f.Note}
	switch f.Class {
	case robots.Found:
		s.read(f.Text, agent)
	case robots.Unreachable:
		s.rules = robots.DisallowAll()
	}
	return s
}

// NewRobotsSource returns the rules for an agent in the text of a robots.txt that was read
// from a file.
func NewRobotsSource(from string, text []byte, agent string) *RobotsSource {
	s := &RobotsSource{From: from, Class: robots.Found.String()}
	s.read(text, agent)
	return s
}

// read takes the rules for an agent from a robots.txt.
func (s *RobotsSource) read(text []byte, agent string) {
	s.Bytes = len(text)
	file := robots.Parse(text)
	s.rules, s.sitemaps = file.For(agent), file.Sitemaps
}

// A RobotsVerdict is what the rules of a site say about a URL. winnow robots prints its JSON
// form.
type RobotsVerdict struct {
	URL      string   `json:"url"`
	Agent    string   `json:"agent"`
	Allowed  bool     `json:"allowed"`
	Rule     string   `json:"rule"`          // the pattern that decided, in normal form; "" without one
	Line     int      `json:"line"`          // its line in the file; 0 if there is none
	Delay    float64  `json:"delay_seconds"` // between two requests to the site
	Crawl    float64  `json:"crawl_delay_seconds"`
	Sitemaps []string `json:"sitemaps"`
	RobotsSource
}

// Judge checks a URL, or a path, against the rules. delay is that of the crawl.
func (s *RobotsSource) Judge(url, agent string, delay time.Duration) RobotsVerdict {
	path := url
	if !strings.HasPrefix(url, "/") {
		_, rest := page.Site([]byte(url))
		path = string(rest)
	}
	v := s.rules.Test(path)
	return RobotsVerdict{
		URL: url, Agent: agent, Allowed: v.Allowed, Rule: v.Rule, Line: v.Line, Delay: max(delay, s.rules.Delay()).Seconds(),
		Crawl: s.rules.Delay().Seconds(), Sitemaps: append([]string{}, s.sitemaps...), RobotsSource: *s,
	}
}

// RuleText returns the rule that decided, with its line, or why there is none.
func (v *RobotsVerdict) RuleText() string {
	switch {
	case v.Line > 0 && v.Allowed:
		return fmt.Sprintf("line %d: Allow: %s", v.Line, v.Rule)
	case v.Line > 0:
		return fmt.Sprintf("line %d: Disallow: %s", v.Line, v.Rule)
	case v.Class == robots.Unreachable.String():
		return "none: nothing is allowed while robots.txt is unreachable"
	case v.Class == robots.Unavailable.String():
		return "none: there is no robots.txt"
	}
	return "none: no rule matches"
}
