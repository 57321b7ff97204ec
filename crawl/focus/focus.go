// Package focus makes the topic of a crawl: of queries, of example pages, and of the pages of an
// earlier crawl.
package focus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/internal/input"
	"github.com/winnow-crawler/winnow/topic"
)

// A Made is a topic with what users want to know of it.
type Made struct {
	*topic.Topic
	Notes []string
}

// Make makes the topic of a configuration. dir is the crawl that has fetched the examples that
// are URLs.
func Make(ctx context.Context, c *config.Config, dir string) (*Made, error) {
	rule, hot, err := c.TopicRule()
	if err != nil {
		return nil, err
	}
	m := maker{config: c, rule: rule, stop: topic.NewStop(rule)}
	if m.given, err = m.frequencies(c.IDFFile); err != nil {
		return nil, err
	}
	for _, step := range []func() error{
		m.query, m.queryFile, func() error { return m.examples(ctx, dir) }, func() error { return m.like(ctx) },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	t, err := topic.New(m.queries, rule, hot)
	if err != nil {
		return nil, &hint.Error{Text: "the topic", Hint: "leave words or queries out", Err: err}
	}
	for _, word := range t.Terms() {
		if v, ok := m.given[word]; ok {
			t.Give(word, v)
		}
	}
	return &Made{t, m.notes}, nil
}

// A maker gathers the queries of a topic.
type maker struct {
	config  *config.Config
	rule    topic.Rule
	stop    topic.Stop
	given   map[string]float64 // by word: how rare it is; nil: not known
	queries []topic.Query
	notes   []string
}

// query adds the queries of the key query.
func (m *maker) query() error {
	for line := range strings.Lines(m.config.Query) {
		if err := m.add("--query", strings.TrimSpace(line)); err != nil {
			return err
		}
	}
	return nil
}

// queryFile adds those of a file.
func (m *maker) queryFile() error {
	name := m.config.QueryFile
	if name == "" {
		return nil
	}
	const holds = "a line is a query; # begins a comment"
	f, err := input.Open(name)
	if err != nil {
		return &hint.Error{Text: "--query-file", Hint: holds, Err: err}
	}
	defer f.Close()
	before := len(m.queries)
	err = input.Lines(f, func(_ int, line []byte) error {
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			return nil
		}
		return m.add("--query-file", string(line))
	})
	if err == nil && len(m.queries) == before {
		err = fmt.Errorf("%s: no query in it", name)
	}
	if err != nil {
		return &hint.Error{Text: "--query-file", Hint: holds, Err: err}
	}
	return nil
}

// add adds a query.
func (m *maker) add(flag, text string) error {
	if text == "" {
		return nil
	}
	q, err := topic.Parse(text, text, m.rule)
	if err != nil {
		return &hint.Error{Text: fmt.Sprintf("%s: %q has no words", flag, text), Hint: "name words that the pages sought have, such as: --query 'web crawler'"}
	}
	if q.Drop(m.stop) {
		m.notes = append(m.notes, fmt.Sprintf("%s: %q has only words that most pages have", flag, text))
	}
	m.queries = append(m.queries, q)
	return nil
}

// maxFile is the largest number of bytes that are read of an example.
const maxFile = 16 << 20

// examples adds a query of the words that the examples have.
func (m *maker) examples(ctx context.Context, dir string) error {
	if len(m.config.Examples) == 0 {
		return nil
	}
	corpus := topic.NewCorpus(m.rule)
	urls := m.config.ExampleURLs()
	for _, name := range m.config.Examples {
		if slices.Contains(urls, name) {
			continue
		}
		title, text, err := readDocument(name)
		if err != nil {
			return &hint.Error{Text: "--examples", Hint: "an example is a URL, or a file with HTML or text", Err: err}
		}
		corpus.Add(title, text)
	}
	if len(urls) > 0 {
		if err := m.fetched(ctx, dir, urls, corpus); err != nil {
			return err
		}
	}
	return m.extract("examples", "--examples", corpus)
}

// fetched adds the examples that a crawl has fetched.
func (m *maker) fetched(ctx context.Context, dir string, urls []string, corpus *topic.Corpus) error {
	files, err := warcFiles(dir)
	if err != nil {
		return err
	}
	found := map[string]bool{}
	err = history.EachText(ctx, files, func(url string, title, text []byte) error {
		for _, u := range urls {
			if seed, err := page.ParseSeed(u); err == nil && seed == url && !found[u] {
				found[u] = true
				corpus.Add(title, text)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, u := range urls {
		if !found[u] {
			return &hint.Error{Text: "--examples: " + u + " was not fetched", Hint: "winnow explain " + dir + " " + u + " says why; the same command line tries it again, or leave it out"}
		}
	}
	return nil
}

// like adds a query of the words that the pages of an earlier crawl have.
func (m *maker) like(ctx context.Context) error {
	dir := m.config.Like
	if dir == "" {
		return nil
	}
	files, err := warcFiles(dir)
	switch {
	case err != nil:
		return err
	case !layout.IsCrawl(dir):
		return &hint.Error{Text: "--like: " + dir + " is not the directory of a crawl", Hint: "name the directory of an earlier crawl; files are for --examples"}
	case len(files) == 0:
		return &hint.Error{Text: "--like: " + dir + " has no WARC files", Hint: "it was crawled with --store links: name a crawl with pages"}
	}
	corpus := topic.NewCorpus(m.rule)
	err = history.EachText(ctx, files, func(_ string, title, text []byte) error {
		corpus.Add(title, text)
		return nil
	})
	if err != nil {
		return fmt.Errorf("--like: %w", err)
	}
	return m.extract("like "+filepath.Base(filepath.Clean(dir)), "--like", corpus)
}

// extract adds the query of a corpus.
func (m *maker) extract(name, flag string, corpus *topic.Corpus) error {
	q, err := corpus.Extract(name, m.stop, m.given)
	if err != nil {
		return &hint.Error{Text: fmt.Sprintf("%s: %d pages have no words that tell what they are about", flag, corpus.Len()), Hint: "name pages with text, or words by --query"}
	}
	m.queries = append(m.queries, q)
	return nil
}

// frequencies reads the weights of words.
func (m *maker) frequencies(name string) (map[string]float64, error) {
	if name == "" {
		return nil, nil
	}
	const holds = `lines are "word TAB weight", with weights above 0`
	f, err := input.Open(name)
	if err != nil {
		return nil, &hint.Error{Text: "--idf-file", Hint: holds, Err: err}
	}
	defer f.Close()
	given, words := map[string]float64{}, topic.NewWords(m.rule.Stem)
	err = input.Values(f, func(key []byte, value float64) error {
		if !(value > 0) {
			return fmt.Errorf("the weight %g is not above 0", value)
		}
		for word := range words.All(key) {
			given[string(word)] = max(given[string(word)], value)
		}
		return nil
	})
	if err != nil {
		return nil, &hint.Error{Text: "--idf-file", Hint: holds, Err: err}
	}
	return given, nil
}

// readDocument reads a file with HTML or text.
func readDocument(name string) (title, text []byte, err error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, nil, err
	case info.IsDir():
		return nil, nil, errors.New(name + " is a directory")
	case info.Size() > maxFile:
		return nil, nil, fmt.Errorf("%s has more than %d bytes", name, maxFile)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	var d page.Decoder
	b, _ = d.Decode(b, "")
	if !isHTML(name, b) {
		return nil, b, nil
	}
	var p page.Page
	page.NewScanner(page.ScanOptions{}).Scan(b, &p)
	return p.Title, p.Text, nil
}

// isHTML reports whether a file has HTML rather than text.
func isHTML(name string, b []byte) bool {
	start := bytes.ToLower(b[:min(len(b), 1024)])
	return slices.Contains([]string{".html", ".htm", ".xhtml"}, strings.ToLower(filepath.Ext(name))) ||
		bytes.Contains(start, []byte("<html")) || bytes.Contains(start, []byte("<!doctype html"))
}
