package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/result"
	"github.com/winnow-crawler/winnow/internal/spelling"
	"github.com/winnow-crawler/winnow/internal/terminal"
	"github.com/winnow-crawler/winnow/score"
)

// crawlFlags holds the flags that make a configuration.
type crawlFlags struct {
	config string // --config
	preset string // --preset
	keys   []*keyFlag
	flags  *pflag.FlagSet
}

// keyFlag is the flag of one key. It only remembers the value: the key is set after the
// files have been read, because flags override files.
type keyFlag struct {
	key  config.Key // of the defaults
	said []string
}

func (f *keyFlag) Type() string          { return f.key.Type() }
func (f *keyFlag) String() string        { return strings.Join(f.said, ",") }
func (f *keyFlag) Set(text string) error { f.said = append(f.said, text); return nil }

// add adds the flags that name files and presets.
func (o *crawlFlags) add(cmd *cobra.Command) {
	o.flags = cmd.Flags()
	o.flags.StringVar(&o.config, "config", "", "configuration file (TOML)")
	o.flags.StringVar(&o.preset, "preset", "", "settings in a word: "+console.OrList(presetNames()))
	console.Completes(cmd, "preset", presetNames()...)
}

func presetNames() []string {
	var names []string
	for _, p := range config.Presets() {
		names = append(names, p.Name)
	}
	return names
}

// addKeys adds a flag for each key of the configuration, or for those that are named, in the
// sections of the file. Seeds are arguments.
func (o *crawlFlags) addKeys(cmd *cobra.Command, only ...string) {
	defaults := config.Default()
	section := ""
	for _, k := range defaults.Keys() {
		section = cmp.Or(k.Section, section)
		if k.Name == "seeds" || len(only) > 0 && !contains(only, k.Name) {
			continue
		}
		f := &keyFlag{key: k}
		o.keys = append(o.keys, f)
		flag := o.flags.VarPF(f, k.Flag(), "", flagHelp(&defaults, k))
		flag.DefValue = shownDefault(k)
		heading, _, _ := strings.Cut(section, ":")
		console.SetGroup(o.flags, heading, k.Flag())
		if k.Switch() {
			flag.NoOptDefVal = "true"
		}
		if words := k.Words(); words != nil {
			console.Completes(cmd, k.Flag(), words...)
		}
	}
	for _, name := range []string{"policy", "site-policy"} {
		if o.flags.Lookup(name) != nil {
			completesPolicies(cmd, name)
		}
	}
}

// flagHelp returns the help of a key, with flags in place of the keys that it mentions.
func flagHelp(c *config.Config, k config.Key) string {
	help := k.Help
	for _, other := range c.Keys() {
		if strings.Contains(other.Name, "_") {
			help = strings.ReplaceAll(help, other.Name, "--"+other.Flag())
		}
	}
	return help
}

// shownDefault returns the default value of a key, or "" if its help describes the default.
func shownDefault(k config.Key) string {
	if v := k.String(); v != "0s" && v != "default" { // the description says which one it is
		return v
	}
	return ""
}

// readConfig reads the file of --config over c.
func (o *crawlFlags) readConfig(u *console.UI, c *config.Config) error {
	if o.config == "" {
		return nil
	}
	text, err := os.ReadFile(o.config)
	if isDir(o.config) {
		return console.WithHint(fmt.Errorf("--config: open %s: it is a directory", o.config), "it takes a file, which winnow config prints; the configuration of a crawl is read with --dir")
	}
	if err != nil {
		return console.WithHint(fmt.Errorf("--config: open %s: %w", o.config, result.Cause(err)), "winnow config prints a file to begin with; try: winnow config > %s", terminal.Command(o.config))
	}
	name := o.config
	if full, err := filepath.Abs(name); err == nil && !filepath.IsAbs(name) {
		// Files that it names are meant relative to it, wherever the next run is started.
		return explainConfig(u, shortName(c.Read(full, text), name))
	}
	return explainConfig(u, c.Read(name, text))
}

// shortName puts the name that the user gave into an error about a file.
func shortName(err error, name string) error {
	var file *config.FileError
	if errors.As(err, &file) {
		file.Name = name
	}
	return err
}

// explainConfig adds a hint to a mistake in a file.
func explainConfig(u *console.UI, err error) error {
	var file *config.FileError
	if !errors.As(err, &file) {
		return err
	}
	var key *config.KeyError
	if file.Unknown {
		if near, ok := spelling.Nearest(file.Key, keyNames()); ok {
			return console.WithHint(err, "the nearest key is %s", near)
		}
		return console.WithHint(err, "winnow config lists the keys")
	}
	var wrong *score.Error
	if errors.As(err, &wrong) {
		return explainScore(u, "", "", err)
	}
	if errors.As(err, &key) && key.Hint != "" {
		return console.WithHint(err, "%s = '%s' would do", key.Key, key.Hint)
	}
	return console.WithHint(err, "winnow config prints all keys with their values")
}

func keyNames() []string {
	c := config.Default()
	var names []string
	for _, k := range c.Keys() {
		names = append(names, k.Name)
	}
	for _, k := range config.SiteKeys() {
		names = append(names, "site."+k.Name)
	}
	return append(names, "site")
}

// findPreset returns a preset, or an error that lists the presets.
func findPreset(u *console.UI, name string) (config.Preset, error) {
	p, ok := config.FindPreset(name)
	if ok {
		return p, nil
	}
	try, ok := spelling.Nearest(name, presetNames())
	if !ok {
		try = presetNames()[0]
	}
	return p, console.WithHint(console.Usagef("--preset %q: want %s", name, console.OrList(presetNames())), "try: %s", u.WithFlag("--preset", try))
}

// apply applies the preset and the flags, and checks the result. The preset does not change
// the scope of a crawl that is resumed.
func (o *crawlFlags) apply(u *console.UI, c *config.Config, resume bool) error {
	var p config.Preset
	if o.preset != "" {
		var err error
		if p, err = findPreset(u, o.preset); err != nil {
			return err
		}
		scope := c.Scope
		if p.Apply(c); resume {
			c.Scope = scope
		}
	}
	for _, f := range o.keys {
		if err := f.apply(u, c); err != nil {
			return err
		}
	}
	if err := p.Check(c); err != nil && len(o.keys) == 0 { // there are no flags for keys
		return console.WithHint(console.Usagef("%w", err), "write it into a file, and name that with --config")
	} else if err != nil {
		return explainKey(u, err)
	}
	return explainKey(u, c.Check())
}

// apply sets the key of a flag that was given.
func (f *keyFlag) apply(u *console.UI, c *config.Config) error {
	if len(f.said) == 0 {
		return nil
	}
	texts := slices.Clone(f.said)
	for i, name := range texts {
		if f.key.File && name != "" {
			if full, err := filepath.Abs(name); err == nil {
				texts[i] = full // the next run may be started elsewhere
			}
		}
	}
	k, _ := c.Key(f.key.Name)
	if err := k.Set(texts...); err != nil {
		normal := shownDefault(f.key)
		if normal == "" || normal == "0" {
			return console.WithHint(console.Usagef("--%s %w", k.Flag(), err), "try: %s", withExample(u, k.Flag()))
		}
		return console.WithHint(console.Usagef("--%s %w", k.Flag(), err), "try: %s", u.WithFlag("--"+k.Flag(), normal))
	}
	return nil
}

// withExample returns the command line with a value of a flag that is usual, or without the flag if
// there is none.
func withExample(u *console.UI, flag string) string {
	switch flag {
	case "pages":
		return u.WithFlag("--pages", "1000")
	case "duration":
		return u.WithFlag("--duration", "1h")
	case "bytes":
		return u.WithFlag("--bytes", "1GiB")
	case "recrawl":
		return u.WithFlag("--recrawl", "7d")
	}
	return u.WithoutFlag("--" + flag)
}
