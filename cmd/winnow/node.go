package main

import (
	"context"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/member"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/machine"
	"github.com/winnow-crawler/winnow/internal/terminal"
)

type nodeOptions struct {
	crawlFlags // --max-memory
	name       string
	dir        string
	listen     string
	advertise  string
	peers      []string
	join       string
	secretFile string
	newSecret  string
}

func newNodeCommand(u *console.UI) *cobra.Command {
	opt := &nodeOptions{}
	cmd := &cobra.Command{
		Use:   "node --name NAME --dir DIR (--listen ADDRESS --peers LIST | --join ADDRESS) --secret-file FILE",
		Short: "let this machine crawl as a part of a cluster",
		Long: `Makes this machine a node of a cluster. A node takes part in every crawl of the cluster:
it crawls some of the partitions, and takes over those of nodes that are gone. winnow crawl
--cluster begins a crawl. docs/cluster.md describes clusters.

The first nodes name each other with --peers, in the same order on all of them. Of one or
two nodes the first runs a broker, of three or four the first three, of more the first five;
most brokers must run for the cluster to work. A broker listens at the port of --listen for
nodes, and at the next one for other brokers. Further nodes need only --join. With URLs such
as nats://user:password@host:4222, --join uses NATS servers that run anyway.

In a container or behind a router a node may not have the address at which others reach it.
Then --listen is where it listens, such as 0.0.0.0:7420, and --advertise, which is also its
address in --peers, is where others reach it; both ports have to lead to the node.

Ctrl-C or SIGTERM lets the node hand over its partitions and leave, which takes some seconds;
a second Ctrl-C ends it at once. Both are safe, and so is kill -9: the same command starts the
node again, and it continues with what its directory has.

All nodes share a secret; nothing listens without one. --new-secret makes it.`,
		Example: `  winnow node --new-secret cluster.secret
  winnow node --name a --dir a.node --listen a.example:7420 --peers a.example:7420,b.example:7420,c.example:7420 --secret-file cluster.secret
  winnow node --name d --dir d.node --join a.example:7420 --secret-file cluster.secret`,
		Args: console.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runNode(cmd.Context(), u, opt)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&opt.name, "name", "", "name of this node, which no other has")
	f.StringVar(&opt.dir, "dir", "", "directory of this node: its broker, and what it has of crawls")
	f.StringVar(&opt.listen, "listen", "", "address of this node, HOST:PORT, as others reach it")
	f.StringVar(&opt.advertise, "advertise", "", "address at which others reach this node, if it is not that of --listen")
	f.StringSliceVar(&opt.peers, "peers", nil, "addresses of the first nodes, this one included, in the same order on all of them (default: this one)")
	f.StringVar(&opt.join, "join", "", "addresses of nodes that run brokers, or URLs of NATS servers")
	f.StringVar(&opt.secretFile, "secret-file", "", "file with the secret of the cluster")
	f.StringVar(&opt.newSecret, "new-secret", "", "make a secret, write it to this file, and end")
	opt.flags = f
	opt.addKeys(cmd, "max_memory")
	cmd.MarkFlagsMutuallyExclusive("listen", "join")
	cmd.MarkFlagsMutuallyExclusive("peers", "join")
	cmd.MarkFlagsMutuallyExclusive("advertise", "join")
	return cmd
}

// nodeStart is the first object of --json.
type nodeStart struct {
	Event   string `json:"event"`
	Name    string `json:"name"`
	Broker  bool   `json:"broker"`
	Brokers string `json:"brokers"`
}

func runNode(ctx context.Context, u *console.UI, opt *nodeOptions) error {
	if opt.newSecret != "" {
		return makeSecret(u, opt.newSecret)
	}
	o, err := opt.options(u)
	if err != nil {
		return err
	}
	c := config.Default()
	if err := opt.apply(u, &c, false); err != nil {
		return err
	}
	heap := machine.ForCrawl(int64(c.MaxMemory))
	defer heap.Restore()
	say := &terminal.Watch{Screen: &u.Screen, Quiet: u.Quiet}
	level := crawl.LevelNote
	if u.Verbose {
		level = slog.LevelDebug
	}
	o.Log = slog.New(&terminal.Log{Show: say.Say, Least: level})
	o.Run = crawl.RunOptions{
		Config: config.Config{MaxMemory: c.MaxMemory}, MachineMemory: machine.Memory(), Sockets: sockets(),
		Progress: func(s *history.Status) { heap.Leave(s.MemoryMax, s.OffHeap) },
		Machine:  crawl.Machine{Sizes: u.Sizes, Heap: crawl.MeasureHeap},
	}
	n, err := member.Join(ctx, o)
	if err != nil {
		return err
	}
	defer n.Close()
	if u.AsJSON {
		if err := u.JSON(nodeStart{"start", o.Name, n.Broker(), n.Brokers()}); err != nil {
			return err
		}
	}
	with := "without a broker"
	if n.Broker() {
		with = "with a broker"
	}
	say.Say("", "node "+o.Name+" is part of the cluster "+n.Brokers()+", "+with)
	defer context.AfterFunc(ctx, func() {
		say.Say("", "leaving; this node hands over its partitions. A second Ctrl-C ends it at once, and nothing that was fetched is lost")
	})()
	return n.Run(ctx)
}

// options returns the options of the node.
func (opt *nodeOptions) options(u *console.UI) (*member.Options, error) {
	if err := console.NotEmpty(u, opt.flags, "name", "dir", "listen", "advertise", "join", "secret-file", "new-secret"); err != nil {
		return nil, err
	}
	const example = "try: winnow node --name a --dir a.node --listen a.example:7420 --secret-file cluster.secret"
	if opt.name == "" || opt.dir == "" {
		return nil, console.WithHint(console.Usagef("winnow node needs --name and --dir"), example)
	}
	o := &member.Options{Name: opt.name, Dir: opt.dir, Listen: opt.listen, Advertise: opt.advertise, Peers: opt.peers, Version: programVersion()}
	switch {
	case opt.join != "":
		p, err := parsePlace(u, "--join", opt.join, opt.secretFile)
		if err != nil {
			return nil, err
		}
		o.Join = &p
		return o, nil
	case opt.listen == "":
		return nil, console.WithHint(console.Usagef("winnow node needs --listen with the address of this node, or --join with that of another"), example)
	case opt.secretFile == "":
		return nil, needSecret(u)
	}
	s, err := member.ReadSecret(opt.secretFile)
	o.Secret = s
	return o, err
}

// makeSecret makes the secret of a cluster.
func makeSecret(u *console.UI, name string) error {
	if err := member.NewSecret(name); err != nil {
		return err
	}
	u.Notef("%s has a new secret; copy it to all nodes, and to where you ask and command: whoever has it is a member", strings.TrimSpace(name))
	return nil
}
