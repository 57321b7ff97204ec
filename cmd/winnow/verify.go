package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/history"
)

type verifyOptions struct {
	limit int // findings of a kind that are listed
}

func newVerifyCommand(u *ui) *cobra.Command {
	opt := &verifyOptions{}
	cmd := &cobra.Command{
		Use:   "verify DIR",
		Short: "hold a crawl against what it promised",
		Long: `Reads the journal of a crawl from its first record on and looks for promises that were not
kept. It changes nothing, and believes nothing but the records:

  politeness   every gap at every site and address, one request at a time, connections,
               Crawl-delay, Retry-After, robots.txt before everything else, no page that it
               forbids, full delays after each restart
  journal      numbers of records, pages and sites without a hole, no damage, no page that
               came twice as new, nothing asked before the answer before was on disk
  archive      each answer stands where its record says, whole, with its digests; nothing
               stands there that no record names
  derived      the URL file and the snapshots say what the journal says
  decisions    this program would hand out the same works in the same order

What a killed crawl left behind its last commit is no violation: the next run cuts it off.
Nor is a WARC file that was moved away: the answers in it are counted and passed over. One
that is damaged or too short is a violation.
Exit code 0: all holds; 3: something was found.`,
		Example: `  winnow verify a.example.crawl
  winnow verify a.example.crawl --json --limit 10000`,
		Args: exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runVerify(cmd.Context(), u, opt, args[0])
		},
	}
	cmd.Flags().IntVar(&opt.limit, "limit", 20, "list at most so many findings of a kind; all are counted")
	return cmd
}

// verifyResult is the last object of --json.
type verifyResult struct {
	Dir string `json:"dir"`
	OK  bool   `json:"ok"`
	*history.Findings
}

func runVerify(ctx context.Context, u *ui, opt *verifyOptions, dir string) error {
	if opt.limit < 1 {
		return withHint(usagef("--limit: %d: list at least one finding of a kind", opt.limit), "try: %s", u.withFlag("--limit", "20"))
	}
	p := newProgress(u, "verify "+dir, 0, unitBytes)
	defer p.Done()
	f, err := history.Verify(ctx, dir, history.VerifyOptions{
		Version: programVersion(), Limit: opt.limit,
		Progress: func(done, total int64) {
			p.Note(fmt.Sprintf("%s of %s, %s", formatBytes(done), formatBytes(total), percent(done, total)))
		},
	})
	p.Done()
	if err != nil {
		return explainCrawl(err)
	}
	if u.asJSON {
		err = verifyJSON(u, dir, f)
	} else {
		err = printFindings(u, dir, f)
	}
	if n := f.Count(); err == nil && n > 0 {
		return missingf("%s: %s found", dir, counted(n, "violation"))
	}
	return err
}

// verifyJSON prints each finding as an object, and last what was verified.
func verifyJSON(u *ui, dir string, f *history.Findings) error {
	for i := range f.List {
		if err := u.json(&f.List[i]); err != nil {
			return err
		}
	}
	return u.json(&verifyResult{dir, f.Count() == 0, f})
}

// printFindings writes the same as text.
func printFindings(u *ui, dir string, f *history.Findings) error {
	listed := map[string]int64{}
	for _, x := range f.List {
		about := x.URL
		if about == "" {
			about = x.Site
		}
		if about != "" {
			about += ": "
		}
		u.printf("%s\n", line(fmt.Sprintf("%s: record %d: %s%s", x.Kind, x.Record, about, x.What)))
		listed[x.Kind]++
	}
	for _, kind := range byValue(f.Kinds) {
		if more := f.Kinds[kind] - listed[kind]; more > 0 {
			u.printf("%s: and %s more\n", line(kind), formatCount(more))
		}
	}
	if len(f.List) > 0 {
		u.printf("\n")
	}
	for _, note := range f.Notes {
		u.notef("%s", note)
	}
	return verifiedTable(dir, f).print(u.stdout)
}

// verifiedTable says what was looked at.
func verifiedTable(dir string, f *history.Findings) *table {
	t := newTable()
	t.add("directory", "", dir)
	t.add("records", formatCount(f.Records), "in "+counted(f.Groups, "commit")+" of "+counted(f.Sessions, "session"))
	t.add("pages", formatCount(f.Pages), "on "+counted(f.Sites, "site"))
	t.add("requests", formatCount(f.Requests), "held against their delays, robots.txt and the deny list")
	t.add("archive", formatCount(f.Stored), "records read, "+formatBytes(f.Bytes))
	if f.Absent > 0 {
		t.add("not here", formatCount(f.Absent), "WARC files, moved away or lost")
	}
	t.add("URLs", formatCount(f.URLs), "in the URL file are those of the journal")
	t.add("snapshots", formatCount(f.Snapshots), "compared")
	t.add("decisions", formatCount(f.Differs), "would be others now")
	verdict := "all promises were kept"
	if n := f.Count(); n > 0 {
		verdict = byNumber(f.Kinds)
	}
	t.add("violations", formatCount(f.Count()), verdict)
	return t
}
