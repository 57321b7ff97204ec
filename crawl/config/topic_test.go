package config

import (
	"errors"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/topic"
)

func TestTopicKeys(t *testing.T) {
	for _, test := range []struct {
		set  func(*Config)
		key  string // of the error
		want string // part of it
	}{
		{func(c *Config) { c.Query = "x" }, "", ""},
		{func(c *Config) { c.Query = " \n " }, "query", "empty"},
		{func(c *Config) { c.Similarity = "jaccard" }, "similarity", "bm25, cosine, inner"},
		{func(c *Config) { c.IDF = "square" }, "idf", "log, inverse, none"},
		{func(c *Config) { c.TitleWeight = 0 }, "title_weight", "from 1"},
		{func(c *Config) { c.Stem = "latin" }, "stem", "english"},
		{func(c *Config) { c.Hot = "1.5" }, "hot", "paper"},
		{func(c *Config) { c.Hot, c.Similarity = "1.5", "inner" }, "", ""},
		{func(c *Config) { c.Topic = "x" }, "topic", "no term"},
		{func(c *Config) { c.IDFFile = "x" }, "idf_file", "there is none"},
		{func(c *Config) { c.Examples, c.Store = []string{"http://a.example/"}, StoreLinks }, "store", "must be stored"},
		{func(c *Config) { c.Policy = "topical" }, "policy", "topic"},
	} {
		c := Default()
		test.set(&c)
		err := c.Check()
		var key *KeyError
		if (err == nil) != (test.key == "") || err != nil && (!errors.As(err, &key) || key.Key != test.key || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("error %v, want one of %q with %q", err, test.key, test.want)
		}
	}
}

func TestHotKey(t *testing.T) {
	for _, test := range []struct {
		hot, similarity string
		want            topic.Hot
	}{
		{"auto", "bm25", topic.Hot{Similarity: 0.7}}, {"auto", "cosine", topic.Hot{Similarity: 0.06}}, {"auto", "inner", topic.PaperHot()},
		{"paper", "bm25", topic.PaperHot()}, {"0.3", "cosine", topic.Hot{Similarity: 0.3}},
	} {
		c := Default()
		c.Hot, c.Similarity = test.hot, test.similarity
		if _, got, err := c.TopicRule(); err != nil || got != test.want {
			t.Errorf("%s by %s: %+v, error %v, want %+v", test.hot, test.similarity, got, err, test.want)
		}
	}
}

// A topic selects its policy, unless another one is named or there is a score.
func TestTopicPolicy(t *testing.T) {
	for _, test := range []struct{ query, score, named, want string }{
		{"x", "", "", policy.TopicDefault}, {"x", "", "opic", "opic"}, {"x", "pagerank", "", "score"}, {"", "", "", policy.Default},
	} {
		c := Default()
		c.Query, c.Score = test.query, test.score
		if test.named != "" {
			c.Policy = test.named
		}
		if c.ChoosePolicy(); c.Policy != test.want {
			t.Errorf("%+v: policy %s", test, c.Policy)
		}
	}
}
