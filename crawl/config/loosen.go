package config

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
)

// Loosens reports whether what decides about URLs differs from the session before: the
// configuration, or the contents of the files that it names.
func Loosens(before []byte, now *Config) bool {
	if len(before) == 0 {
		return false
	}
	if filesSum(before) != filesSum(now.AppendFilesSum(nil)) {
		return true
	}
	was := Default()
	if err := was.Read("the last session", before); err != nil {
		return true
	}
	a, b := was.limitsOnly(), now.limitsOnly()
	x, errX := a.Marshal()
	y, errY := b.Marshal()
	return errX != nil || errY != nil || !bytes.Equal(x, y)
}

// limitsOnly returns a configuration with nothing but what decides about URLs.
func (c *Config) limitsOnly() Config {
	d := Default()
	d.Seeds, d.Scope, d.Include, d.Exclude, d.Rules, d.Deny = c.Seeds, c.Scope, c.Include, c.Exclude, c.Rules, c.Deny
	d.MaxDepth, d.MaxDepthDynamic, d.SitePages, d.DomainPages, d.Types, d.Site = c.MaxDepth, c.MaxDepthDynamic, c.SitePages, c.DomainPages, c.Types, c.Site
	d.Traps = c.Traps
	return d
}

// filesLine begins the line of a session's configuration that tells what the files of
// rules and deny lists held. It is a comment, so that it is no key that anybody could set.
const filesLine = "# sha256 of rules and deny: "

// AppendFilesSum appends a line with the checksum of the rule files that c names, if it
// names any, to the text of the configuration.
func (c *Config) AppendFilesSum(text []byte) []byte {
	if c.Rules == "" && c.Deny == "" {
		return text
	}
	h := sha256.New()
	for _, name := range []string{c.Rules, c.Deny} {
		data := []byte(nil)
		if name != "" {
			data, _ = os.ReadFile(name) // it was read a moment ago, or the crawl does not begin
		}
		fmt.Fprintf(h, "%d ", len(data))
		h.Write(data)
	}
	return fmt.Appendf(text, "%s%x\n", filesLine, h.Sum(nil))
}

// filesSum returns the sum that the text of a configuration holds, "" if it has none.
func filesSum(text []byte) string {
	_, sum, _ := strings.Cut(string(text), filesLine)
	sum, _, _ = strings.Cut(sum, "\n")
	return sum
}
