package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/move"
	"github.com/winnow-crawler/winnow/crawl/remote"
	"github.com/winnow-crawler/winnow/crawl/remote/s3"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/terminal"
)

type verifyOptions struct {
	clusterFlags
	limit  int            // findings of a kind that are listed
	remote bool           // read what is in a store, too
	copy   *move.Gathered // of a cluster; nil: the crawl is in a directory
}

func newVerifyCommand(u *console.UI) *cobra.Command {
	opt := &verifyOptions{}
	cmd := &cobra.Command{
		Use:   "verify DIR | --cluster ADDRESS --name NAME",
		Short: "check a crawl for politeness violations and damage",
		Long: `Reads the journal of a crawl from its first record and looks for violations. It changes
nothing and relies on the records alone. It checks:

  politeness   the gap between requests to every site and address, one request at a time,
               connections, Crawl-delay, Retry-After, robots.txt before any page, no page
               that it forbids, full delays after each restart
  journal      numbers of records, pages and sites without gaps, no damage, no page fetched
               twice as new, no request before the previous response was on disk
  archive      each response is at the place in its record, complete, with its digests, and
               nothing is there that no record names
  derived      the URL file and the snapshots agree with the journal
  decisions    this version would hand out the same tasks in the same order

Bytes after the last commit of a killed crawl are not a violation: the next run removes them.
A WARC file that was moved away is not one either: its responses are counted and skipped. A
damaged or truncated file is a violation. Of files that were sent to a store (--archive), it
compares size and checksum with what the store reports; --remote reads them.

With --cluster it checks a crawl on several machines, running or not: the journals of all
partitions as the brokers have them, that partitions agree about what they have told each other,
that no two nodes owned a partition at a time, and that the journals on the disks of the nodes
that run are the same. Limits of addresses are checked within each partition. It does not read WARC files: winnow cluster
gather brings them, and winnow verify DIR reads them.
Exit code 0: no violation; 3: violations were found.`,
		Example: `  winnow verify a.example.crawl
  winnow verify a.example.crawl --json --limit 10000
  winnow verify a.example.crawl --remote
  winnow verify --cluster a.example:7420 --secret-file cluster.secret --name big`,
		Args: opt.dirOrCluster,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := opt.check(u, cmd); err != nil {
				return err
			}
			if opt.cluster != "" {
				return opt.gathered(cmd.Context(), u, true, func(dir string, g *move.Gathered) error {
					opt.copy = g
					return runVerify(cmd.Context(), u, opt, dir)
				})
			}
			return runVerify(cmd.Context(), u, opt, args[0])
		},
	}
	console.Whole(cmd.Flags(), &opt.limit, "limit", 20, "list at most this many findings of each kind; all are counted")
	cmd.Flags().BoolVar(&opt.remote, "remote", false, "read the WARC files that are in a store, too")
	opt.add(cmd)
	return cmd
}

// verifyResult is the last object of --json.
type verifyResult struct {
	Dir string `json:"dir"`
	OK  bool   `json:"ok"`
	*history.Findings
}

func runVerify(ctx context.Context, u *console.UI, opt *verifyOptions, dir string) error {
	if opt.limit < 1 {
		return console.WithHint(console.Usagef("--limit: %d: list at least one finding of a kind", opt.limit), "try: %s", u.WithFlag("--limit", "20"))
	}
	p := show.NewProgress(u.Progress(), "verify "+dir, 0, show.UnitBytes)
	defer p.Done()
	o := history.VerifyOptions{
		Version: programVersion(), Limit: opt.limit,
		Progress: func(done, total int64) {
			p.Note(fmt.Sprintf("%s of %s, %s", show.Bytes(done), show.Bytes(total), show.Percent(done, total)))
		},
	}
	if opt.remote {
		o.Archive = func(d disk.Dir) disk.Dir { return remote.Dir(ctx, d, s3.Dial) }
	}
	f, err := history.Verify(ctx, dir, o)
	switch {
	case err == nil && opt.copy == nil:
		err = askStores(ctx, dir, opt, f)
	case err == nil:
		dir = opt.name
		f.Absent = 0 // the copy has no archive
		f.Notes = slices.DeleteFunc(f.Notes, func(s string) bool { return strings.Contains(s, "answers that were not verified") })
		f.Notes = append(f.Notes, "the WARC files were not read: winnow cluster gather brings them")
		opt.addCopy(f)
	}
	p.Done()
	if err != nil {
		return err
	}
	if u.AsJSON {
		err = verifyJSON(u, dir, f)
	} else {
		for _, note := range f.Notes {
			u.Notef("%s", note)
		}
		err = terminal.PrintFindings(u.Stdout, dir, f)
	}
	if n := f.Count(); err == nil && n > 0 {
		return console.Missingf("%s: %s found", dir, show.Counted(n, "violation"))
	}
	return err
}

// addCopy adds what was found while a crawl of a cluster was copied.
func (opt *verifyOptions) addCopy(f *history.Findings) {
	for kind, list := range map[string][]string{history.FindExchange: opt.copy.Wrong, history.FindDamage: opt.copy.Differ} {
		for _, wrong := range list {
			f.Kinds[kind]++
			f.List = append(f.List, history.Finding{Kind: kind, What: wrong})
		}
	}
	f.Notes = append(f.Notes, fmt.Sprintf("journals on the disks of nodes that are as the logs have them: %d of %d", opt.copy.Compared, opt.copy.Partitions))
	for _, why := range opt.copy.Unasked {
		f.Notes = append(f.Notes, "not compared: "+why)
	}
}

// askStores asks the stores of WARC files that were sent for size and checksum.
func askStores(ctx context.Context, dir string, opt *verifyOptions, f *history.Findings) error {
	dirs, err := history.Dirs(dir)
	if err != nil {
		return err
	}
	for _, d := range dirs {
		a, err := remote.Check(ctx, disk.OS(filepath.Join(d, layout.ArchiveDir)), s3.Dial)
		if err != nil {
			return err
		}
		f.Remote += a.Files
		for _, wrong := range a.Wrong {
			f.Kinds[history.FindArchive]++
			f.List = append(f.List, history.Finding{Kind: history.FindArchive, What: wrong})
		}
		switch at := show.Counted(a.Files, "WARC file") + ", " + show.Bytes(a.Bytes) + ", in " + strings.Join(a.Places, ", "); {
		case a.Files == 0:
		case a.Unasked != nil:
			f.Notes = append(f.Notes, at+" could not be verified: "+a.Unasked.Error())
		case opt.remote:
			f.Notes = append(f.Notes, at+": read")
		default:
			f.Notes = append(f.Notes, at+": compared with what the store reports; --remote reads the answers in them")
		}
	}
	return nil
}

// verifyJSON prints each finding as an object, and last what was verified.
func verifyJSON(u *console.UI, dir string, f *history.Findings) error {
	for i := range f.List {
		if err := u.JSON(&f.List[i]); err != nil {
			return err
		}
	}
	return u.JSON(&verifyResult{dir, f.Count() == 0, f})
}
