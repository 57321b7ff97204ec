// Package control holds the commands that change a crawl while it runs: pause and resume it,
// change limits and delays, add seeds, retry or drop a site. A [Command] says what to do, a
// [Control] brings it to the crawl and returns when it is in force. The crawl records every
// command in its journal.
package control

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// The verbs of commands.
const (
	Pause  = "pause"  // request nothing more until Resume
	Resume = "resume" // continue
	Set    = "set"    // set KEY to VALUE: one of Keys
	Delay  = "delay"  // let SITE wait for TIME between two requests
	Seed   = "seed"   // add URL...
	Retry  = "retry"  // retry the failed pages of SITE, and take it back if it was dropped
	Drop   = "drop"   // request nothing more of SITE
	// SITE is a site, such as https://a.example, or a host, which stands for all its sites. A
	// delay always holds for the host and those below it.
)

// Keys returns the names of the settings that the command set can change: limits, and delays of
// all sites.
func Keys() []string {
	return []string{"pages", "duration", "bytes", "site_pages", "domain_pages", "max_depth", "delay", "ip_delay", "delay_factor"}
}

// A Command changes a crawl that runs.
type Command struct {
	Verb string
	Args []string
}

// Parse reads a command as String writes it: a verb and its arguments, with blanks between them.
func Parse(text string) (Command, error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return Command{}, usage("the command is empty")
	}
	c := Command{Verb: words[0], Args: words[1:]}
	return c, c.check()
}

func (c Command) String() string { return strings.Join(append([]string{c.Verb}, c.Args...), " ") }

// check returns an error if the verb does not exist or has another number of arguments.
func (c Command) check() error {
	least, most := 0, 0
	switch c.Verb {
	case Pause, Resume:
	case Set, Delay:
		least, most = 2, 2
	case Seed:
		least, most = 1, 10_000
	case Retry, Drop:
		least, most = 1, 1
	default:
		return usage(fmt.Sprintf("there is no command %q", c.Verb))
	}
	if n := len(c.Args); n < least || n > most {
		return usage(fmt.Sprintf("%q has %d arguments", c.Verb, n))
	}
	return nil
}

func usage(text string) error {
	return &hint.Error{Text: text, Hint: "commands are: pause; resume; set KEY VALUE; delay SITE TIME; seed URL...; retry SITE; drop SITE"}
}

// A Plan is what the next session of a crawl does.
type Plan struct {
	Config config.Config
	Paused bool     // it requests nothing
	Seeds  []string // that it adds, in normal form
	Retry  string   // the site whose failed pages it retries; "": none
}

// Change returns what a crawl does after the command, which had this plan before. It does not
// change p.
func (c Command) Change(p Plan) (Plan, error) {
	if err := c.check(); err != nil {
		return p, err
	}
	p.Config, p.Seeds, p.Retry = p.Config.Clone(), nil, ""
	err := c.change(&p)
	if err == nil {
		err = p.Config.Check()
	}
	return p, err
}

func (c Command) change(p *Plan) (err error) {
	switch c.Verb {
	case Pause:
		p.Paused = true
	case Resume:
		if !p.Paused {
			return errors.New("the crawl is not paused")
		}
		p.Paused = false
	case Set:
		return set(&p.Config, c.Args[0], c.Args[1])
	case Seed:
		p.Seeds, err = parseSeeds(c.Args)
		return err
	default:
		return c.changeSite(p)
	}
	return nil
}

// set sets a key of the configuration.
func set(c *config.Config, name, value string) error {
	k, ok := c.Key(name)
	if !ok || !slices.Contains(Keys(), name) {
		return &hint.Error{Text: fmt.Sprintf("%s cannot be set while the crawl runs", name), Hint: "these can: " + strings.Join(Keys(), ", ")}
	}
	if err := k.Set(value); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func parseSeeds(texts []string) ([]string, error) {
	list := make([]string, 0, len(texts))
	for _, text := range texts {
		url, err := page.ParseSeed(text)
		if err != nil {
			return nil, err
		}
		list = append(list, url)
	}
	return list, nil
}

// changeSite does what a command says about a site.
func (c Command) changeSite(p *Plan) error {
	site, host, err := parseSite(c.Args[0])
	if err != nil {
		return err
	}
	conf, all := &p.Config, pattern(site, host)
	switch c.Verb {
	case Delay:
		return setDelay(conf, host, c.Args[1])
	case Retry:
		p.Retry = site
		conf.Exclude = slices.DeleteFunc(conf.Exclude, func(x string) bool { return x == all || x == pattern(host, host) })
	case Drop:
		if !slices.Contains(conf.Exclude, all) {
			conf.Exclude = append(conf.Exclude, all)
		}
	}
	return nil
}

// pattern returns the regular expression for the pages of a site, or of all sites of a host.
func pattern(site, host string) string {
	if site == host {
		return `^https?://` + regexp.QuoteMeta(host) + `(:\d+)?/`
	}
	return "^" + regexp.QuoteMeta(site) + "/"
}

// parseSite reads the name of a site, such as https://a.example:8443, and returns it with its host.
// A host alone stands for all its sites.
func parseSite(text string) (site, host string, err error) {
	url, err := page.ParseSeed(text)
	if err != nil {
		return "", "", err
	}
	name, _ := page.Site([]byte(url))
	site, host = string(name), string(page.Host(name))
	if text == host {
		site = host
	}
	return site, host, nil
}

// setDelay sets the delay of a host, in its [[site]] table.
func setDelay(c *config.Config, host, text string) error {
	var d config.Duration
	if err := d.Set(text); err != nil {
		return fmt.Errorf("delay: %w", err)
	}
	i := slices.IndexFunc(c.Site, func(o config.Override) bool { return o.Match == host })
	if i < 0 {
		i = len(c.Site)
		c.Site = append(c.Site, config.Override{Match: host})
	}
	c.Site[i].Delay = &d
	return nil
}
