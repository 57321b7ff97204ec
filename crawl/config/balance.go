package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/freshness"
)

// A Balance divides the visits of a crawl, in shares that sum to 1: pages that were found
// first (volume), pages that the policy prefers (quality), and pages that were fetched before
// (freshness). The zero value means that there is no balance.
type Balance struct{ Volume, Quality, Freshness float64 }

// volumeOrder is the policy that fetches what was found first.
const volumeOrder = "breadth-first"

// Shares returns the balance of the configuration.
func (c *Config) Shares() (b Balance, err error) {
	if c.Balance == "" {
		return b, nil
	}
	seen := map[string]float64{}
	for part := range strings.SplitSeq(c.Balance, ",") {
		name, text, _ := strings.Cut(strings.TrimSpace(part), "=")
		v, err := strconv.ParseFloat(text, 64)
		_, twice := seen[name]
		switch {
		case !slices.Contains([]string{"volume", "quality", "freshness"}, name):
			return b, fmt.Errorf("%q: a share is of volume, quality or freshness", part)
		case err != nil || !(v >= 0 && v <= 1e6):
			return b, fmt.Errorf("%q: a share is a number from 0 to 1,000,000", part)
		case twice:
			return b, fmt.Errorf("%s is given twice", name)
		}
		seen[name] = v
	}
	b = Balance{seen["volume"], seen["quality"], seen["freshness"]}
	sum := b.Volume + b.Quality + b.Freshness
	if b.Volume+b.Quality == 0 {
		return Balance{}, errors.New("nothing is left for pages that were not fetched before")
	}
	return Balance{b.Volume / sum, b.Quality / sum, b.Freshness / sum}, nil
}

// checkBalance looks at what divides the visits.
func (c *Config) checkBalance() error {
	b, err := c.Shares()
	if err != nil {
		return &KeyError{"balance", "volume=60,quality=25,freshness=15", err}
	}
	if b.Freshness > 0 && c.Recrawl.Duration <= 0 {
		return &KeyError{"recrawl", "30d", errors.New("balance has a share of freshness, and it is 0: it says how often pages are visited again when no new ones are left")}
	}
	if b.Volume > 0 && c.balanced(b) == "" {
		return &KeyError{"balance", "", fmt.Errorf("volume takes turns with one policy, and %s is made of several", c.Policy)}
	}
	if c.Revisit == "" {
		return nil
	}
	if _, err := freshness.Choose(c.Revisit); err != nil {
		return &KeyError{"revisit", "default", err}
	}
	if c.Recrawl.Duration <= 0 {
		return &KeyError{"recrawl", "7d", errors.New("revisit divides its visits, and it is 0")}
	}
	return nil
}

// balanced returns the policy that gives volume and quality their turns: the present one if it
// does so already, "" if there is none.
func (c *Config) balanced(b Balance) string {
	if b.Volume == 0 {
		return c.Policy
	}
	if b.Quality == 0 {
		return volumeOrder
	}
	head := fmt.Sprintf("mix:%s*%s+", volumeOrder, share(b.Volume))
	switch {
	case strings.HasPrefix(c.Policy, head):
		return c.Policy
	case strings.Contains(c.Policy, ":"):
		return ""
	}
	return head + c.Policy + "*" + share(b.Quality)
}

// share writes a share as a weight of a policy.
func share(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
