package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/gather"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/crawl/past"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/result"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/internal/spelling"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/score"
)

type crawlOptions struct {
	crawlFlags
	dir      string // --dir; "" is named after the first seed
	seeds    string // --seeds: file, - for standard input
	addSeeds bool
	onEnd    string // --on-end: command of a shell
	clusterFlags
	detach bool // --detach
}

func newCrawlCommand(u *console.UI) *cobra.Command {
	opt := &crawlOptions{}
	cmd := &cobra.Command{
		Use:   "crawl [flags] SEED...",
		Short: "crawl the Web, the most important pages first; resume a crawl",
		Long: `Starts a crawl from the seeds in a new directory, or resumes the crawl in that directory.
It stays on the sites of the seeds unless --scope says otherwise; --list fetches exactly
the URLs given, --sitemap-only the pages that sitemaps name.
Ctrl-C stops it within seconds, a second Ctrl-C at once; both are safe, and the same
command line resumes the crawl. --pages, --duration and --bytes only pause it: give a
higher limit to resume.

After each response winnow waits --delay before the next request to the same site, or
longer if the site requests it. It never opens more than one connection to a site, and it
obeys robots.txt. Site owners must be able to reach you: --contact is required unless all
addresses are private.

Every key of the configuration file (winnow config prints one) is also a flag. Flags take
precedence over winnow.toml in the directory, then --config, then the defaults.
winnow does not run scripts or fill in forms: it sees pages as they are without them.`,
		Example: `  winnow crawl https://a.example --contact me@example.org
  winnow crawl https://a.example https://b.example --scope any --pages 100k --contact me@example.org
  winnow crawl --dir a.example.crawl --pages 200k
  winnow crawl --list --seeds urls.txt --contact me@example.org
  winnow crawl --seeds urls.txt --scope domain --contact https://example.org/bot
  winnow crawl http://s00.example:8080/ --scope any --resolver 127.0.0.1:5353 --allow-private`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := opt.clusterFlags.check(u, cmd); err != nil {
				return err
			}
			if opt.cluster == "" && opt.detach {
				return console.WithHint(console.Usagef("--detach is for a crawl of a cluster"), "try: %s", u.WithFlag("--cluster", "a.example:7420"))
			}
			if opt.cluster != "" {
				return runClusterCrawl(cmd.Context(), u, opt, args)
			}
			return runCrawl(cmd.Context(), u, opt, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&opt.dir, "dir", "", "directory of the crawl (default: the host of the first seed, with .crawl)")
	f.StringVar(&opt.seeds, "seeds", "", "file with seeds, one URL a line; - is standard input")
	f.BoolVar(&opt.addSeeds, "add-seeds", false, "add the seeds to the crawl that is resumed")
	f.StringVar(&opt.onEnd, "on-end", "", "command to run when this run ends, with WINNOW_DIR, WINNOW_STATE, WINNOW_WHY, WINNOW_FETCHED and WINNOW_EXIT in its environment")
	opt.clusterFlags.add(cmd)
	f.BoolVar(&opt.detach, "detach", false, "with --cluster: begin the crawl and do not wait for its end")
	opt.crawlFlags.add(cmd)
	opt.addKeys(cmd)
	defaults := config.Default()
	seeds, _ := defaults.Key("seeds")
	console.SetGroup(f, seeds.Section, "add-seeds", "on-end")
	console.SetGroup(f, "On several machines", "cluster", "secret-file", "name", "detach")
	console.SetGroup(f, console.FirstFlags, "dir", "seeds", "pages", "duration", "scope", "max-depth", "exclude", "delay", "contact", "allow-private")
	console.GroupUsage(u, cmd)
	return cmd
}

// crawling is one run of the verb, from the command line to the summary.
type crawling struct {
	u      *console.UI
	opt    *crawlOptions
	config config.Config
	dir    string
	seeds  []string // normal forms of what was given; none when that is needless
	resume bool
	sum    crawl.Summary // of the run, when it has ended
}

func runCrawl(ctx context.Context, u *console.UI, opt *crawlOptions, args []string) error {
	c := &crawling{u: u, opt: opt}
	for _, step := range []func() error{
		func() error { return c.begin(args) }, c.chooseDir, c.settle, c.checkFiles, c.checkScore, c.checkOpenFiles,
		func() error { return c.checkHistory(ctx) },
		func() error { return c.checkContact(ctx) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	c.warn()
	return c.ended(ctx, c.run(ctx))
}

// begin reads --config and the seeds.
func (c *crawling) begin(args []string) error {
	if err := console.NotEmpty(c.u, c.opt.flags, "dir", "seeds", "on-end", "config", "preset", "query", "query-file", "like"); err != nil {
		return err
	}
	c.config = config.Default()
	if err := c.opt.readConfig(c.u, &c.config); err != nil {
		return err
	}
	return c.readSeeds(args)
}

// chooseDir chooses the directory and checks its content.
func (c *crawling) chooseDir() error {
	c.dir = c.opt.dir
	if c.dir == "" {
		first := append(c.seeds, c.config.Seeds...)
		if len(first) == 0 {
			return console.WithHint(console.Usagef("winnow crawl needs a SEED to begin with, or --dir of a crawl to resume"),
				"try: winnow crawl https://example.org/ --pages 1000 --contact you@example.org")
		}
		c.dir = dirName(first[0])
	}
	if !exists(c.dir) || layout.IsCrawl(c.dir) {
		return nil
	}
	entries, err := os.ReadDir(c.dir)
	switch another := strings.TrimSuffix(c.dir, "/") + ".crawl"; {
	case err != nil:
		return console.WithHint(console.Usagef("--dir: open %s: %w", c.dir, result.Cause(err)), "try: %s", c.u.WithFlag("--dir", another))
	case len(entries) > 0:
		return console.WithHint(console.Usagef("--dir: %s is not the directory of a crawl: it holds %s", c.dir, entries[0].Name()),
			"a crawl needs a directory of its own; try: %s", c.u.WithFlag("--dir", another))
	}
	return nil
}

// settle completes the configuration. The configuration that the crawl already has
// overrides --config, the preset overrides both, and flags override all.
func (c *crawling) settle() error {
	before, found, err := history.ReadConfig(c.dir)
	if err != nil {
		return c.wrongDirConfig(err)
	}
	if c.resume = found; found {
		c.config.ChoosePolicy()
		if diff := before.Diff(&c.config); c.opt.config != "" && len(diff) > 0 {
			c.u.Notef("the configuration of %s wins over %s: %s", c.dir, c.opt.config, strings.Join(diff, "; "))
		}
		c.config = before
	} else if len(c.seeds) == 0 {
		if err := c.seedsOfConfig(); err != nil {
			return err
		}
	}
	if err := c.applyFlags(before.Score); err != nil {
		return err
	}
	if !c.resume || before.Policy == c.config.Policy {
		return nil
	}
	c.u.Notef("policy %s instead of %s: the journal is replayed first", c.config.Policy, before.Policy)
	return nil
}

// applyFlags applies the flags to the configuration. The crawl had a score before, or "".
func (c *crawling) applyFlags(score string) error {
	if !c.resume {
		c.config.Seeds = []string{} // those that count are in c.seeds
	}
	if err := c.opt.apply(c.u, &c.config, c.resume); err != nil {
		return err
	}
	if err := c.settleScore(score); err != nil {
		return err
	}
	if c.config.ChoosePolicy() {
		c.u.Notef("policy %s, because %s needs --max-memory %dM or more", policy.Frugal, policy.Default, policy.DefaultMemory>>20)
	}
	return nil
}

// wrongDirConfig explains a winnow.toml that cannot be read. It is derived: the journal
// has the configuration, too.
func (c *crawling) wrongDirConfig(err error) error {
	var file *config.FileError
	switch {
	case !errors.As(err, &file):
		return err
	case file.Unknown:
		return console.WithHint(err, "a newer winnow may have written it; fix or delete it: winnow restores it from the journal")
	}
	return console.WithHint(err, "fix or delete it: winnow restores it from the journal")
}

// checkFiles reads the files that are named, before anything is made.
func (c *crawling) checkFiles() error {
	for _, f := range []struct {
		key, holds string
		read       func(name string) error
	}{
		{"ca_file", "it takes a file with certificates in PEM form, which begins with -----BEGIN CERTIFICATE-----", readCertificates},
		{"rules", "a line is \"allow\" or \"deny\" and a host, perhaps with a path, such as: deny example.org/private/", readRules},
		{"deny", "a line is a host, perhaps with a path, such as: example.org/private/", readDeny},
	} {
		k, _ := c.config.Key(f.key)
		if k.String() == "" {
			continue
		}
		err := f.read(k.String())
		var file *fs.PathError
		switch {
		case errors.As(err, &file):
			return console.WithHint(fmt.Errorf("--%s: %s %s: %w", k.Flag(), file.Op, file.Path, file.Err), "to do without it try: %s", c.u.WithoutFlag("--"+k.Flag()))
		case err != nil:
			return console.WithHint(fmt.Errorf("--%s: %w", k.Flag(), err), "%s", f.holds)
		}
	}
	return nil
}

// checkHistory looks at the earlier crawl before anything is made, and notes if it is of no
// use.
func (c *crawling) checkHistory(ctx context.Context) error {
	if c.config.History == "" || c.resume {
		return nil
	}
	if err := past.Check(ctx, c.config.History); err != nil {
		return fmt.Errorf("--history: %w", err)
	}
	for _, name := range []string{c.config.Policy, c.config.SitePolicy} {
		if choice, err := policy.Choose(name); err == nil && choice.UsesPrior() {
			return nil
		}
	}
	c.u.Notef("policy %s does not use --history; historical-pagerank does, also as a part: mix:%s+historical-pagerank", c.config.Policy, c.config.Policy)
	return nil
}

func readRules(name string) error {
	_, err := config.ReadRules(name, gather.ParseRules)
	return err
}

func readDeny(name string) error {
	_, err := config.ReadRules(name, gather.ParseDeny)
	return err
}

func readCertificates(name string) error {
	_, err := fetch.TrustFile(name)
	return err
}

// warn prints warnings about unusual settings, even with --quiet.
func (c *crawling) warn() {
	if !c.config.Robots {
		c.u.Say("warning", "robots.txt is not obeyed: crawl servers of your own only (--robots=false, kept in the journal)")
	}
	if c.config.Delay.Duration == 0 && c.config.DelayFactor == 0 {
		c.u.Say("warning", "there is no delay between requests: crawl servers of your own only (--delay 0 --delay-factor 0)")
	}
	if most := pagesFor(c.config.Policy); most > 0 {
		c.u.Notef("policy %s is meant for at most %s pages", c.config.Policy, show.Grouped(int64(most)))
	}
}

// explainKey names the flag of a wrong value and proposes another value.
func explainKey(u *console.UI, err error) error {
	var key *config.KeyError
	if !errors.As(err, &key) {
		return err
	}
	flag := "--" + strings.ReplaceAll(key.Key, "_", "-")
	said := console.Usagef("%s: %w", flag, key.Err)
	var unknown *policy.UnknownError
	var wrong *score.Error
	if errors.As(err, &wrong) {
		return explainScore(u, flag, lastWord(u, flag), key.Err)
	}
	switch right := nearPolicy(lastWord(u, flag), key.Err); {
	case right != "":
		return console.WithHint(said, "try: %s", u.WithFlag(flag, right))
	case errors.As(err, &unknown) && unknown.What == "policy":
		return console.WithHint(said, "try: %s", u.WithFlag(flag, policy.Default))
	case errors.Is(err, policy.ErrOracle):
		return console.WithHint(said, "it needs a known graph: winnow sim GRAPH --policy default,%s", lastWord(u, flag))
	case errors.Is(err, policy.ErrPrior):
		return console.WithHint(said, "name the directory of an earlier crawl, or a file of winnow rank --urls: %s", u.WithFlag("--history", "old.crawl"))
	case errors.Is(err, policy.ErrTopic):
		return console.WithHint(said, "say what the crawl is about: %s", u.WithFlag("--query", "web crawler"))
	case key.Hint != "":
		return console.WithHint(said, "try: %s", u.WithFlag(flag, key.Hint))
	}
	if right := wordInstead(u, flag, key.Key); right != "" {
		return console.WithHint(said, "try: %s", u.WithFlag(flag, right))
	}
	return console.WithHint(said, "winnow crawl --help describes %s", flag)
}

// nearPolicy returns the policy that was probably meant, "" if that is unknown.
func nearPolicy(typed string, err error) string {
	var unknown *policy.UnknownError
	var value *policy.ValueError
	var part *policy.PartError
	switch {
	case errors.As(err, &unknown):
		if near, ok := spelling.Nearest(unknown.Name, unknown.Known); ok {
			return strings.Replace(typed, unknown.Name, near, 1)
		}
	case errors.As(err, &value):
		near, ok := spelling.Nearest(value.Value, value.Known)
		if !ok {
			near = value.Instead
		}
		return strings.Replace(typed, value.Name+"="+value.Value, value.Name+"="+near, 1)
	case errors.As(err, &part):
		return strings.Replace(typed, part.Part, part.Instead, 1)
	}
	return ""
}

// wordInstead returns the word that was probably meant, or else the default; "" if the key
// takes any word.
func wordInstead(u *console.UI, flag, name string) string {
	c := config.Default()
	k, ok := c.Key(name)
	if !ok || k.Words() == nil {
		return ""
	}
	if near, ok := spelling.Nearest(lastWord(u, flag), k.Words()); ok && !strings.HasSuffix(near, ":") {
		return near
	}
	return k.String()
}

// lastWord returns the value of a flag as it was typed.
func lastWord(u *console.UI, flag string) string {
	last := ""
	for i, word := range u.Args {
		if word == flag && i+1 < len(u.Args) {
			last = u.Args[i+1]
		}
		if value, ok := strings.CutPrefix(word, flag+"="); ok {
			last = value
		}
	}
	return last
}
