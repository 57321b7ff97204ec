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
type Balance struct {
	Volume, Quality, Freshness float64
	// Compete means that each request goes to what gains more, a page that the policy prefers
	// or one that was fetched before.
	Compete bool
}

// Division returns how hand-outs are divided between new pages and visits.
func (b Balance) Division() freshness.Division {
	return freshness.Division{Shared: b != Balance{} && !b.Compete, Share: b.Freshness, Compete: b.Compete}
}

// Values of Balance and Revisit.
const (
	balanceAuto = "auto" // pages compete, if the allocation says what visits gain
	revisitEach = "each" // each page has the same interval
)

// Planned reports whether visits are divided by an allocation. Otherwise, if there are any,
// each page has the same interval.
func (c *Config) Planned() bool {
	return c.Recrawl.Duration > 0 && c.Revisit != "" && c.Revisit != revisitEach
}

// competes reports whether the allocation says what a visit gains in the long run, which
// balanceAuto compares.
func (c *Config) competes() bool {
	a, err := freshness.Choose(c.Revisit)
	return c.Planned() && err == nil && a.Marginal()
}

// volumeOrder is the policy that fetches what was found first.
const volumeOrder = "breadth-first"

// Shares returns the balance of the configuration. auto is none where there is nothing to
// compare. What is not named has no share, as if it were 0.
func (c *Config) Shares() (b Balance, err error) {
	switch {
	case c.Balance == balanceAuto && c.competes():
		return Balance{Quality: 1, Compete: true}, nil
	case c.Balance == "" || c.Balance == balanceAuto:
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
	b = Balance{Volume: seen["volume"], Quality: seen["quality"], Freshness: seen["freshness"]}
	sum := b.Volume + b.Quality + b.Freshness
	switch {
	case sum == 0:
		return Balance{}, errors.New("all shares are 0")
	case b.Volume+b.Quality == 0:
		return Balance{}, errors.New("nothing is left for pages that were not fetched before")
	}
	return Balance{Volume: b.Volume / sum, Quality: b.Quality / sum, Freshness: b.Freshness / sum}, nil
}

// CheckBalance looks at what divides the visits. Check does so too.
func (c *Config) CheckBalance() error {
	b, err := c.Shares()
	if err != nil {
		return &KeyError{"balance", "volume=60,quality=25,freshness=15", err}
	}
	if b.Volume > 0 && c.balanced(b) == "" {
		return &KeyError{"balance", "", fmt.Errorf("volume takes turns with one policy, and %s is made of several", c.Policy)}
	}
	if c.Revisit != "" && c.Revisit != revisitEach {
		if _, err := freshness.Choose(c.Revisit); err != nil {
			return &KeyError{"revisit", "default", fmt.Errorf("%w, or %s", err, revisitEach)}
		}
	}
	usual := []string{"", revisitEach, freshness.DefaultName, freshness.DefaultAllocation}
	switch {
	case c.Recrawl.Duration > 0 && strings.Contains(c.Balance, "freshness") && !c.Planned():
		return &KeyError{"revisit", "default", errors.New("balance names freshness, and each page has its own time")}
	case c.Recrawl.Duration > 0:
	case b.Freshness > 0:
		return &KeyError{"recrawl", "30d", errors.New("balance has a share of freshness, and it is 0: it says how often pages are visited again when no new ones are left")}
	case !slices.Contains(usual, c.Revisit):
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
