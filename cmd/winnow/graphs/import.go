package graphs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/recut"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/pagelist"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/input"
	"github.com/winnow-crawler/winnow/internal/machine"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/version"
)

type importOptions struct {
	graph.ImportOptions           // what is read, and where the result goes
	maxMemory           show.Size // for everything, the runtime included
	crawl               string    // a crawl directory
	warc                []string  // WARC files
	fetchedOnly         bool
	pairs               *pagelist.PairFeed // of --edges with URLs; nil: with ids
}

func newImportCommand(u *console.UI) *cobra.Command {
	opt := &importOptions{}
	cmd := &cobra.Command{
		Use:   "import (--edges F [--urls F] [--nodes F] [--sites F] | --bv BASENAME [--urls F] | --crawl DIR | --warc F...) -o G",
		Short: "make a graph from an edge list, a WebGraph file, a crawl or WARC files",
		Long:  importHelp,
		Example: `  winnow graph import --edges web.edges.gz --urls web.urls.gz -o web.wg
  winnow graph import --edges links.csv -o web.wg
  winnow graph import --edges all.edges --nodes 2024.ids --drop-outside -o 2024.wg
  winnow graph import --edges all.edges --fetched done.ids --frontier-min-inlinks 5 -o web.wg
  winnow graph import --bv cnr-2000 -o cnr-2000.wg
  winnow graph import --crawl example.crawl -o example.wg
  winnow graph import --warc old/*.warc.gz -o old.wg
  zcat parts/*.gz | winnow graph import --edges - -o web.wg --max-memory 1G`,
		Args: cobra.ArbitraryArgs, // --warc a.warc.gz b.warc.gz: what a shell makes of *.warc.gz
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := opt.takeArgs(cmd, args); err != nil {
				return err
			}
			return runImport(cmd.Context(), u, opt)
		},
	}
	opt.addFlags(cmd)
	return cmd
}

const importHelp = `Reads links in any order, sorts them on disk if they do not fit into memory, and stores each
link once; repeated links are counted. All lists may be compressed with gzip or zstd, which
is detected from their content. A malformed line ends the import with an error that names
the file and line, and nothing is written.

A line of --edges is a link: two ids, or two URLs, with blanks or a comma between them. A first
line that names the columns is skipped, and so are further columns of CSV. With URLs, pages are
numbered in the order in which they are named; lines that are no pairs of URLs are left out,
counted, and the first ones named. They must come from a file, and are held in memory.

Pages are the ids 0 to n-1: n is the number of URLs, else the largest id + 1. With
--nodes they are the ids of that list, which is also what all output calls them.
The site of a page is the scheme, host and port of its URL, or as given by --sites; with
neither, every page is a site of its own.

--crawl reads the journal of a crawl directory, also of a running crawl: every known page
with its URL and the id that it has there, and the links of the fetched pages.
--warc reads the pages in the WARC files of any crawler: these pages and those that they
link to, in the order of discovery, by the normal form of their URLs.`

func (o *importOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Edges, "edges", "", `edge list: "source target" per line, ids from 0 or URLs, also CSV; - is standard input`)
	f.StringVar(&o.BV, "bv", "", "base name of a WebGraph file: BASENAME.graph and BASENAME.properties")
	f.StringVar(&o.URLs, "urls", "", "URL list: line i, from 0, is the URL of id i")
	f.StringVar(&o.Nodes, "nodes", "", "list of the ids that exist, one per line")
	f.StringVar(&o.Sites, "sites", "", "site list: line i, from 0, is the site of id i")
	f.StringVar(&o.Fetched, "fetched", "", "list of the ids that were fetched; the others are only known")
	f.StringVar(&o.Sizes, "sizes", "", "list of sizes: line i, from 0, is the number of bytes of id i, empty where it is not known; winnow sim uses them")
	console.Whole(f, &o.FrontierMinInLinks, "frontier-min-inlinks", 0, "leave out pages that were not fetched and have fewer in-links")
	f.BoolVar(&o.DropOutside, "drop-outside", false, "leave out links that touch ids not in --nodes instead of refusing them")
	f.StringVar(&o.crawl, "crawl", "", "directory of a crawl")
	f.StringArrayVar(&o.warc, "warc", nil, "WARC file, plain or compressed; several files are read in the order given")
	f.BoolVar(&o.fetchedOnly, "fetched-only", false, "with --crawl or --warc: leave out pages that are only known")
	f.StringVar(&o.Origin, "origin", "", "who crawled it, when, by which policy: kept in the graph")
	f.StringVarP(&o.Path, "output", "o", "", "the graph to write")
	AddMaxMemory(f, &o.maxMemory)
	f.StringVar(&o.TempDir, "temp-dir", "", "where links are sorted (default: beside the graph)")
	addCompact(f, &o.Compact)
}

// check returns an error for impossible options before anything is read.
func (o *importOptions) check(u *console.UI) error {
	if err := o.checkSources(u); err != nil {
		return err
	}
	fetched := o.Fetched != "" || o.fed()
	switch {
	case o.BV != "" && (o.Nodes != "" || o.Fetched != ""):
		return console.WithHint(console.Usagef("--nodes and --fetched go with --edges: the ids of a WebGraph file are 0, 1, 2 and so on"),
			"import all of it, then cut: winnow graph extract ALL --nodes FILE -o PART")
	case o.DropOutside && o.Nodes == "":
		return console.WithHint(console.Usagef("--drop-outside needs --nodes: which ids are inside?"), "try: %s", u.WithFlag("--nodes", "FILE"))
	case o.FrontierMinInLinks < 0:
		return console.Usagef("--frontier-min-inlinks %d: a page has 0 in-links or more", o.FrontierMinInLinks)
	case o.FrontierMinInLinks > 0 && !fetched:
		return console.WithHint(console.Usagef("--frontier-min-inlinks needs --fetched: which pages were fetched?"), "try: %s", u.WithFlag("--fetched", "FILE"))
	}
	if err := NotAnInput(o.Path, o.inputs()...); err != nil {
		return err
	}
	if err := checkOutput(u, o.Path); err != nil {
		return err
	}
	return checkTempDir(o.TempDir)
}

// inputs returns the input files, and those that belong to them.
func (o *importOptions) inputs() []string {
	names := append([]string{o.Edges, o.URLs, o.Nodes, o.Sites, o.Fetched, o.Sizes}, o.warc...)
	if o.BV != "" {
		names = append(names, webGraphFiles(o.BV)...)
	}
	return names
}

// webGraphFiles returns the files of a WebGraph base name, original ids included.
func webGraphFiles(base string) []string {
	return []string{base + ".graph", base + ".properties", base + ".offsets", base + ".ids"}
}

func checkTempDir(dir string) error {
	if dir == "" {
		return nil
	}
	return CheckDir(dir, "files in "+dir)
}

// An importResult is the JSON output.
type importResult struct {
	Output string `json:"output"`
	graph.Info
	DuplicateLinks int64    `json:"duplicate_links" show:"duplicate links" remark:"dropped"`
	RepeatedURLs   int64    `json:"repeated_urls" show:"repeated URLs,if=BytesURLs"`
	OutsideLinks   int64    `json:"outside_links" show:"links outside,omitzero" remark:"dropped"`
	UncrawledPages int64    `json:"uncrawled_pages" show:"not fetched,omitzero"` // before any were left out
	DroppedPages   int64    `json:"dropped_pages" show:"of them left out,if=UncrawledPages" remark:"{%UncrawledPages}"`
	BadURLs        int64    `json:"bad_urls,omitempty" show:"no URLs,omitzero" remark:"lines"`
	BadURLsAt      []string `json:"bad_urls_at,omitempty"` // the first of them
	SpilledBytes   int64    `json:"spilled_bytes" show:"sorted on disk,bytes omitzero"`
	Seconds        float64  `json:"seconds" show:"time,seconds"`
}

func runImport(ctx context.Context, u *console.UI, opt *importOptions) error {
	if err := opt.check(u); err != nil {
		return err
	}
	start := time.Now()
	feed, done, err := opt.feed(ctx)
	defer done()
	if err != nil {
		return err
	}
	opt.Feed = feed
	memory := machine.ForGraph(int64(opt.maxMemory))
	defer memory.Restore()
	opt.MaxMemory, opt.Program = int64(opt.maxMemory), version.Program()
	shown := u.Stages(ctx)
	defer shown.Done()
	opt.Progress = memory.Watch(shown.Set)
	report, err := graph.Import(ctx, opt.ImportOptions)
	if err != nil {
		return opt.explain(u, err)
	}
	shown.Done()
	info, err := graph.ReadInfo(opt.Path)
	if err != nil {
		return err
	}
	r := &importResult{
		Output: opt.Path, Info: info,
		DuplicateLinks: report.Card.DuplicateLinks, RepeatedURLs: report.Card.RepeatedURLs, OutsideLinks: report.Card.OutsideLinks,
		UncrawledPages: report.UncrawledPages, DroppedPages: report.Card.DroppedPages,
		SpilledBytes: report.SpilledBytes, Seconds: time.Since(start).Seconds(),
	}
	r.BadURLs, r.BadURLsAt = report.BadURLs, report.BadURLsAt
	if p := opt.pairs; p != nil {
		r.BadURLs, r.BadURLsAt = p.Bad, p.First
	}
	if n := r.BadURLs; n > 0 {
		u.Notef("%s; the first: %s", opt.badLines(n), strings.Join(r.BadURLsAt, ", "))
	}
	return u.Result(r)
}

// badLines says how many lines are no URLs, and what that means.
func (o *importOptions) badLines(n int64) string {
	if o.pairs != nil {
		return show.Counted(n, "line") + " of " + o.pairs.Name() + " left out: a link is two URLs"
	}
	return show.Counted(n, "line") + " of " + o.URLs + " " + map[bool]string{true: "is", false: "are"}[n == 1] + " no URL"
}

// explain adds a hint where there is one.
func (o *importOptions) explain(u *console.UI, err error) error {
	var memory *graph.MemoryError
	if errors.As(err, &memory) && o.Nodes == "" && memory.Need > machine.Memory() {
		return console.WithHint(err, "if most ids do not exist, list those that do in a file and add: --nodes FILE")
	}
	var outside *graph.OutsideError
	if errors.As(err, &outside) {
		return console.WithHint(err, "to leave out links to ids outside: %s", u.WithFlag("--drop-outside", ""))
	}
	if errors.Is(err, input.ErrNotNumber) {
		return console.WithHint(err, "a line of --edges is two page numbers with a blank or a comma between them, and line 1 of --urls FILE is the URL of page 0; a file of pairs of URLs needs no --urls")
	}
	return explainMemory(u, err)
}

// explainMemory proposes a larger --max-memory if that was the cause.
func explainMemory(u *console.UI, err error) error {
	var memory *graph.MemoryError
	if errors.As(err, &memory) {
		return console.WithHint(err, "try: %s", u.WithFlag("--max-memory", fmt.Sprintf("%dM", memory.Need>>20+1)))
	}
	return err
}

// fed reports whether pages and links come from a crawl or from WARC files.
func (o *importOptions) fed() bool { return o.crawl != "" || len(o.warc) > 0 }

// takeArgs takes the names after --warc F, which a shell makes of a pattern.
func (o *importOptions) takeArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && len(o.warc) == 0 {
		return console.Usage(console.Exactly()(cmd, args))
	}
	o.warc = append(o.warc, args...)
	return nil
}

// checkSources returns an error unless there is one thing to import, with no options that
// do not fit it.
func (o *importOptions) checkSources(u *console.UI) error {
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
		return console.WithHint(console.Usagef("nothing to import: give --edges, --bv, --crawl or --warc"), "try: winnow graph import --edges web.edges -o web.wg")
	case len(given) > 1:
		return console.Usagef("%s and %s exclude each other", given[0], given[1])
	case o.fetchedOnly && !o.fed():
		return console.WithHint(console.Usagef("--fetched-only goes with --crawl or --warc"), "try: %s", u.WithFlag("--fetched", "FILE"))
	case o.fetchedOnly && o.FrontierMinInLinks > 0:
		return console.Usagef("--fetched-only and --frontier-min-inlinks exclude each other")
	case o.fed() && o.URLs+o.Nodes+o.Sites+o.Fetched+o.Sizes != "":
		return console.Usagef("%s already names its pages: --urls, --nodes, --sites, --sizes and --fetched go with --edges", given[0])
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
		rec, err := recut.Open(ctx, o.crawl)
		if err != nil {
			return nil, done, err
		}
		feed, err = rec.Feed()
		return feed, rec.Close, err
	case len(o.warc) > 0:
		feed, err = history.WARCFeed(o.warc)
	case o.Edges != "" && o.Edges != "-":
		pairs, err := pagelist.ArePairs(o.Edges)
		if err != nil || !pairs {
			return nil, done, nil // the import reports what is wrong with it
		}
		if o.URLs+o.Nodes+o.Sites+o.Fetched+o.Sizes != "" {
			return nil, done, console.Usagef("%s already names its pages by URL: --urls, --nodes, --sites, --sizes and --fetched go with ids", o.Edges)
		}
		o.pairs = &pagelist.PairFeed{}
		feed = o.pairs.Feed(o.Edges)
		o.Edges = ""
	}
	return feed, done, err
}
