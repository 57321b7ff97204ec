package config

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/advise"
	"github.com/winnow-crawler/winnow/crawl/remote"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/score"
	"github.com/winnow-crawler/winnow/topic"
)

// A KeyError is a value of the configuration that cannot be.
type KeyError struct {
	Key  string // as in files
	Hint string // a value that would do, or a sentence; "" if there is none
	Err  error
}

func (e *KeyError) Error() string { return e.Key + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *KeyError) Unwrap() error { return e.Err }

// keyErrorf returns a KeyError without a hint.
func keyErrorf(key, format string, args ...any) error {
	return &KeyError{Key: key, Err: fmt.Errorf(format, args...)}
}

// Check finds the first value that cannot be: a KeyError. It opens no files.
func (c *Config) Check() error {
	for _, check := range []func() error{
		c.checkNumbers, c.checkDurations, c.checkWords, c.checkTopic, c.checkPolicies, c.checkScore, c.checkStop, c.checkBatches, c.CheckBalance, c.checkNames, c.checkHeaders,
		c.checkAddresses, c.checkPatterns, c.checkSites,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// MaxFetchers is the most fetchers, and the most pages of a connection. More fetchers
// need more memory than a machine has.
const MaxFetchers = 1_000_000

// Other bounds. Pages have 32-bit numbers.
const (
	mostPages = math.MaxUint32 - 1
	mostDepth = frontier.MaxDepth - 1
	mostLinks = 1_000_000
	// A page may name each of them several times.
	mostRequisites = 10_000
	// MaxPartitions is the largest number of partitions: more than any machine has cores.
	MaxPartitions = 256
	leastMemory   = 64 << 20
)

func (c *Config) checkNumbers() error {
	for _, b := range []struct {
		key                string
		value, least, most int64
	}{
		{"pages", c.Pages, 0, math.MaxInt64},
		{"bytes", int64(c.Bytes), 0, math.MaxInt64},
		{"batch", int64(c.Batch), 1, mostPages},
		{"min_active", int64(c.MinActive), 0, MaxFetchers},
		{"small_site", int64(c.SmallSite), 0, mostPages},
		{"ip_cap", int64(c.IPCap), 0, MaxFetchers},
		{"fetchers", int64(c.Fetchers), 1, MaxFetchers},
		{"per_connection", int64(c.PerConnection), 1, MaxFetchers},
		{"keep_most", int64(c.KeepMost), 1, MaxFetchers},
		{"retries", int64(c.Retries), 0, 100},
		{"slow_times", int64(c.SlowTimes), 1, 255},
		{"max_body", int64(c.MaxBody), 1, math.MaxInt32},
		{"max_depth", int64(c.MaxDepth), int64(NoDepth), mostDepth},
		{"max_depth_dynamic", int64(c.MaxDepthDynamic), int64(NoDepth), mostDepth},
		{"max_links", int64(c.MaxLinks), 1, mostLinks},
		{"site_pages", int64(c.SitePages), 0, mostPages},
		{"domain_pages", int64(c.DomainPages), 0, mostPages},
		{"keep_pages", c.KeepPages, 0, mostPages},
		{"max_requisites", int64(c.MaxRequisites), 1, mostRequisites},
		{"max_memory", int64(c.MaxMemory), 0, math.MaxInt64},
		{"partitions", int64(c.Partitions), 1, MaxPartitions},
	} {
		if err := checkBounds(b.key, b.value, b.least, b.most); err != nil {
			return err
		}
	}
	if f := c.DelayFactor; !(f >= 0 && f <= 1e6) {
		return &KeyError{"delay_factor", "10", fmt.Errorf("%g: it must be from 0 to 1,000,000", f)}
	}
	if f := c.SlowFactor; !(f >= 0 && f <= 1e6) {
		return &KeyError{"slow_factor", "5", fmt.Errorf("%g: it must be from 0 to 1,000,000", f)}
	}
	if m := c.MaxMemory; m > 0 && m < leastMemory {
		return &KeyError{"max_memory", Size(leastMemory).String(), fmt.Errorf("%s: it must be at least %s", m, Size(leastMemory))}
	}
	return nil
}

// checkBatches looks at the mode of batches, and at what means nothing without batches.
func (c *Config) checkBatches() error {
	var mode frontier.Mode
	if err := mode.Set(c.BatchMode); err != nil {
		return &KeyError{"batch_mode", frontier.Thesis.String(), err}
	}
	if s := c.SiteShare; !(s >= 0 && s <= 1) {
		return &KeyError{"site_share", "0.1", fmt.Errorf("%g: it must be from 0 to 1", s)}
	}
	if err := c.checkWait(mode); err != nil {
		return err
	}
	switch {
	case c.MinActive > 0 && mode != frontier.Thesis:
		return &KeyError{"batch_mode", frontier.Thesis.String(), fmt.Errorf("min_active ends a batch early, and %s does not wait for the end of batches", mode)}
	case c.SiteShare > 0 && mode == frontier.Continuous:
		return &KeyError{"batch_mode", frontier.Thesis.String(), errors.New("site_share is a share of a batch, and continuous has none")}
	}
	return nil
}

func checkBounds(key string, value, least, most int64) error {
	switch {
	case value < least:
		return &KeyError{key, strconv.FormatInt(least, 10), fmt.Errorf("%d: it must be at least %d", value, least)}
	case value > most:
		return &KeyError{key, strconv.FormatInt(most, 10), fmt.Errorf("%d: it can be %d at most", value, most)}
	}
	return nil
}

// checkDurations looks at times that cannot be zero, and at those that are too long to
// be meant: a site would wait for longer than its robots.txt is valid.
func (c *Config) checkDurations() error {
	for _, b := range []struct {
		key   string
		value Duration
		least float64 // seconds
		most  float64
	}{
		{"delay", c.Delay, 0, 86400},
		{"small_delay", c.SmallDelay, 0, 86400},
		{"delay_max", c.DelayMax, 0, 86400},
		{"ip_delay", c.IPDelay, 0, 86400},
		{"timeout", c.Timeout, 0.001, 86400},
		{"timeout_connect", c.Connect, 0.001, 86400},
		{"timeout_first_byte", c.FirstByte, 0.001, 86400},
		{"timeout_stall", c.Stall, 0.001, 86400},
		{"commit", c.Commit, 0, 60},
		{"patience", c.Patience, 1, 30 * 86400},
		{"slow_answer", c.SlowAnswer, 0, 86400},
		{"slow_delay", c.SlowDelay, 0, 86400},
		{"slow_max", c.SlowMax, 0, 86400},
	} {
		switch least, most := Seconds(b.least), Seconds(b.most); {
		case b.value.Duration < least.Duration:
			return &KeyError{b.key, least.String(), fmt.Errorf("%s: it must be at least %s", b.value, least)}
		case b.value.Duration > most.Duration:
			return &KeyError{b.key, most.String(), fmt.Errorf("%s: it can be %s at most", b.value, most)}
		}
	}
	if c.SmallSite > 0 && c.SmallDelay.Duration < c.Delay.Duration {
		return &KeyError{"small_delay", c.Delay.String(), fmt.Errorf("%s: small sites cannot have less than the delay of the others, %s", c.SmallDelay, c.Delay)}
	}
	return nil
}

// checkWords looks at keys that take one word of several.
func (c *Config) checkWords() error {
	if c.List && c.SitemapOnly {
		return keyErrorf("sitemap_only", "it cannot be combined with list, which fetches exactly the seeds")
	}
	if c.SitemapOnly && !c.Sitemaps {
		return keyErrorf("sitemap_only", "it needs sitemaps, which sitemaps=false turns off")
	}
	scopes := []string{ScopeAny, ScopeSeeds, ScopeDomain}
	if !strings.HasPrefix(c.Scope, ScopeRegexp) && !slices.Contains(scopes, c.Scope) {
		return keyErrorf("scope", "%q: want any, seeds, domain or regexp:R", c.Scope)
	}
	if !slices.Contains([]string{HeadersAuto, HeadersSeeds, HeadersAny}, c.HeaderScope) {
		return keyErrorf("header_scope", "%q: want auto, seeds or any", c.HeaderScope)
	}
	if !slices.Contains([]string{TypesHTML, TypesAll}, c.Types) {
		return keyErrorf("types", "%q: want html or all", c.Types)
	}
	if !slices.Contains([]string{RenderOff, RenderAuto, RenderAlways}, c.Render) {
		return keyErrorf("render", "%q: want off, auto or always", c.Render)
	}
	if c.Renders() && (!c.KeepsPages() || c.KeepPages > 0) {
		return &KeyError{"render", RenderOff, errors.New("pages are shown from WARC files, which must keep them: it cannot be used with store = 'links' or keep_pages")}
	}
	if c.Requisites && !c.KeepsPages() {
		return &KeyError{"requisites", "false", errors.New("there are no WARC files with store = 'links'")}
	}
	if c.Requisites && c.KeepPages > 0 {
		return &KeyError{"requisites", "false", errors.New("it cannot be used with keep_pages: what is kept of WARC files are pages")}
	}
	if c.KeepPages > 0 && !c.KeepsPages() {
		return &KeyError{"keep_pages", "0", errors.New("there are no WARC files with store = 'links'")}
	}
	if !slices.Contains([]string{StorePages, StoreLinks, StoreBoth}, c.Store) {
		return keyErrorf("store", "%q: want both or links", c.Store)
	}
	return c.checkArchive()
}

// checkArchive looks at the place to which WARC files are sent.
func (c *Config) checkArchive() error {
	if c.Archive == "" {
		return nil
	}
	if _, err := remote.Parse(c.Archive); err != nil {
		return &KeyError{"archive", remote.Example, err}
	}
	switch {
	case c.KeepPages > 0:
		return &KeyError{"archive", "", errors.New("it cannot be used with keep_pages, which rewrites WARC files: what is sent never changes")}
	case !c.KeepsPages():
		return &KeyError{"archive", "", errors.New("there are no WARC files with store = 'links'")}
	}
	return nil
}

// Words returns the values that a key takes, nil where they cannot be listed.
func (k Key) Words() []string {
	switch k.Name {
	case "scope":
		return []string{ScopeSeeds, ScopeDomain, ScopeAny, ScopeRegexp}
	case "header_scope":
		return []string{HeadersAuto, HeadersSeeds, HeadersAny}
	case "render":
		return []string{RenderOff, RenderAuto, RenderAlways}
	case "types":
		return []string{TypesHTML, TypesAll}
	case "store":
		return []string{StoreBoth, StoreLinks}
	case "similarity":
		return topic.Measures()
	case "idf":
		return topic.IDFs()
	case "stem":
		return append([]string{NoStem}, topic.Languages()...)
	}
	return nil
}

// checkPolicies refuses policies that a live crawl cannot follow: those that need an
// oracle, and without history those that need an earlier crawl.
func (c *Config) checkPolicies() error {
	if c.Policy == "" {
		return &KeyError{"policy", policy.Default, errors.New("no policy is named")}
	}
	if err := c.checkPolicy(c.Policy); err != nil {
		return &KeyError{"policy", "", err}
	}
	if c.SitePolicy == "" {
		return nil
	}
	if err := c.checkPolicy(c.SitePolicy); err != nil {
		return &KeyError{"site_policy", "", err}
	}
	return nil
}

// checkScore compiles the expression.
func (c *Config) checkScore() error {
	if c.Score == "" {
		return c.checkScoreFiles()
	}
	f, err := score.Compile(c.Score)
	if err == nil && f.Needs.Topic() && !c.Focused() {
		err = fmt.Errorf("terms of it are about a topic: %w", policy.ErrTopic)
	}
	if err != nil {
		return &KeyError{"score", "", err}
	}
	return nil
}

// StopOff is the value of StopWhen with which nothing stops a crawl.
const StopOff = "off"

// Stop returns the condition under which the crawl pauses, nil if there is none.
func (c *Config) Stop() (*score.Condition, error) {
	if c.StopWhen == "" || c.StopWhen == StopOff {
		return nil, nil
	}
	return advise.CompileStop(c.StopWhen)
}

// checkStop compiles the condition.
func (c *Config) checkStop() error {
	if _, err := c.Stop(); err != nil {
		return &KeyError{"stop_when", "", err}
	}
	return nil
}

// checkScoreFiles refuses values and rules that nothing uses.
func (c *Config) checkScoreFiles() error {
	for key, file := range map[string]string{"import_values": c.ImportValues, "location_rules": c.LocationRules} {
		if file != "" && c.ScoreFile == "" {
			return keyErrorf(key, "it is for a term of score, and there is none")
		}
	}
	return nil
}

// checkPolicy tries whether a policy can be made for a frontier of one page.
func (c *Config) checkPolicy(name string) error {
	choice, err := policy.Choose(name)
	if err != nil {
		return err
	}
	env := policy.Env{Batch: c.Batch, MaxPages: 1, MaxSites: 1, URL: noURL}
	if c.History != "" {
		env.Prior = &policy.Prior{Value: func(graph.Page) (float64, bool) { return 0, false }}
	}
	about, err := c.anyTopic()
	if err != nil {
		return err
	}
	f, err := frontier.New(frontier.Options{MaxPages: 1, MaxSites: 1, Topic: about}, env, choice, nil, nil)
	if err == nil {
		f.Free()
	}
	return err
}

// anyTopic returns the topic, or another one if it is not made yet.
func (c *Config) anyTopic() (*topic.Topic, error) {
	if c.Topic == "" && c.Focused() {
		return topic.ReadText(":\nx\t1\n", topic.Rule{}, topic.Hot{})
	}
	return c.About()
}

// noURL stands in for the URLs of pages where there are no pages.
func noURL(b []byte, _ graph.Page) []byte { return b }

// checkPatterns compiles the regular expressions.
func (c *Config) checkPatterns() error {
	if text, ok := strings.CutPrefix(c.Scope, ScopeRegexp); ok {
		if err := checkPattern("scope", ScopeRegexp, text); err != nil {
			return err
		}
	}
	for _, text := range c.Include {
		if err := checkPattern("include", "", text); err != nil {
			return err
		}
	}
	for _, text := range c.Exclude {
		if err := checkPattern("exclude", "", text); err != nil {
			return err
		}
	}
	return nil
}

// checkPattern compiles an expression, which stands behind a prefix in its key. One that
// is none was perhaps meant letter by letter.
func checkPattern(key, prefix, text string) error {
	if text == "" {
		return keyErrorf(key, "the regular expression is empty and would match every URL")
	}
	if _, err := regexp.Compile(text); err != nil {
		err = fmt.Errorf("%q: %s", text, strings.TrimPrefix(err.Error(), "error parsing regexp: "))
		return &KeyError{key, prefix + regexp.QuoteMeta(text), err}
	}
	return nil
}
