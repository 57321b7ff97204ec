package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/result"
	"github.com/winnow-crawler/winnow/lab/boards"
	"github.com/winnow-crawler/winnow/lab/experiment"
	"github.com/winnow-crawler/winnow/lab/leaderboard"
)

// settleBoard checks the flags that are about one experiment, and reads the file of --reuse.
func (o *labOptions) settleBoard(u *console.UI, experiments []experiment.Experiment) error {
	board := slices.ContainsFunc(experiments, func(e experiment.Experiment) bool { return e.Name == boards.LeaderboardName })
	for _, flag := range []string{"policy", "reuse"} {
		if o.flags.Changed(flag) && !board {
			return console.WithHint(console.Usagef("--%s means nothing to %s", flag, experiments[0].Name), "it is for winnow lab run %s", boards.LeaderboardName)
		}
	}
	if o.page != "" && len(experiments) > 1 {
		return console.WithHint(console.Usagef("--page is for one experiment, and these are %d", len(experiments)), "--out DIR has a report for each")
	}
	if err := boards.CheckBoard(o.Policies); err != nil {
		if right := nearPolicy(strings.Join(o.Policies, ","), err); right != "" {
			return console.WithHint(console.Usagef("--policy: %w", err), "try: %s", u.WithFlag("--policy", right))
		}
		return console.WithHint(console.Usagef("--policy: %w", err), "winnow sim --help lists the policies")
	}
	if o.reuse == "" {
		return nil
	}
	f, err := os.Open(o.reuse)
	if err != nil {
		return fmt.Errorf("--reuse: open %s: %w", o.reuse, result.Cause(err))
	}
	defer f.Close()
	if o.Earlier, err = leaderboard.ReadEarlier(f); err != nil {
		return console.WithHint(fmt.Errorf("--reuse: %s: %w", o.reuse, err), "it is DIR/%s/summary.json after --out DIR", boards.LeaderboardName)
	}
	return nil
}
