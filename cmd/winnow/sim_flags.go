package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab/measure"
	"github.com/winnow-crawler/winnow/sim"
)

const (
	timedDelay = 15 * time.Second // of a site by default, with a model of time (the thesis' w)
	keepAlive  = 15 * time.Second // after which servers close idle connections
)

// span is a flag for a duration: 15s, 1m30s, or a bare number of seconds.
type span time.Duration

func (s *span) Type() string { return "duration" }

// String returns "" for 0, since the help describes the default in words.
func (s *span) String() string {
	if *s == 0 {
		return ""
	}
	return time.Duration(*s).String()
}

func (s *span) Set(text string) error {
	d, err := time.ParseDuration(text)
	if v, bare := strconv.ParseFloat(text, 64); bare == nil && math.Abs(v) < 1e9 {
		d, err = time.Duration(math.Round(v*1e9)), nil
	}
	switch {
	case err != nil:
		return fmt.Errorf("%q: want a duration such as 15s or 500ms; a bare number is seconds", text)
	case d < 0:
		return fmt.Errorf("%q: it cannot be negative", text)
	}
	*s = span(d)
	return nil
}

// numbers is a flag for several positive numbers, separated by commas.
type numbers []float64

func (n *numbers) Type() string { return "numbers" }

func (n *numbers) String() string {
	var parts []string
	for _, v := range *n {
		parts = append(parts, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return strings.Join(parts, ",")
}

func (n *numbers) Set(text string) error {
	var all []float64
	for part := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(v > 0) || math.IsInf(v, 1) {
			return fmt.Errorf("%q: want numbers above 0 such as 1,3,10", text)
		}
		all = append(all, v)
	}
	*n = all
	return nil
}

// What flags of sim and lab can be at most. More fetchers than a million need more
// memory than a machine has, and more start sets than a thousand do not make intervals
// narrower in a way that anybody would wait for.
const (
	maxFetchers = 1_000_000 // also pages a connection
	maxPages    = 1_000_000_000
	maxStarts   = 1_000
	maxThreads  = 1_024
)

// bounded is a flag that is a whole number, with its bounds.
type bounded struct {
	name               string
	value, least, most int
}

// checkNumbers refuses numbers out of their bounds.
func checkNumbers(u *ui, flags *pflag.FlagSet, all ...bounded) error {
	for _, b := range all {
		name := "--" + b.name
		switch {
		case !flags.Changed(b.name):
		case b.value > b.most:
			err := usagef("%s %d: it can be %s at most", name, b.value, show.Grouped(int64(b.most)))
			return withHint(err, "try: %s", u.withFlag(name, strconv.Itoa(b.most)))
		case b.value < b.least:
			try := u.withoutFlag(name)
			if normal := flags.Lookup(b.name).DefValue; normal != "0" {
				try = u.withFlag(name, normal)
			}
			return withHint(usagef("%s %d: it must be at least %d", name, b.value, b.least), "try: %s", try)
		}
	}
	return nil
}

// notEmpty refuses flags that were given without a value, such as --out "$NOWHERE".
func notEmpty(u *ui, flags *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		if flags.Changed(name) && flags.Lookup(name).Value.String() == "" {
			return withHint(usagef("--%s: its value is empty", name), "try: %s", u.withoutFlag("--"+name))
		}
	}
	return nil
}

// check checks the flags before the graph is opened.
func (o *simOptions) check(u *ui) error {
	err := checkNumbers(u, o.flags,
		bounded{"fetchers", o.setting.Fetchers, 1, maxFetchers}, bounded{"per-connection", o.setting.Frontier.PerConnection, 1, maxFetchers},
		bounded{"batch", o.setting.Batch, 1, maxPages}, bounded{"min-active", o.setting.Frontier.MinActive, 0, maxFetchers}, bounded{"max-pages", o.setting.MaxPages, 1, math.MaxInt},
		bounded{"starts", o.starts, 0, maxStarts}, bounded{"threads", o.threads, 0, maxThreads})
	if err == nil {
		err = notEmpty(u, o.flags, "site-policy", "seeds", "oracle", "history", "order", "out")
	}
	if err != nil {
		return err
	}
	if err := o.checkWords(u); err != nil {
		return err
	}
	if v := o.follow.Float(); o.flags.Changed("follow") && (v <= 0 || v >= 1) {
		return withHint(usagef("--follow %s: it must be between 0 and 1", &o.follow), "try: %s", u.withFlag("--follow", "0.9"))
	}
	if v := o.siteShare.Float(); o.flags.Changed("site-share") && (v <= 0 || v > 1) {
		return withHint(usagef("--site-share %s: it must be above 0 and at most 1", &o.siteShare), "try: %s", u.withFlag("--site-share", "1/10"))
	}
	if err := o.checkNone(u); err != nil {
		return err
	}
	return o.checkMeaning(u)
}

// checkWords looks at flags that take one word of several.
func (o *simOptions) checkWords(u *ui) error {
	times := append([]string{timeNone}, sim.PresetNames()...)
	for _, flag := range []struct {
		name, value string
		words       []string
	}{
		{"batch-mode", o.batchMode, frontier.ModeNames()},
		{"truth", o.truth, []string{truthFull, truthReachable}},
		{"time", o.time, times},
	} {
		if recorded := flag.name == "time" && isDir(flag.value); !recorded && !contains(flag.words, flag.value) {
			return o.wrongWord(u, flag.name, flag.value, flag.words)
		}
	}
	return nil
}

func (o *simOptions) wrongWord(u *ui, name, value string, words []string) error {
	err := usagef("--%s %q: want %s", name, value, orList(words))
	if near, ok := nearest(value, words); ok {
		return withHint(err, "try: %s", u.withFlag("--"+name, near))
	}
	if name == "time" {
		return withHint(err, "or the directory of a crawl, for the times that it recorded")
	}
	return err
}

// checkNone refuses flags that need a true importance.
func (o *simOptions) checkNone(u *ui) error {
	if o.oracle != oracleNone {
		return nil
	}
	for _, name := range []string{"hot", "follow", "truth", "starts"} {
		if o.flags.Changed(name) {
			return withHint(usagef("--%s means nothing to --oracle none", name), "try: %s", u.withoutFlag("--oracle"))
		}
	}
	return nil
}

// checkMeaning refuses flags that have no effect together with others: the user
// probably means another experiment.
func (o *simOptions) checkMeaning(u *ui) error {
	if o.flags.Changed("follow") && o.oracle != measure.PageRankMetric {
		return usagef("--follow means nothing to --oracle %s", o.oracle)
	}
	if o.truth == truthReachable && o.oracle != measure.PageRankMetric && o.oracle != measure.BacklinksMetric {
		return usagef("--truth reachable means nothing to --oracle %s", o.oracle)
	}
	if o.bandwidth > 0 && o.time == timeNone {
		return withHint(usagef("--bandwidth means nothing to --time none"), "try: %s", u.withFlag("--time", sim.PresetNames()[0]))
	}
	for _, name := range []string{"min-active", "site-share"} {
		if o.flags.Changed(name) && o.batchMode == frontier.Continuous.String() {
			return withHint(usagef("--%s means nothing to --batch-mode continuous", name), "try: %s", u.withFlag("--batch-mode", frontier.Thesis.String()))
		}
	}
	return nil
}
