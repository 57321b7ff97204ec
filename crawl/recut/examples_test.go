package recut_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/recut"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/policy"
)

// Examples of a topic that are URLs of several partitions make the topic that they make in one piece,
// in all of them, also if the crawl is killed when they were fetched. They are hot there, also if the
// partitions are joined, and if one is split.
func TestExamples(t *testing.T) {
	root := t.TempDir()
	topics, judged := map[string][]string{}, map[string]string{}
	for _, name := range []string{"1", "4", "killed", "split", "joined"} {
		synctest.Test(t, func(t *testing.T) {
			dir := filepath.Join(root, name)
			w := newTestWeb(t, dir, fakeweb.Spec{Pages: 60, Sites: 12, Links: 400, Seed: 7, Topics: fakeweb.SomeTopics()}, answer.Options{})
			c := &w.o.Config
			c.Policy, c.Examples = policy.TopicDefault, []string{w.server.URL(1), w.server.URL(20), w.server.URL(40)}
			switch name {
			case "1":
				w.run(t)
			case "4":
				c.Partitions = 4
				w.o.Log = slog.New(&logged{"looking for pages", func() {
					if err := os.CopyFS(filepath.Join(root, "killed"), os.DirFS(dir)); err != nil {
						t.Error(err)
					}
				}})
				w.run(t)
				w.check(t, answer.Limits{Sitemaps: true, MaxBody: int(c.MaxBody), MaxDepth: max(0, int(c.MaxDepth))}) // no example twice
			case "killed":
				c.Partitions = 4
				w.run(t)
			case "split":
				if _, err := recut.Split(t.Context(), recut.SplitOptions{Dir: filepath.Join(root, "1"), Out: dir, Partitions: 4, Version: "test"}); err != nil {
					t.Fatal(err)
				}
			case "joined":
				one, err := recut.Open(t.Context(), filepath.Join(root, "4"))
				if err != nil {
					t.Fatal(err)
				}
				defer one.Close()
				topics[name], judged[name] = topicOf(t, one)
				return
			}
			verify(t, dir)
			all, err := history.OpenAll(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			defer all.Close()
			topics[name], judged[name] = topicOf(t, all.Crawls...)
		})
	}
	for name := range topics {
		if len(topics[name]) != 1 || topics[name][0] != topics["1"][0] || judged[name] != judged["1"] || strings.Count(judged[name], "true") != 3 {
			t.Errorf("%s: topics %q, examples %s; in one piece %q, %s", name, topics[name], judged[name], topics["1"], judged["1"])
		}
	}
}

// topicOf returns the different topics of crawls, and whether each page that was judged is hot.
func topicOf(t *testing.T, crawls ...*history.Crawl) (topics []string, judged string) {
	t.Helper()
	var pages []string
	for _, c := range crawls {
		conf, err := c.Config()
		if err != nil {
			t.Fatal(err)
		}
		topics = append(topics, conf.Topic)
		var list []graph.Page
		if err := c.Each(func(r *journal.Record) error {
			if r.Event.Kind == event.Judged {
				list = append(list, r.Event.Page)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if len(list) == 0 {
			continue
		}
		if err := c.Pages(&history.PageFilter{Only: list}, func(p *history.PageInfo) error {
			pages = append(pages, fmt.Sprint(p.URL, " ", p.Hot))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(topics)
	slices.Sort(pages)
	return slices.Compact(topics), strings.Join(pages, "\n")
}

// A logged calls a function when something is logged.
type logged struct {
	text string
	do   func()
}

func (l *logged) Enabled(context.Context, slog.Level) bool { return true }
func (l *logged) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *logged) WithGroup(string) slog.Handler            { return l }

func (l *logged) Handle(_ context.Context, r slog.Record) error {
	if strings.HasPrefix(r.Message, l.text) {
		l.do()
	}
	return nil
}
