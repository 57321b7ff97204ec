package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/crawl/member"
	"github.com/winnow-crawler/winnow/internal/console"
)

// clusterFlags are those of verbs that ask or command a cluster.
type clusterFlags struct {
	cluster    string // --cluster
	secretFile string // --secret-file
	name       string // --name: of a crawl
}

// add adds the flags.
func (o *clusterFlags) add(cmd *cobra.Command) {
	o.addPlace(cmd.Flags())
	cmd.Flags().StringVar(&o.name, "name", "", "name of a crawl of the cluster")
}

// addPlace adds those that say where the cluster is.
func (o *clusterFlags) addPlace(f *pflag.FlagSet) {
	f.StringVar(&o.cluster, "cluster", "", "address of a node of a cluster, HOST:PORT, or several with commas; or nats://user:password@host:4222")
	f.StringVar(&o.secretFile, "secret-file", "", "file with the secret of the cluster")
}

// check returns an error if a flag is given without --cluster, or if one is missing with it.
func (o *clusterFlags) check(u *console.UI, cmd *cobra.Command) error {
	f := cmd.Flags()
	if err := console.NotEmpty(u, f, "cluster", "secret-file", "name"); err != nil {
		return err
	}
	for _, name := range []string{"secret-file", "name"} {
		if o.cluster == "" && f.Changed(name) {
			return console.WithHint(console.Usagef("--%s is for a crawl of a cluster", name), "try: %s", u.WithFlag("--cluster", "a.example:7420"))
		}
	}
	return nil
}

// dirOrCluster checks the arguments of a verb that takes DIR, or --cluster instead.
func (o *clusterFlags) dirOrCluster(cmd *cobra.Command, args []string) error {
	if o.cluster != "" {
		return console.Exactly()(cmd, args)
	}
	return console.Exactly("DIR")(cmd, args)
}

// place returns where the cluster is.
func (o *clusterFlags) place(u *console.UI) (member.Place, error) {
	return parsePlace(u, "--cluster", o.cluster, o.secretFile)
}

// parsePlace reads the value of a flag that says where a cluster is, and the secret.
func parsePlace(u *console.UI, flag, text, secretFile string) (member.Place, error) {
	p, err := member.ParsePlace(text)
	switch {
	case err != nil:
		return p, console.Usagef("%s: %w", flag, err)
	case p.External() && secretFile != "":
		return p, console.WithHint(console.Usagef("NATS servers of your own take no --secret-file"), "try: %s", u.WithoutFlag("--secret-file"))
	case p.External():
		return p, nil
	case secretFile == "":
		return p, needSecret(u)
	}
	s, err := member.ReadSecret(secretFile)
	return p.WithSecret(s), err
}

func needSecret(u *console.UI) error {
	return console.WithHint(console.Usagef("--secret-file is required: nobody joins or asks a cluster without its secret"), "try: %s", u.WithFlag("--secret-file", "cluster.secret"))
}

// connect connects with the cluster.
func (o *clusterFlags) connect(ctx context.Context, u *console.UI) (*member.Cluster, error) {
	p, err := o.place(u)
	if err != nil {
		return nil, err
	}
	return member.Connect(ctx, p)
}

// open connects with the cluster, and opens the crawl.
func (o *clusterFlags) open(ctx context.Context, u *console.UI) (*member.Cluster, *member.Crawl, error) {
	c, err := o.connect(ctx, u)
	if err != nil {
		return nil, nil, err
	}
	x, err := c.Open(ctx, o.name)
	if err != nil {
		c.Close()
	}
	if errors.Is(err, member.ErrUnknown) {
		err = console.Missingf("%w", err)
	}
	return c, x, err
}

func newClusterCommand(u *console.UI) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "control the crawls of a cluster",
		Long: `Commands for crawls that run on several machines. winnow node makes a machine part of a
cluster, winnow crawl --cluster begins a crawl, winnow status --cluster shows it.`,
		Example: `  winnow cluster pause --cluster a.example:7420 --secret-file cluster.secret --name big`,
	}
	cmd.AddCommand(
		newCommandCommand(u, "pause", "let all nodes pause a crawl", `All nodes finish what is under way and make no more requests. They keep their partitions.
Nodes that join later obey, too.`),
		newCommandCommand(u, "resume", "let all nodes resume a crawl", `Resumes a crawl that was paused or stopped. Nodes begin again by themselves.`),
		newCommandCommand(u, "stop", "let all nodes stop a crawl", `All nodes finish what is under way, write everything, and leave the crawl. They continue
with other crawls of the cluster. winnow cluster resume continues it.`),
		newRemoveCommand(u), newGatherCommand(u), newAdoptCommand(u),
	)
	return cmd
}

// newCommandCommand returns the verb of a command for all nodes.
func newCommandCommand(u *console.UI, name, short, long string) *cobra.Command {
	opt := &clusterFlags{}
	cmd := &cobra.Command{
		Use: name, Short: short, Long: long,
		Example: "  winnow cluster " + name + " --cluster a.example:7420 --secret-file cluster.secret --name big",
		Args:    console.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runCommand(cmd.Context(), u, opt, name)
		},
	}
	opt.add(cmd)
	return cmd
}

// needName returns an error unless a verb of winnow cluster has the cluster and the crawl.
func (o *clusterFlags) needName(verb string) error {
	if o.cluster == "" || o.name == "" {
		return console.WithHint(console.Usagef("winnow cluster %s needs --cluster and --name", verb), "try: winnow cluster %s --cluster a.example:7420 --secret-file cluster.secret --name big", verb)
	}
	return nil
}

func runCommand(ctx context.Context, u *console.UI, opt *clusterFlags, command string) error {
	if err := opt.needName(command); err != nil {
		return err
	}
	c, x, err := opt.open(ctx, u)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := x.Command(ctx, command); err != nil {
		return err
	}
	if u.AsJSON {
		return u.JSON(commanded{opt.name, command})
	}
	u.Notef("all nodes are told: %s %s", command, opt.name)
	return nil
}

// commanded is what --json prints of a command that was obeyed.
type commanded struct {
	Name    string `json:"name"`
	Command string `json:"command"`
}

func newRemoveCommand(u *console.UI) *cobra.Command {
	opt := &clusterFlags{}
	cmd := &cobra.Command{
		Use:   "remove --cluster ADDRESS --name NAME",
		Short: "remove a crawl that has ended from a cluster",
		Long: `Removes a crawl that has ended: brokers delete its journals, and have room again. Nobody can
continue it, and winnow cluster gather cannot bring it together any more, so gather it first.

What the nodes have fetched, with their journals, stays on their disks, below crawls in the
directory of each node. Its name may be used for another crawl.`,
		Example: `  winnow cluster remove --cluster a.example:7420 --secret-file cluster.secret --name big`,
		Args:    console.Exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runRemove(cmd.Context(), u, opt)
		},
	}
	opt.add(cmd)
	return cmd
}

func runRemove(ctx context.Context, u *console.UI, opt *clusterFlags) error {
	if err := opt.needName("remove"); err != nil {
		return err
	}
	c, err := opt.connect(ctx, u)
	if err != nil {
		return err
	}
	defer c.Close()
	switch err := c.Remove(ctx, opt.name); {
	case errors.Is(err, member.ErrUnknown):
		return console.Missingf("%w", err)
	case err != nil:
		return err
	}
	if u.AsJSON {
		return u.JSON(commanded{opt.name, "remove"})
	}
	u.Notef("%s was removed; what the nodes have of it stays on their disks, in crawls/%s", opt.name, opt.name)
	return nil
}
