package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/cmd/winnow/graphs"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/focus"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/result"
	"github.com/winnow-crawler/winnow/internal/show"
)

// similarity is the metric that needs the texts of pages.
const similarity = "similarity"

// topicFlags returns the keys of a crawl that are flags of winnow rank, too.
func topicFlags() []string {
	return []string{"query", "query_file", "similarity", "idf", "idf_file", "title_weight", "stem"}
}

// addTopicFlags adds them with the help that the keys have.
func addTopicFlags(f *pflag.FlagSet) {
	c := config.Default()
	for _, name := range topicFlags() {
		k, _ := c.Key(name)
		f.String(k.Flag(), k.String(), similarity+": "+flagHelp(&c, k))
	}
}

// topicConfig returns the configuration of a crawl with the flags that are given.
func (o *rankOptions) topicConfig(u *console.UI, dir string) (config.Config, error) {
	c, found, err := history.ReadConfig(dir)
	if err != nil || !found {
		c = config.Default() // Rank reports what is wrong with the directory
	}
	anew := false // another query takes the place of that of the crawl
	for _, name := range topicFlags() {
		k, _ := c.Key(name)
		if !o.flags.Changed(k.Flag()) {
			continue
		}
		if strings.HasPrefix(name, "query") && !anew {
			c.Query, c.QueryFile, c.Like, c.Examples, anew = "", "", "", nil, true
		}
		c.Topic = "" // it is made again
		if err := k.Set(o.flags.Lookup(k.Flag()).Value.String()); err != nil {
			return c, console.Usagef("--%s: %w", k.Flag(), err)
		}
	}
	if !c.Focused() {
		return c, console.WithHint(console.Usagef("--metric similarity needs --query, or a crawl with a topic"), "try: %s", u.WithFlag("--query", "web crawler"))
	}
	return c, explainKey(u, c.Check())
}

// runSimilarity prints how similar the pages of a crawl are to a topic.
func runSimilarity(ctx context.Context, u *console.UI, opt *rankOptions, dir string) error {
	c, err := opt.topicConfig(u, dir)
	if err != nil {
		return err
	}
	out, err := result.Create(opt.output, u.Stdout)
	if err != nil {
		return graphs.HintDir(err, opt.output)
	}
	defer out.Discard()
	start := time.Now()
	list, err := focus.Rank(ctx, dir, &c)
	if err != nil {
		return err
	}
	report := &rankReport{Metric: similarity, Pages: len(list), Seconds: time.Since(start).Seconds(), Output: opt.output}
	if opt.top > 0 {
		list = focus.Highest(list, opt.top)
	}
	for _, x := range list {
		if u.AsJSON && out.Standard() {
			err = show.JSON(out, x, "")
		} else {
			_, err = fmt.Fprintf(out, "%s\t%s\n", x.URL, strconv.FormatFloat(x.Value, 'g', -1, 64))
		}
		if err != nil {
			return out.Wrap(err)
		}
	}
	return report.finish(u, out)
}
