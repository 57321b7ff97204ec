package score

import (
	"math"
	"strings"
	"testing"
)

// A condition compares named numbers; what is missing is never reached.
func TestCondition(t *testing.T) {
	names := []string{"pages", "share", "hot"}
	numbers := []float64{100, 0.5, math.NaN()}
	for text, want := range map[string]bool{
		"pages >= 100":                      true,
		"pages > 100":                       false,
		"share >= 0.4 and pages < 1000":     true,
		"share >= 0.9 or pages >= 100":      true,
		"hot > 5":                           false,
		"hot < 5":                           false,
		"hot + 1 < 5":                       false,
		"(hot ?? 7) > 5":                    true,
		"not (share > 0.9)":                 true,
		"pages / 0 > 1 or share > 0":        false,
		"min(pages, 5) == 5 && share < 0.6": true,
	} {
		c, err := CompileCondition(text, names)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := c.Holds(numbers); got != want {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}
}

func TestConditionErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":              "it is empty",
		"pages":         "pages is a number, and true or false is needed",
		"pages >":       "column",
		"pagerank > 1":  "unknown term \"pagerank\"",
		"q(pages) > 1":  "there is no q here",
		"hot(1) > 0":    "unknown function",
		"pages > 'one'": "is a text",
	} {
		if _, err := CompileCondition(text, []string{"pages", "hot"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	c, err := CompileCondition("hot > 1", []string{"pages", "hot"})
	if err != nil || c.Uses(0) || !c.Uses(1) {
		t.Errorf("hot > 1: error %v, uses pages or not hot", err)
	}
}
