package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/internal/console"
	"github.com/winnow-crawler/winnow/internal/input"
	"github.com/winnow-crawler/winnow/internal/terminal"
)

// readSeeds reads the seeds of the command line and of --seeds, each once.
func (c *crawling) readSeeds(args []string) error {
	seen := map[string]bool{}
	add := func(text string) error {
		url, err := page.ParseSeed(text)
		if err == nil && !seen[url] {
			seen[url] = true
			c.seeds = append(c.seeds, url)
		}
		return err
	}
	for _, text := range args {
		if err := add(text); err != nil {
			return c.wrongSeed(text, err)
		}
	}
	if c.opt.seeds == "" {
		return nil
	}
	return c.readSeedFile(add)
}

// wrongSeed proposes what may have been meant.
func (c *crawling) wrongSeed(text string, err error) error {
	switch {
	case isFile(text):
		return console.WithHint(console.Usage(err), "%s is a file; if it lists URLs try: %s", text, c.u.CommandLine(text, "--seeds="+text))
	case strings.Trim(text, "/.") != "" && !strings.Contains(text, ":"):
		return console.WithHint(console.Usage(err), "a seed is a URL such as https://example.org/")
	}
	return console.WithHint(console.Usage(err), "a seed is a URL of a page that anybody can see, such as https://example.org/docs/")
}

func (c *crawling) readSeedFile(add func(string) error) error {
	f, err := c.openSeeds()
	if err != nil {
		return console.WithHint(fmt.Errorf("--seeds: %w", err), "--seeds takes a file with one URL a line, or - for standard input")
	}
	defer f.Close()
	before := len(c.seeds)
	err = input.Lines(f, func(_ int, text []byte) error {
		if text = bytes.TrimSpace(text); len(text) == 0 || text[0] == '#' {
			return nil
		}
		text, _, _ = bytes.Cut(text, []byte("\t")) // winnow rank --urls writes a value after it
		return add(string(text))
	})
	if err != nil {
		return console.WithHint(fmt.Errorf("--seeds: %w", err), "one URL a line, such as https://example.org/; # begins a comment")
	}
	if len(c.seeds) == before {
		return console.WithHint(fmt.Errorf("--seeds: %s: no seed in it", f.Name()), "one URL a line, such as https://example.org/; # begins a comment")
	}
	return nil
}

func (c *crawling) openSeeds() (*input.File, error) {
	if c.opt.seeds == "-" {
		return input.New("standard input", c.u.Stdin, -1)
	}
	return input.Open(c.opt.seeds)
}

// seedsOfConfig takes the seeds of the configuration, which count when a crawl begins.
func (c *crawling) seedsOfConfig() error {
	for _, text := range c.config.Seeds {
		url, err := page.ParseSeed(text)
		if err != nil {
			return console.WithHint(fmt.Errorf("%s: seeds: %w", c.opt.config, err), "a seed is a URL such as https://example.org/")
		}
		if !contains(c.seeds, url) {
			c.seeds = append(c.seeds, url)
		}
	}
	if len(c.seeds) == 0 {
		return console.WithHint(console.Usagef("there is no crawl in %s to resume, and no SEED to begin with", c.dir),
			"try: %s", terminal.Command(append([]string{"winnow"}, append(c.u.Args, "https://example.org/")...)...))
	}
	return nil
}

// dirName returns the directory of a crawl for its first seed: the host, without characters
// that are special to a file system.
func dirName(seed string) string {
	host := strings.Map(func(r rune) rune {
		if r == '.' || r == '-' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.Trim(string(page.Host([]byte(seed))), "[]"))
	return strings.TrimLeft(host, ".-") + ".crawl"
}

// fewHosts is the largest number of hosts whose addresses are looked up before a crawl that
// does not need to know them.
const fewHosts = 3

// lookupTime bounds the time of such a lookup.
const lookupTime = 5 * time.Second

// checkContact refuses a crawl without a contact unless all addresses are loopback or
// private. It looks up names. A name without an address might get one at any time, so it
// counts as public. Seeds on private addresses need --allow-private; of a crawl with a
// contact it looks at the first ones.
func (c *crawling) checkContact(ctx context.Context) error {
	for _, seed := range c.seeds {
		if err := checkLiteral(c.u, seed, &c.config); err != nil {
			return err
		}
	}
	if c.config.Contact != "" && (c.config.AllowPrivate || c.resume || c.config.Deny != "") {
		return nil
	}
	asked := map[string]bool{}
	for _, seed := range c.seeds {
		host := string(page.Host([]byte(seed)))
		if asked[host] || c.config.Contact != "" && len(asked) == fewHosts {
			continue
		}
		asked[host] = true
		if err := c.checkPrivate(ctx, seed, host); err != nil {
			return err
		}
	}
	return nil
}

// checkLiteral refuses a URL whose host is an address that must not be crawled.
func checkLiteral(u *console.UI, url string, c *config.Config) error {
	switch addr, ok := literal(url); {
	case ok && fetch.Never(addr):
		return console.WithHint(console.Usagef("%s: link-local addresses and those of metadata services are never crawled", url), "name a host by another address")
	case ok && fetch.Private(addr) && !c.AllowPrivate:
		return refusePrivate(u, url)
	}
	return nil
}

func refusePrivate(u *console.UI, url string) error {
	return console.WithHint(console.Usagef("%s: loopback and private addresses are refused by default", url), "try: %s", u.WithFlag("--allow-private", ""))
}

// checkPrivate looks up the host of a seed. It refuses a private address without
// --allow-private, and any other without --contact.
func (c *crawling) checkPrivate(ctx context.Context, seed, host string) error {
	brief, stop := context.WithTimeout(ctx, lookupTime)
	defer stop()
	addrs, err := c.lookup(brief, seed, host)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	public := slices.IndexFunc(addrs, func(a netip.Addr) bool { return !fetch.Private(a) })
	why := ""
	switch {
	case err == nil && len(addrs) > 0 && public < 0 && c.config.AllowPrivate:
		return nil
	case err == nil && len(addrs) > 0 && public < 0:
		return refusePrivate(c.u, fmt.Sprintf("%s (%s)", seed, addrs[0]))
	case c.config.Contact != "":
		return nil // the crawl finds out whether it can be reached
	case public >= 0:
		why = addrs[public].String() + " is a public address"
	case err == nil || errors.Is(err, fetch.ErrNoName):
		why = "the name " + host + " has no address"
	case c.config.Resolver != "":
		return console.WithHint(fmt.Errorf("--resolver %s does not answer: %w", c.config.Resolver, err), "start that name server, or check its address")
	default:
		why = "its address is not known (" + err.Error() + ")"
	}
	return console.WithHint(console.Usagef("--contact is required, unless all seeds are on private addresses; %s: %s", seed, why),
		"give an email address or a page about you; try: %s", c.u.WithFlag("--contact", "you@example.org"))
}

// literal returns the address of a seed whose host is an IP address.
func literal(seed string) (netip.Addr, bool) {
	host := strings.Trim(string(page.Host([]byte(seed))), "[]")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return netip.AddrFrom4([4]byte{127, 0, 0, 1}), true
	}
	addr, err := netip.ParseAddr(host)
	return addr, err == nil
}

// lookup finds the addresses of a seed.
func (c *crawling) lookup(ctx context.Context, seed, host string) ([]netip.Addr, error) {
	if addr, ok := literal(seed); ok {
		return []netip.Addr{addr}, nil
	}
	if c.config.Proxy != "" {
		return nil, errors.New("names are looked up by the proxy")
	}
	r, err := newResolver(&c.config)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	names, err := r.Lookup(ctx, host)
	return names.Addrs, err
}

// isFile reports whether a name is that of a file.
func isFile(name string) bool { return exists(name) && !isDir(name) }
