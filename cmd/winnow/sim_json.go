package main

import "github.com/winnow-crawler/winnow/lab/measure"

// A simObject is the JSON output for one policy. The names of the measures are those
// of measure.Measures, which are left out without an oracle.
type simObject struct {
	Policy    string `json:"policy"`
	Pages     int    `json:"pages"`
	Reachable int    `json:"reachable"`
	*measure.Measures
	Regret  *float64   `json:"regret,omitempty"`
	Starts  *simStarts `json:"starts,omitempty"`
	Known   int        `json:"known"`    // pages known at the end
	Sites   int        `json:"sites"`    // sites known at the end
	Request int        `json:"requests"` // DNS, robots.txt and pages
	Memory  int64      `json:"memory"`   // bytes of frontier and policy

	Seconds        float64   `json:"seconds"`         // of the crawl, by the clock on the wall
	VirtualSeconds float64   `json:"virtual_seconds"` // that it took in its world
	Active         *float64  `json:"active_fetchers,omitempty"`
	Config         simConfig `json:"config"`
}

// simStarts is a policy over the start sets.
type simStarts struct {
	Sets    int              `json:"sets"`
	Seeds   int              `json:"seed_pages"`
	Average measure.Interval `json:"avg_cumulative_pagerank"`
	Regret  measure.Interval `json:"regret"`
	Lead    measure.Interval `json:"ahead_of_first"` // by the average, set by set
}

// A simConfig holds everything that determines a run, except its policy.
type simConfig struct {
	World      string `json:"world"`
	WorldPages int    `json:"world_pages"`
	WorldLinks int64  `json:"world_links"`
	SelfLinks  bool   `json:"self_links"`
	Seeds      string `json:"seeds"`
	SeedPages  int    `json:"seed_pages"`
	RandomSeed uint64 `json:"random_seed"`

	SitePolicy    string  `json:"site_policy"`
	Time          string  `json:"time"`
	Fetchers      int     `json:"fetchers"`
	Delay         float64 `json:"delay"` // seconds
	PerConnection int     `json:"per_connection"`
	Bandwidth     float64 `json:"bandwidth"` // bytes per second; 0 has no limit
	Batch         int     `json:"batch"`
	BatchMode     string  `json:"batch_mode"`
	MinActive     int     `json:"min_active"`
	SiteShare     float64 `json:"site_share"` // 0 has no limit
	MaxPages      int     `json:"max_pages"`  // 0 means all

	Oracle  string    `json:"oracle"`
	Follow  *float64  `json:"follow"` // null unless the oracle is PageRank
	Truth   string    `json:"truth"`
	Hot     []float64 `json:"hot"`
	History string    `json:"history"`
	Starts  int       `json:"starts"`
}

// object returns the JSON object of run i.
func (r *simResult) object(i int) *simObject {
	run := r.runs[i]
	res := run.Result
	o := &simObject{
		Policy: run.Policy, Pages: len(res.Order), Reachable: len(r.c.Tree.Order),
		Known: res.Known, Sites: res.Sites, Request: res.Requests, Memory: res.Memory,
		Seconds: run.Seconds, VirtualSeconds: res.Took.Seconds(), Config: r.config(),
	}
	if res.Trace != nil {
		active := res.Trace.Mean().Active
		o.Active = &active
	}
	if r.c.Judge == nil {
		return o
	}
	o.Measures = &run.Measures
	if v, ok := r.base.Regret(run.Measures.Average); ok {
		o.Regret = &v
	}
	if r.sets != nil {
		o.Starts = &simStarts{Sets: r.sets.Sets(), Seeds: r.sets.Seeds, Average: r.sets.Mean(i), Regret: r.sets.MeanRegret(i), Lead: r.sets.Lead(i)}
	}
	return o
}

func (r *simResult) config() simConfig {
	f := &r.c.Frontier
	c := simConfig{
		World: r.world.Name, WorldPages: r.g.Pages(), WorldLinks: r.g.Links(), SelfLinks: r.selfLinks,
		Seeds: r.c.SeedsName, SeedPages: len(r.c.Seeds), RandomSeed: r.c.Random, SitePolicy: r.c.SitePolicy, Time: r.time,
		Fetchers: r.c.Fetchers, Delay: f.Delay.Seconds(), PerConnection: f.PerConnection, Bandwidth: r.c.Bandwidth,
		Batch: r.c.Batch, BatchMode: r.batchMode, MinActive: f.MinActive, SiteShare: f.SiteShare, MaxPages: r.c.MaxPages,
		Oracle: r.oracle, Truth: r.truth, Hot: r.c.Hot, History: r.history, Starts: r.starts,
	}
	if r.oracle == measure.PageRankMetric {
		follow := r.followed()
		c.Follow = &follow
	}
	if r.c.Judge != nil && c.Hot == nil {
		for _, h := range r.runs[0].Measures.Threshold {
			c.Hot = append(c.Hot, h.G)
		}
	}
	return c
}
