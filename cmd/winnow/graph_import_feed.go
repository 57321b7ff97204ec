package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/graph"
)

// fed reports whether pages and links come from a crawl or from WARC files.
func (o *importOptions) fed() bool { return o.crawl != "" || len(o.warc) > 0 }

// takeArgs takes the names after --warc F, which a shell makes of a pattern.
func (o *importOptions) takeArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && len(o.warc) == 0 {
		return &usageError{exactly()(cmd, args)}
	}
	o.warc = append(o.warc, args...)
	return nil
}

// checkSources demands one thing to import, and nothing beside it that does not fit.
func (o *importOptions) checkSources(u *ui) error {
	var given []string
	for _, s := range []struct {
		flag string
		is   bool
	}{{"--edges", o.Edges != ""}, {"--bv", o.BV != ""}, {"--crawl", o.crawl != ""}, {"--warc", len(o.warc) > 0}} {
		if s.is {
			given = append(given, s.flag)
		}
	}
	switch {
	case len(given) == 0:
		return withHint(usagef("nothing to import: give --edges, --bv, --crawl or --warc"), "try: winnow graph import --edges web.edges -o web.wg")
	case len(given) > 1:
		return usagef("%s and %s exclude each other", given[0], given[1])
	case o.fetchedOnly && !o.fed():
		return withHint(usagef("--fetched-only goes with --crawl or --warc"), "try: %s", u.withFlag("--fetched", "FILE"))
	case o.fetchedOnly && o.FrontierMinInLinks > 0:
		return usagef("--fetched-only and --frontier-min-inlinks exclude each other")
	case o.fed() && o.URLs+o.Nodes+o.Sites+o.Fetched != "":
		return usagef("%s already names its pages: --urls, --nodes, --sites and --fetched go with --edges", given[0])
	}
	return nil
}

// feed opens a crawl or WARC files, and returns what closes them. The feed of lists is nil.
func (o *importOptions) feed(ctx context.Context) (feed *graph.Feed, done func(), err error) {
	done = func() {}
	if o.fetchedOnly {
		o.FrontierMinInLinks = graph.FetchedOnly
	}
	switch {
	case o.crawl != "":
		rec, err := history.Open(ctx, o.crawl)
		if err != nil {
			return nil, done, err
		}
		feed, err = rec.Feed()
		return feed, rec.Close, err
	case len(o.warc) > 0:
		feed, err = history.WARCFeed(o.warc)
	}
	return feed, done, err
}
