package main

import (
	"cmp"
	"context"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/index"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/remote"
	"github.com/winnow-crawler/winnow/crawl/remote/s3"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/internal/show"
)

type uploadOptions struct {
	to   string
	keep bool
	back bool
}

// uploaded is the result of winnow upload, and of a directory in it.
type uploaded struct {
	Dir   string `json:"dir"`
	Place string `json:"place,omitempty"`
	Files int64  `json:"files"` // that were sent or copied
	Bytes int64  `json:"bytes"`
}

func newUploadCommand(u *console.UI) *cobra.Command {
	opt := &uploadOptions{}
	cmd := &cobra.Command{
		Use:   "upload DIR [--to s3://BUCKET/PREFIX]",
		Short: "send the WARC files of a crawl to an object store",
		Long: `Sends the finished WARC files of a crawl that does not run to an object store, with their
indexes, compares what the store then reports with the files, records where they are, and
removes them here. This is what winnow crawl --archive does while it runs. Other verbs read
the files from there. A file that is there already is not sent again.

Without --to, files go to the place that the crawl was given (--archive). Endpoint, region and
keys come from the environment: AWS_ENDPOINT_URL_S3, AWS_REGION, AWS_ACCESS_KEY_ID and
AWS_SECRET_ACCESS_KEY, or the shared credentials file (AWS_PROFILE).

--back copies files from the store back beside their indexes; nothing is deleted there.`,
		Example: `  winnow upload a.example.crawl --to s3://archive/a.example
  winnow upload a.example.crawl --to 's3://archive/a.example?endpoint=https://s3.example.org'
  winnow upload a.example.crawl --back`,
		Args: console.Exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runUpload(cmd.Context(), u, opt, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.to, "to", "", "the place: "+remote.Example+"?endpoint=URL&region=NAME")
	f.BoolVar(&opt.keep, "keep", false, "do not remove the files here")
	f.BoolVar(&opt.back, "back", false, "copy files from the store back, and send none")
	return cmd
}

func runUpload(ctx context.Context, u *console.UI, opt *uploadOptions, dir string) error {
	c, found, err := history.ReadConfig(dir)
	if err == nil && !found {
		err = &hint.Error{Text: dir + " is not the directory of a crawl", Hint: "name the directory that winnow crawl made"}
	}
	if err != nil {
		return err
	}
	to := cmp.Or(opt.to, c.Archive)
	switch {
	case opt.back:
	case to == "":
		return console.WithHint(console.Usagef("where to?"), "name a place: %s", u.WithFlag("--to", remote.Example))
	case c.KeepPages > 0:
		return &hint.Error{Text: "a crawl with --keep-pages rewrites its WARC files: what is sent never changes", Hint: "winnow export " + dir + " packs them into one file"}
	}
	dirs, err := history.Dirs(dir)
	if err != nil {
		return err
	}
	result := &uploaded{Dir: dir, Place: to}
	for i, d := range dirs {
		below := ""
		if len(dirs) > 1 {
			below = layout.PartitionName(i)
		}
		if err := uploadOne(ctx, u, opt, d, to, below, result); err != nil {
			return err
		}
	}
	if u.AsJSON {
		return u.JSON(result)
	}
	verb := "sent to " + to
	if opt.back {
		verb = "copied back"
	}
	u.Printf("%s, %s, %s\n", show.Counted(result.Files, "WARC file"), show.Bytes(result.Bytes), verb)
	return nil
}

// uploadOne sends the files of a crawl that is not divided, or of a partition.
func uploadOne(ctx context.Context, u *console.UI, opt *uploadOptions, dir, to, below string, result *uploaded) error {
	lock, err := layout.Lock(filepath.Join(dir, layout.LockFile))
	if err != nil {
		return layout.LockError(dir, err)
	}
	defer lock.Close()
	files := disk.OS(filepath.Join(dir, layout.ArchiveDir))
	p := show.NewProgress(u.Progress(), "WARC files of "+dir, 0, show.UnitBytes)
	defer p.Done()
	tell := func(name string, r *remote.Record) {
		result.Files++
		result.Bytes += r.Size
		p.Note(name + ", " + show.Bytes(result.Bytes) + " in all")
	}
	if opt.back {
		return remote.Back(ctx, files, s3.Dial, tell)
	}
	place, err := s3.Check(ctx, to, below)
	if err != nil {
		return err
	}
	if _, err := index.Write(dir); err != nil {
		return err
	}
	c, err := history.Open(ctx, dir)
	if err != nil {
		return err
	}
	defer c.Close()
	x := (&remote.Uploader{Dir: files, Place: place, Dial: s3.Dial, Keep: opt.keep, Sent: tell}).Prepare(ctx)
	x.Look(c.Archived())
	return x.Finish()
}
