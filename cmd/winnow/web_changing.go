package main

import (
	"time"

	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/internal/console"
)

// changeTimes are the flags of a changing web that take a duration.
func changeTimes(c *answer.Changes) []webTime {
	return []webTime{
		{"change-median", "median of the mean times between two changes of a page (default 10d)", &c.Median},
		{"change-within", "pages vanish and move in the last nine tenths of this time (default 30d)", &c.Within},
		{"outage-for", "how long a site answers 404 (default 1h)", &c.OutageFor},
	}
}

// changeSpreads are the flags of a changing web that take a standard deviation.
func changeSpreads(c *answer.Changes) []answer.Share {
	return []answer.Share{
		{Name: "change-spread", Help: "standard deviation of ln(time between changes), between directories (default 1)", Value: &c.Spread},
		{Name: "change-page-spread", Help: "the same between pages of a directory (default 0.5)", Value: &c.PageSpread},
	}
}

func (o *webOptions) addChangeFlags(f *pflag.FlagSet) {
	c, group := &o.serve.Changes, "A changing web, with --changing"
	f.BoolVar(&o.changing, "changing", false, "pages change, vanish and move; sites tell the truth about it or not")
	console.SetGroup(f, console.FirstFlags, "changing")
	for _, t := range changeTimes(c) {
		f.Var((*console.Span)(t.field), t.name, t.help)
		console.SetGroup(f, group, t.name)
	}
	for _, s := range changeSpreads(c) {
		f.Float64Var(s.Value, s.Name, 0, s.Help)
		console.SetGroup(f, group, s.Name)
	}
	for _, s := range c.Shares() {
		f.Float64Var(s.Value, s.Name, 0, "share of "+s.Help)
		console.SetGroup(f, group, s.Name)
	}
}

// changeNames returns the names of the flags that need --changing.
func (o *webOptions) changeNames() (names []string) {
	c := &o.serve.Changes
	for _, t := range changeTimes(c) {
		names = append(names, t.name)
	}
	for _, s := range append(changeSpreads(c), c.Shares()...) {
		names = append(names, s.Name)
	}
	return names
}

// strayChange returns a flag that has no effect because --changing is missing.
func (o *webOptions) strayChange() string {
	for _, name := range o.changeNames() {
		if !o.changing && o.flags.Changed(name) {
			return name
		}
	}
	return ""
}

// setChanges makes the web change as the flags say. Time begins now.
func (o *webOptions) setChanges(out *answer.Options) {
	if !o.changes && !o.changing {
		return
	}
	start := time.Now()
	clock := func() time.Duration { return time.Since(start) }
	if o.changes {
		out.Changes.Clock = clock
		return
	}
	validators, sitemaps := out.NoValidators, out.Sitemaps
	out.AddChanges(clock, start)
	if o.flags.Changed("no-validators") {
		out.NoValidators = validators
	}
	if o.flags.Changed("sitemaps") {
		out.Sitemaps = sitemaps
	}
	from, to := &o.serve.Changes, &out.Changes
	times := changeTimes(from)
	for i, t := range changeTimes(to) {
		if o.flags.Changed(t.name) {
			*t.field = *times[i].field
		}
	}
	shares := append(changeSpreads(from), from.Shares()...)
	for i, s := range append(changeSpreads(to), to.Shares()...) {
		if o.flags.Changed(s.Name) {
			*s.Value = *shares[i].Value
		}
	}
}
