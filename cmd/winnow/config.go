package main

import (
	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/internal/console"
)

func newConfigCommand(u *console.UI) *cobra.Command {
	opt := &crawlFlags{}
	cmd := &cobra.Command{
		Use:   "config [--config FILE] [--preset NAME]",
		Short: "print the commented default configuration of a crawl",
		Long: `Prints a configuration file (TOML) with all keys, their meaning and their defaults. Edit it
and pass it to "winnow crawl --config". Keys that a file omits have their defaults.

With --config, the values are those of that file, which is checked; with --preset, those of
the experiment of a paper. Secrets are not printed.`,
		Example: `  winnow config > my.toml
  winnow config --preset thesis-exp1
  winnow config --config my.toml --quiet > /dev/null && echo fine`,
		Args: console.Exactly(),
		RunE: func(*cobra.Command, []string) error {
			return runConfig(u, opt)
		},
	}
	opt.add(cmd)
	return cmd
}

func runConfig(u *console.UI, opt *crawlFlags) error {
	if err := console.NotEmpty(u, opt.flags, "config", "preset"); err != nil {
		return err
	}
	c := config.Default()
	if err := opt.readConfig(u, &c); err != nil {
		return err
	}
	if err := opt.apply(u, &c, false); err != nil {
		return err
	}
	c, _ = c.Public()
	if u.AsJSON {
		return printKeys(u, &c)
	}
	text, err := c.Commented()
	if err != nil {
		return err
	}
	u.Printf("%s", text)
	return nil
}

// printKeys prints one object for each key, and for each that a [[site]] table sets.
func printKeys(u *console.UI, c *config.Config) error {
	for _, k := range c.Keys() {
		err := u.JSON(struct {
			Key   string `json:"key"`
			Flag  string `json:"flag,omitempty"` // none for seeds, which are arguments
			Type  string `json:"type"`
			Value string `json:"value"`
			List  bool   `json:"list"` // may be given several times
			Help  string `json:"help"`
		}{k.Name, flagOf(k), k.Type(), k.String(), k.List(), k.Help})
		if err != nil {
			return err
		}
	}
	for _, v := range c.SiteValues() {
		err := u.JSON(struct {
			Key   string `json:"key"`
			Match string `json:"match"` // of the [[site]] table
			Value any    `json:"value"`
			Help  string `json:"help"`
		}{"site." + v.Name, v.Match, v.Value, v.Help})
		if err != nil {
			return err
		}
	}
	return nil
}

func flagOf(k config.Key) string {
	if k.Name == "seeds" {
		return ""
	}
	return "--" + k.Flag()
}
