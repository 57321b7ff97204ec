package config

import (
	"strings"
	"testing"
	"time"
)

// Only orders about a topic wait for better pages unless they are told to.
func TestWaitsForBetter(t *testing.T) {
	for _, x := range []struct {
		query, policy, wait string
		want                time.Duration
	}{
		{"x", "topical", "auto", time.Minute}, {"x", "score", "auto", time.Minute}, {"x", "opic", "auto", 0}, {"", "score", "auto", 0}, {"", "default", "auto", 0},
		{"x", "topical", "0", 0}, {"", "opic", "30", 30 * time.Second}, {"", "foresight", "5m", 5 * time.Minute},
	} {
		c := Default()
		c.Query, c.Policy, c.WaitForBetter = x.query, x.policy, x.wait
		if got := c.WaitsForBetter(); got != x.want {
			t.Errorf("%+v: %v", x, got)
		}
	}
	for text, set := range map[string]func(*Config){
		`want auto, or a duration`: func(c *Config) { c.WaitForBetter = "soon" },
		`a day at most`:            func(c *Config) { c.WaitForBetter = "25h" },
		`of a batch`:               func(c *Config) { c.WaitForBetter, c.BatchMode = "1m", "thesis" },
		`chooses sites first`:      func(c *Config) { c.WaitForBetter, c.SitePolicy = "1m", "opic" },
	} {
		c := Default()
		if set(&c); c.Check() == nil || !strings.Contains(c.Check().Error(), text) {
			t.Errorf("%v, want %q", c.Check(), text)
		}
	}
}
