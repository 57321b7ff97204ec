package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/crawl/move"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/show"
)

type gatherOptions struct {
	clusterFlags
	out       string
	noArchive bool
	move      bool
}

func newGatherCommand(u *console.UI) *cobra.Command {
	opt := &gatherOptions{}
	cmd := &cobra.Command{
		Use:   "gather -o DIR --cluster ADDRESS --name NAME",
		Short: "bring a crawl of a cluster to one machine",
		Long: `Copies a crawl of a cluster into a directory with partitions, which every verb reads:
journals from the brokers, WARC files from the nodes that have fetched them. It works while
the crawl runs: the copy is the crawl as it was some moments ago. The same command brings a
copy up to date. Files of nodes that do not run are listed, and fetched the next time.

A copy is for reading: the nodes continue the crawl. With --move one machine continues it
instead: winnow crawl --dir DIR. It must have stopped (winnow cluster stop), and nodes never
take part in it again.`,
		Example: `  winnow cluster gather -o big.crawl --cluster a.example:7420 --secret-file cluster.secret --name big
  winnow cluster gather -o big.crawl --move --cluster a.example:7420 --secret-file cluster.secret --name big`,
		Args: console.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runGather(cmd.Context(), u, opt)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&opt.out, "out", "o", "", "directory of the copy")
	f.BoolVar(&opt.noArchive, "no-archive", false, "leave out the WARC files")
	f.BoolVar(&opt.move, "move", false, "let one machine continue the crawl, and not the nodes")
	opt.add(cmd)
	return cmd
}

// gather brings a crawl of a cluster into the directory of the options, which say what else is wanted.
func (o *clusterFlags) gather(ctx context.Context, u *console.UI, g move.GatherOptions) (*move.Gathered, error) {
	c, x, err := o.open(ctx, u)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	path, err := filepath.Abs(g.Dir)
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname() // for people; "" will do
	shown := u.Stages(ctx)
	defer shown.Done()
	g.Engine, g.Plan, g.To, g.Progress = x.Engine, x.Plan, strings.TrimPrefix(host+":"+path, ":"), shown.Set
	return move.Gather(ctx, g)
}

func runGather(ctx context.Context, u *console.UI, opt *gatherOptions) error {
	if opt.out == "" || opt.cluster == "" || opt.name == "" {
		return console.WithHint(console.Usagef("winnow cluster gather needs -o, --cluster and --name"), "try: winnow cluster gather -o big.crawl --cluster a.example:7420 --secret-file cluster.secret --name big")
	}
	dir := strings.TrimRight(opt.out, "/")
	g, err := opt.gather(ctx, u, move.GatherOptions{Dir: dir, Archive: !opt.noArchive, Move: opt.move})
	if err != nil {
		return err
	}
	if u.AsJSON {
		if err := u.JSON(g); err != nil {
			return err
		}
	} else {
		printGathered(u, opt, dir, g)
	}
	if n := len(g.Missing); n > 0 {
		return console.Missingf("%s of the archive could not be brought", show.Counted(n, "file"))
	}
	return nil
}

func printGathered(u *console.UI, opt *gatherOptions, dir string, g *move.Gathered) {
	u.Printf("%s in %s: %s, %s of the archive, %s brought\n", dir, show.Counted(g.Partitions, "partition"), show.Counted(int64(g.Records), "record"), show.Counted(g.Files, "file"), show.Bytes(g.Bytes))
	for i, x := range g.Missing {
		if i == 10 {
			u.Notef("and %d more", len(g.Missing)-i)
			break
		}
		u.Notef("partition %d lacks file %d (%s) of node %s: %s", x.Partition, x.File, show.Bytes(x.Bytes), x.Node, x.Why)
	}
	if opt.noArchive {
		u.Notef("without the WARC files; they stay on the nodes")
	}
	if g.Moved {
		u.Notef("nodes do not continue it any more; to continue it here: winnow crawl --dir %s", dir)
	} else {
		u.Notef("this is a copy for reading; the nodes continue the crawl")
	}
}

type adoptOptions struct{ clusterFlags }

func newAdoptCommand(u *console.UI) *cobra.Command {
	opt := &adoptOptions{}
	cmd := &cobra.Command{
		Use:   "adopt DIR --cluster ADDRESS --name NAME",
		Short: "let a cluster continue a crawl of one machine",
		Long: `Gives the crawl in a directory, which must have partitions, to the nodes of a cluster. They
continue it where it stands. The crawl must not run. A crawl with one partition has to be
divided first: winnow split.

The WARC files stay in the directory; only the journals are copied. Keep the directory:
winnow cluster gather -o DIR adds what the nodes have fetched, and with --move the machine
continues the crawl again. Until then winnow crawl refuses the directory.`,
		Example: `  winnow cluster adopt big.crawl --cluster a.example:7420 --secret-file cluster.secret --name big`,
		Args:    console.Exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runAdopt(cmd.Context(), u, opt, strings.TrimRight(args[0], "/"))
		},
	}
	opt.add(cmd)
	return cmd
}

func runAdopt(ctx context.Context, u *console.UI, opt *adoptOptions, dir string) error {
	if opt.cluster == "" || opt.name == "" {
		return console.WithHint(console.Usagef("winnow cluster adopt needs --cluster and --name"), "try: winnow cluster adopt %s --cluster a.example:7420 --secret-file cluster.secret --name big", dir)
	}
	d, err := move.OpenDeed(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	c, err := opt.connect(ctx, u)
	if err != nil {
		return err
	}
	defer c.Close()
	shown := u.Stages(ctx)
	x, err := c.Adopt(ctx, opt.name, d.Plan, func(ctx context.Context, e cluster.Engine) error {
		return d.Fill(ctx, e, func(done, total int64) error { return shown.Set("journals", done, total) })
	})
	shown.Done()
	if err != nil {
		return err
	}
	if u.AsJSON {
		return u.JSON(struct {
			Dir        string `json:"dir"`
			Name       string `json:"name"`
			Partitions int    `json:"partitions"`
		}{dir, x.Name, x.Plan.Crawl.Partitions})
	}
	u.Printf("the nodes of the cluster continue %s as %s: %s\n", dir, x.Name, show.Counted(x.Plan.Crawl.Partitions, "partition"))
	u.Notef("keep %s: it has the WARC files of what was fetched so far", dir)
	return nil
}

// gathered calls fn with a temporary directory that has a copy of a crawl of a cluster, without its
// archive. Nodes may be asked whether their disks have the same.
func (o *clusterFlags) gathered(ctx context.Context, u *console.UI, compare bool, fn func(dir string, g *move.Gathered) error) error {
	if o.name == "" {
		return console.WithHint(console.Usagef("--cluster needs --name"), "try: %s", u.WithFlag("--name", "big"))
	}
	temp, err := os.MkdirTemp("", "winnow-")
	if err != nil {
		return fmt.Errorf("make a temporary directory: %w", err)
	}
	defer os.RemoveAll(temp)
	dir := filepath.Join(temp, o.name+".crawl")
	g, err := o.gather(ctx, u, move.GatherOptions{Dir: dir, Compare: compare})
	if err != nil {
		return err
	}
	return fn(dir, g)
}
