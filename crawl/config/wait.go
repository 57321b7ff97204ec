package config

import (
	"errors"
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/policy"
)

const (
	// waitAuto lets the crawl decide.
	waitAuto = "auto"
	// topicWait is how long a crawl about a topic waits for better pages, unless it is told.
	topicWait = time.Minute
)

// WaitsForBetter returns how long a site is left idle at most because its pages are not among the
// best; 0: not at all. Unless the key says otherwise, it is 0 for orders that are not about a
// topic.
func (c *Config) WaitsForBetter() time.Duration {
	if c.WaitForBetter != waitAuto {
		d, _ := parseDuration(c.WaitForBetter) // Check has read it
		return d
	}
	if p, err := policy.Choose(c.Policy); err == nil && c.Focused() && (p.Spec.Topic || p.Spec.Name == "score") {
		return topicWait
	}
	return 0
}

// checkWait looks at how long sites are left idle.
func (c *Config) checkWait(mode frontier.Mode) error {
	if c.WaitForBetter == waitAuto {
		return nil
	}
	d, err := parseDuration(c.WaitForBetter)
	switch {
	case err != nil || d < 0 || d > 24*time.Hour:
		return &KeyError{"wait_for_better", waitAuto, fmt.Errorf("%q: want auto, or a duration such as 1m, a day at most; 0 waits for nothing", c.WaitForBetter)}
	case d > 0 && mode != frontier.Continuous:
		return &KeyError{"batch_mode", frontier.Continuous.String(), errors.New("wait_for_better compares all pages that wait, and not those of a batch")}
	case d > 0 && c.SitePolicy != "":
		return &KeyError{"wait_for_better", waitAuto, errors.New("site_policy chooses sites first, so pages of several sites are not compared")}
	}
	return nil
}
