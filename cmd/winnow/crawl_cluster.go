package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/member"
	"github.com/winnow-crawler/winnow/crawl/node"
	"github.com/winnow-crawler/winnow/crawl/partition"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/terminal"
	"github.com/winnow-crawler/winnow/internal/wording"
)

// clusterPartitions is the number of partitions of a crawl of a cluster, if none is given.
const clusterPartitions = 64

// runClusterCrawl begins a crawl of a cluster, or finds the one of that name if there is no seed or with
// --add-seeds, and shows how it goes until it has ended.
func runClusterCrawl(ctx context.Context, u *console.UI, opt *crawlOptions, args []string) error {
	c := &crawling{u: u, opt: opt}
	if err := c.refuse(); err != nil {
		return err
	}
	if err := c.begin(args); err != nil {
		return err
	}
	if opt.addSeeds || len(c.seeds) == 0 && len(c.config.Seeds) == 0 {
		return c.continueOld(ctx)
	}
	plan, err := c.plan(ctx)
	if err != nil {
		return err
	}
	cluster, err := opt.connect(ctx, u)
	if err != nil {
		return err
	}
	defer cluster.Close()
	p := show.NewProgress(u.Progress(), "make the streams of "+opt.name, 0, "")
	x, err := cluster.Create(ctx, opt.name, plan)
	p.Done()
	if err != nil {
		return err
	}
	if err := c.printClusterStart(plan); err != nil || opt.detach {
		return err
	}
	return c.follow(ctx, x)
}

// refuse refuses flags that have no meaning in a cluster.
func (c *crawling) refuse() error {
	if c.opt.name == "" {
		return console.WithHint(console.Usagef("a crawl of a cluster needs a name"), "try: %s", c.u.WithFlag("--name", "big"))
	}
	for _, x := range []struct{ flag, why string }{
		{"dir", "each node has a directory of its own: winnow node --dir"},
		{"on-end", "this command ends with the crawl; run the other one after it"},
	} {
		if c.opt.flags.Changed(x.flag) {
			return console.WithHint(console.Usagef("--%s cannot be used with --cluster: %s", x.flag, x.why), "try: %s", c.u.WithoutFlag("--"+x.flag))
		}
	}
	return nil
}

// plan returns what the crawl is to be.
func (c *crawling) plan(ctx context.Context) (*node.Plan, error) {
	if len(c.seeds) == 0 {
		if err := c.seedsOfConfig(); err != nil {
			return nil, err
		}
	}
	if err := c.applyFlags(""); err != nil {
		return nil, err
	}
	if !c.opt.flags.Changed("partitions") && c.config.Partitions == config.Default().Partitions {
		c.config.Partitions = clusterPartitions
	}
	if err := c.checkClusterConfig(ctx); err != nil {
		return nil, err
	}
	p, err := node.NewPlan(&c.config, c.config.Partitions, c.seeds)
	if err != nil {
		return nil, console.Usage(err)
	}
	return p, nil
}

// checkClusterConfig refuses settings that do not work in a cluster, and warns of unusual ones.
func (c *crawling) checkClusterConfig(ctx context.Context) error {
	for _, key := range []string{"metrics", "ui", "notices"} {
		if k, ok := c.config.Key(key); ok && k.String() != "" {
			return console.WithHint(console.Usagef("--%s cannot be used with --cluster: no node would serve it", k.Flag()), "try: %s", c.u.WithoutFlag("--"+k.Flag()))
		}
	}
	if err := partition.CheckShared(&c.config); err != nil {
		return console.Usage(err)
	}
	for _, step := range []func() error{c.checkFiles, c.checkScore, func() error { return c.checkContact(ctx) }} {
		if err := step(); err != nil {
			return err
		}
	}
	c.warn()
	return nil
}

// continueOld shows how a crawl goes that there is. If seeds or settings are given it changes the crawl
// first, which continues with them.
func (c *crawling) continueOld(ctx context.Context) error {
	if c.opt.addSeeds && len(c.seeds) == 0 {
		return console.WithHint(console.Usagef("--add-seeds without a SEED adds nothing"), "name a SEED, or try: %s", c.u.WithoutFlag("--add-seeds"))
	}
	cluster, x, err := c.opt.open(ctx, c.u)
	if err != nil {
		return err
	}
	defer cluster.Close()
	changes := c.changes()
	if c.config, err = x.Plan.Configuration(); err != nil {
		return err
	}
	if changes {
		if err := c.change(ctx, x); err != nil || c.opt.detach {
			return err
		}
	}
	return c.follow(ctx, x)
}

// changes reports whether the command line has settings, or seeds to add.
func (c *crawling) changes() bool {
	return c.opt.addSeeds || c.opt.preset != "" || slices.ContainsFunc(c.opt.keys, func(f *keyFlag) bool { return len(f.said) > 0 })
}

// change lets a crawl continue with the settings and seeds of the command line.
func (c *crawling) change(ctx context.Context, x *member.Crawl) error {
	before := c.config.Clone()
	c.resume = true
	if err := c.applyFlags(before.Score); err != nil {
		return err
	}
	if c.config.Partitions != before.Partitions {
		return console.WithHint(console.Usagef("%s has %d partitions, not %d: their number is fixed when a crawl begins", x.Name, before.Partitions, c.config.Partitions), "try: %s", c.u.WithoutFlag("--partitions"))
	}
	if err := c.checkClusterConfig(ctx); err != nil {
		return err
	}
	var said []string
	for _, f := range c.opt.keys {
		if len(f.said) > 0 {
			said = append(said, f.key.Name)
		}
	}
	p, err := x.Plan.Change(&c.config, c.seeds, said...)
	if err != nil {
		return console.Usage(err)
	}
	if err := x.Change(ctx, p); err != nil {
		return err
	}
	c.u.Notef("the crawl %s continues: %s", x.Name, cmp.Or(strings.Join(before.Diff(&c.config), "; "), "no setting differs"))
	if c.opt.addSeeds {
		c.u.Notef("seeds were added: %s", show.Grouped(int64(len(c.seeds))))
	}
	return nil
}

// printClusterStart prints what begins.
func (c *crawling) printClusterStart(p *node.Plan) error {
	if c.u.AsJSON {
		return c.u.JSON(struct {
			Event      string `json:"event"`
			Name       string `json:"name"`
			Partitions int    `json:"partitions"`
			Seeds      int    `json:"seeds"`
			Policy     string `json:"policy"`
			Stops      string `json:"stops"`
		}{"start", c.opt.name, p.Crawl.Partitions, len(c.seeds), c.config.Policy, stops(&c.config)})
	}
	c.u.Notef("the crawl %s begins: %s, %s, policy %s", c.opt.name, show.Counted(int64(len(c.seeds)), "seed"), show.Counted(int64(p.Crawl.Partitions), "partition"), c.config.Policy)
	c.u.Notef("scope: %s", c.config.DescribeScope(c.seeds))
	c.u.Notef("delay %s · stops: %s", c.config.Delay, stops(&c.config))
	if c.opt.detach {
		c.u.Notef("to see how it goes: %s", c.statusCommand())
	}
	return nil
}

// statusCommand returns the command that shows the crawl.
func (c *crawling) statusCommand() string {
	args := []string{"winnow", "status", "--cluster", c.opt.cluster}
	if c.opt.secretFile != "" {
		args = append(args, "--secret-file", c.opt.secretFile)
	}
	return terminal.Command(append(args, "--name", c.opt.name)...)
}

// follow shows how a crawl goes until it has ended.
func (c *crawling) follow(ctx context.Context, x *member.Crawl) error {
	w := watchCrawl(c.u, c.opt.name, &c.config)
	w.Start()
	defer w.Stop()
	said, looks := "", 0
	v, err := x.Follow(ctx, func(v *member.View) {
		if v.Ended == "" {
			w.Set(&v.Status)
		}
		looks++
		if text := course(v); text != said && (looks > fewLooks || len(v.Nodes) > 0 || v.Ended != "") {
			said = text
			w.Say("", text)
		}
	})
	w.Stop()
	if ctx.Err() != nil {
		c.u.Notef("the crawl goes on; to see how: %s", c.statusCommand())
		return ctx.Err()
	}
	if err != nil {
		return err
	}
	if c.u.AsJSON {
		err = c.u.JSON(statsEvent("end", &v.Status))
	} else {
		err = printView(c.u, v, &c.config)
	}
	if err == nil && v.Status.Fetched == v.Status.Redirects && v.Ended != "stopped" {
		err = console.Missingf("%w", console.WithHint(fmt.Errorf("no page was fetched; failed: %s; skipped: %s", show.ByNumber(v.Status.FailedBy), show.ByNumber(v.Status.RefusedBy)), "the logs of the nodes say more"))
	}
	return err
}

// fewLooks is the number of seconds after which it is said that no node runs.
const fewLooks = 5

// course describes who crawls, in a line that changes seldom.
func course(v *member.View) string {
	if v.Ended != "" {
		return "the crawl has ended: " + v.Ended
	}
	var list []string
	for _, n := range v.Nodes {
		list = append(list, fmt.Sprintf("%s %d", n.Node, len(n.Partitions)))
	}
	text := "partitions: " + cmp.Or(strings.Join(list, ", "), "no node runs")
	if v.Paused {
		text = "paused; " + text
	}
	if n := len(v.Free); n > 0 && len(v.Nodes) > 0 {
		text += fmt.Sprintf(", %d without a node: %s", n, v.Free[0].Why)
	}
	return text
}

// printView prints a crawl of a cluster.
func printView(u *console.UI, v *member.View, c *config.Config) error {
	t := show.NewList()
	t.Add("crawl", "", v.Name)
	t.Add("state", "", viewState(v, c))
	for _, n := range v.Nodes {
		text := show.Plural(int64(len(n.Partitions)), "partition") + ", " + show.Counted(n.Status.Fetched, "page") + ", " + show.Rate(n.Status.Rate) + " pages/s"
		if n.Coordinator {
			text += ", coordinator"
		}
		t.Add("node "+n.Node, show.Grouped(int64(len(n.Partitions))), text)
	}
	byReason := map[string]int64{}
	for _, f := range v.Free {
		byReason[f.Why]++
	}
	for _, f := range v.Free {
		if n := byReason[f.Why]; n > 0 {
			t.Add("no node", show.Grouped(n), show.Plural(n, "partition")+": "+f.Why)
			byReason[f.Why] = 0
		}
	}
	if v.Ended != "" && v.Silent > 0 {
		t.Add("not counted", show.Grouped(int64(v.Silent)), show.Plural(int64(v.Silent), "partition")+" whose nodes did not tell how they ended")
	}
	if v.Silent < v.Partitions {
		terminal.AddTotals(t, &v.Status)
	}
	return t.Print(u.Stdout)
}

// viewState describes the state of a crawl of a cluster.
func viewState(v *member.View, c *config.Config) string {
	switch {
	case v.Ended == "finished":
		return wording.StateText(&v.Status, c)
	case v.Ended == "stopped":
		return "stopped by a command; winnow cluster resume continues it"
	case v.Ended != "":
		return wording.StateText(&v.Status, c)
	case v.Paused:
		return "paused by a command; winnow cluster resume continues it"
	case len(v.Nodes) == 0:
		return "waiting: no node runs"
	}
	return history.StateRunning
}
