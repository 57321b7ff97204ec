package main

import (
	"cmp"
	"context"

	"github.com/winnow-crawler/winnow/crawl/member"
	"github.com/winnow-crawler/winnow/crawl/node"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/show"
)

// runClusterStatus shows a crawl of a cluster, or without a name the nodes and all crawls.
func runClusterStatus(ctx context.Context, u *console.UI, opt *clusterFlags) error {
	if opt.name == "" {
		return runClusterList(ctx, u, opt)
	}
	c, x, err := opt.open(ctx, u)
	if err != nil {
		return err
	}
	defer c.Close()
	v, err := x.View(ctx)
	if err != nil {
		return err
	}
	if u.AsJSON {
		return u.JSON(v)
	}
	k, err := x.Plan.Configuration()
	if err != nil {
		return err
	}
	return printView(u, v, &k)
}

// crawlRow is a crawl of a cluster in the list.
type crawlRow struct {
	Name       string `json:"name"`
	Partitions int    `json:"partitions"`
	State      string `json:"state"` // running, paused or why it has ended
	// Unable are the nodes that cannot serve some partitions, and why.
	Unable map[string]string `json:"unable,omitempty"`
}

// runClusterList lists the nodes and the crawls of a cluster.
func runClusterList(ctx context.Context, u *console.UI, opt *clusterFlags) error {
	c, err := opt.connect(ctx, u)
	if err != nil {
		return err
	}
	defer c.Close()
	nodes, err := c.Nodes(ctx)
	if err != nil {
		return err
	}
	rows, err := crawlRows(ctx, c)
	if err != nil {
		return err
	}
	if u.AsJSON {
		return u.JSON(struct {
			Nodes  []member.Beat `json:"nodes"`
			Crawls []crawlRow    `json:"crawls"`
		}{nodes, rows})
	}
	t := show.NewList()
	for _, n := range nodes {
		t.Add("node "+n.Node, cmp.Or(n.Address, "-"), nodeText(&n, rows))
	}
	if len(nodes) == 0 {
		t.Add("nodes", "-", "none runs")
	}
	for _, x := range rows {
		t.Add("crawl "+x.Name, x.State, show.Counted(int64(x.Partitions), "partition"))
	}
	if len(rows) == 0 {
		t.Add("crawls", "-", "none yet; winnow crawl --cluster makes one")
	}
	return t.Print(u.Stdout)
}

// nodeText describes a node of a cluster with some crawls.
func nodeText(n *member.Beat, crawls []crawlRow) string {
	text := "no broker"
	switch {
	case n.BrokerOff:
		text = "its broker is OFF: make room on its disk, and start it again"
	case n.Broker:
		text = "broker"
	}
	if n.Partitions > 0 {
		text += ", " + show.Counted(int64(n.Partitions), "partition") + ", " + show.Rate(n.Rate) + " pages/s, " + show.Bytes(n.Memory) + " of " + show.Bytes(n.MemoryMax) + " memory"
	}
	for _, x := range cannot(n) {
		text += "; " + x
	}
	for _, x := range crawls {
		if why := x.Unable[n.Node]; why != "" {
			text += "; " + x.Name + ": " + why
		}
	}
	return text
}

// crawlRows returns the crawls of a cluster.
func crawlRows(ctx context.Context, c *member.Cluster) ([]crawlRow, error) {
	names, err := c.Crawls(ctx)
	if err != nil {
		return nil, err
	}
	rows := []crawlRow{}
	for _, name := range names {
		x, err := c.Open(ctx, name)
		if err != nil {
			return nil, err
		}
		s, err := node.Stand(ctx, x.Engine.Register)
		if err != nil {
			return nil, err
		}
		state := cmp.Or(s.Stop, "running")
		if s.Stop == "" && s.Paused {
			state = "paused"
		}
		row := crawlRow{name, x.Plan.Crawl.Partitions, state, nil}
		if s.Stop == "" {
			row.Unable, err = x.Unable(ctx)
		}
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}
