package live

import (
	"slices"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/state"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/lab"
)

// Like sets the delays of a setting to those of a crawl, and with replay all that is known of
// it. changed reports whether a flag of winnow sim has set a value, which then stays.
func Like(set *lab.Setting, c *config.Config, replay bool, changed func(flag string) bool) error {
	o, err := state.FrontierOptions(c)
	if err != nil {
		return err
	}
	f := &set.Frontier
	if replay {
		likeReplayed(set, c, o, changed)
	}
	if !changed("delay") {
		f.Delay, f.SmallDelay, f.SmallSite = o.Delay, o.SmallDelay, o.SmallSite
		if !changed("delay-factor") {
			f.Factor = o.Factor
		}
		if !changed("delay-max") {
			f.FactorMax = o.FactorMax
		}
	}
	if !changed("per-connection") {
		f.PerConnection = o.PerConnection
	}
	if set.KeepMost = c.KeepMost; !changed("keep-alive") {
		f.KeepAlive = o.KeepAlive
	}
	if !changed("fetchers") {
		set.Fetchers = c.Fetchers
	}
	f.Resolve, f.Robots = o.Resolve, o.Robots
	// What changes what a crawl may request, or when, gives it a clock of its own.
	set.InStep = replay && !slices.ContainsFunc([]string{"bandwidth", "batch", "batch-mode", "delay", "delay-factor", "delay-max", "fetchers",
		"keep-alive", "min-active", "per-connection", "random-seed", "seeds", "site-policy", "site-share", "wait-for-better"}, changed)
	return nil
}

// likeReplayed sets what is known of the crawl itself only: limits of addresses, pauses after
// failures, and its random numbers, unless flags set them.
func likeReplayed(set *lab.Setting, c *config.Config, o frontier.Options, changed func(flag string) bool) {
	f := &set.Frontier
	f.BackOff, f.BackOffMax = o.BackOff, o.BackOffMax
	f.AddressCap, f.AddressDelay = o.AddressCap, o.AddressDelay
	f.Slow, f.SlowTimes, f.SlowFactor, f.SlowDelay, f.SlowMax = o.Slow, o.SlowTimes, o.SlowFactor, o.SlowDelay, o.SlowMax
	f.Slice, f.Requisites = o.Slice, o.Requisites
	if !changed("wait-for-better") {
		f.WaitForBetter = o.WaitForBetter
	}
	if !changed("random-seed") {
		set.Random = c.RandomSeed
	}
	if !changed("keep-pages") {
		set.KeepPages = int(c.KeepPages)
	}
	if !changed("batch") {
		set.Batch = c.Batch
	}
	if f.BatchWait = o.BatchWait; !changed("batch-mode") {
		f.Mode = o.Mode
	}
	if !changed("min-active") {
		f.MinActive = o.MinActive
	}
	if !changed("site-share") {
		f.SiteShare = o.SiteShare
	}
	if !changed("site-policy") {
		set.SitePolicy = c.SitePolicy
	}
}
