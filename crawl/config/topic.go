package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/topic"
)

// Focused reports whether the crawl is about something.
func (c *Config) Focused() bool {
	return c.Query+c.QueryFile+c.Like+c.Topic != "" || len(c.Examples) > 0
}

// About returns what the crawl is about, nil if it is about nothing in particular, or if the
// examples of that were not fetched yet.
func (c *Config) About() (*topic.Topic, error) {
	if c.Topic == "" {
		return nil, nil
	}
	rule, hot, err := c.TopicRule()
	if err != nil {
		return nil, err
	}
	t, err := topic.ReadText(c.Topic, rule, hot)
	if err != nil {
		return nil, &KeyError{"topic", "", err}
	}
	return t, nil
}

// Words that are values of topic keys.
const (
	HotAuto  = "auto"
	NoStem   = "none"
	HotPaper = "paper"
)

// TopicRule returns how similarity is computed, and which pages are hot.
func (c *Config) TopicRule() (rule topic.Rule, hot topic.Hot, err error) {
	if err = rule.Measure.Set(c.Similarity); err != nil {
		return rule, hot, &KeyError{"similarity", "", err}
	}
	if err = rule.IDF.Set(c.IDF); err != nil {
		return rule, hot, &KeyError{"idf", "", err}
	}
	if rule.Title = c.TitleWeight; !(rule.Title >= 1 && rule.Title <= 1000) {
		return rule, hot, &KeyError{"title_weight", "2", fmt.Errorf("%g: it must be from 1 to 1,000", rule.Title)}
	}
	if rule.Stem = c.Stem; c.Stem == NoStem {
		rule.Stem = ""
	}
	if err = topic.CheckLanguage(rule.Stem); err != nil {
		return rule, hot, &KeyError{"stem", "", err}
	}
	hot, err = c.hot()
	return rule, hot, err
}

// The usual thresholds of similarity: docs/focus.md has the evidence.
const (
	hotBM25   = 0.7
	hotCosine = 0.06
)

func (c *Config) hot() (topic.Hot, error) {
	switch {
	case c.Hot == HotPaper || c.Hot == HotAuto && c.Similarity == topic.Inner.String():
		return topic.PaperHot(), nil
	case c.Hot == HotAuto && c.Similarity == topic.Cosine.String():
		return topic.Hot{Similarity: hotCosine}, nil
	case c.Hot == HotAuto:
		return topic.Hot{Similarity: hotBM25}, nil
	}
	v, err := strconv.ParseFloat(c.Hot, 64)
	if err != nil || !(v > 0 && v <= 1) && c.Similarity != topic.Inner.String() || !(v > 0 && v < 1e300) {
		return topic.Hot{}, &KeyError{"hot", HotAuto, fmt.Errorf("%q: want auto, paper, or a similarity above 0, at most 1", c.Hot)}
	}
	return topic.Hot{Similarity: v}, nil
}

// checkTopic looks at the keys of the topic. What files hold is read when the crawl begins.
func (c *Config) checkTopic() error {
	if _, _, err := c.TopicRule(); err != nil {
		return err
	}
	if c.Query != "" && strings.TrimSpace(c.Query) == "" {
		return &KeyError{"query", "web crawler", errors.New("it is empty")}
	}
	if c.IDFFile != "" && !c.Focused() {
		return keyErrorf("idf_file", "it is for a topic, and there is none: query, query_file, examples or like")
	}
	if len(c.ExampleURLs()) > 0 && !c.KeepsPages() && c.Topic == "" {
		return &KeyError{"store", StoreBoth, errors.New("examples that are fetched must be stored")}
	}
	_, err := c.About()
	return err
}

// ExampleURLs returns the examples that are URLs, not files.
func (c *Config) ExampleURLs() (list []string) {
	for _, e := range c.Examples {
		if strings.HasPrefix(e, "http://") || strings.HasPrefix(e, "https://") {
			list = append(list, e)
		}
	}
	return list
}
