package config

import (
	"fmt"
	"io"
	"os"

	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/page"
)

// NewScope returns the scope of a configuration.
func NewScope(c *Config) (*gather.Scope, error) {
	o, err := ScopeOptions(c)
	if err != nil {
		return nil, err
	}
	if c.Rules != "" {
		if o.Rules, err = ReadRules(c.Rules, gather.ParseRules); err != nil {
			return nil, err
		}
	}
	if c.Deny != "" {
		if o.Deny, err = ReadRules(c.Deny, gather.ParseDeny); err != nil {
			return nil, err
		}
	}
	return gather.NewScope(o)
}

// ScopeOptions returns the options of a scope, without the files that the configuration names.
func ScopeOptions(c *Config) (gather.ScopeOptions, error) {
	o := gather.ScopeOptions{Kind: c.Scope, Include: c.Include, Exclude: c.Exclude}
	for _, text := range c.Seeds {
		url, err := page.ParseSeed(text)
		if err != nil {
			return o, fmt.Errorf("seed %q: %w", text, err)
		}
		o.Seeds = append(o.Seeds, url)
	}
	return o, nil
}

// ReadRules reads a file of rules.
func ReadRules(path string, parse func(string, io.Reader) (*gather.Rules, error)) (*gather.Rules, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parse(path, f)
}
