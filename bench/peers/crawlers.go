package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A crawler is a program that is measured.
type crawler struct {
	name    string
	program string
	version string
	args    func(dir, seed string) []string // dir is empty and its own
}

// crawlers are those that are wanted.
func crawlers(o *options) ([]crawler, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	part := func(name string) func(string, string) []string {
		return func(_, seed string) []string {
			return []string{"-workers", strconv.Itoa(o.workers), "-sites", strconv.Itoa(o.sites), name, seed}
		}
	}
	all := []crawler{
		{name: "bare", program: self, version: "net/http, x/net/html " + moduleVersion("golang.org/x/net"), args: part("bare")},
	}
	for i, path := range strings.Split(o.winnow, ",") { // a single "" is built
		all = append(all, crawler{name: "winnow" + strings.Repeat("'", i), program: path, version: path, args: o.winnowArgs})
	}
	all = append(all, []crawler{
		{name: "colly", program: self, version: moduleVersion("github.com/gocolly/colly/v2"), args: part("colly")},
		{name: "wget2", args: o.wget2Args},
		{name: "wget", args: o.wgetArgs},
	}...)
	return slices.DeleteFunc(all, func(c crawler) bool {
		return o.only != "" && !slices.Contains(strings.Split(o.only, ","), strings.TrimRight(c.name, "'"))
	}), nil
}

// ours reports whether a failure would be ours.
func (c *crawler) ours() bool { return c.name == "bare" || strings.HasPrefix(c.name, "winnow") }

// find settles which program a crawler is. It gives false where there is none, with a
// line that says so.
func (c *crawler) find(o *options, dir string) (bool, error) {
	if c.program != "" {
		return true, nil
	}
	if c.name == "winnow" {
		return true, c.build(dir)
	}
	path, err := exec.LookPath(c.name)
	if err != nil {
		fmt.Printf("# %s is not installed: left out\n", c.name)
		return false, nil
	}
	out, err := exec.Command(path, "--version").Output()
	c.program = path
	c.version, _, _ = strings.Cut(string(out), " - ")
	c.version, _, _ = strings.Cut(c.version, " built")
	return true, err
}

// build builds winnow from the checkout above, as make build does.
func (c *crawler) build(dir string) error {
	c.program = filepath.Join(dir, "winnow")
	cmd := exec.Command("go", "build", "-trimpath", "-o", c.program, "./cmd/winnow")
	cmd.Dir, cmd.Env = filepath.Join("..", ".."), append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build ./cmd/winnow (run this in bench/peers): %w\n%s", err, out)
	}
	out, err := exec.Command(c.program, "version").Output()
	c.version, _, _ = strings.Cut(string(out), "\n")
	return err
}

// winnowArgs switch politeness off. A site is kept for all of its pages, as the pools of
// the others do; there is one connection to it all the same.
func (o *options) winnowArgs(dir, seed string) []string {
	return []string{"crawl", "--quiet", "--dir", filepath.Join(dir, "crawl"), seed, "--allow-private",
		"--delay", "0s", "--ip-delay", "0s", "--ip-cap", "0", "--delay-factor", "0",
		"--fetchers", strconv.Itoa(o.workers), "--per-connection", "100", "--policy", "opic"}
}

// wget2Args and wgetArgs make them write pages below dir, because they cannot do without,
// and delete them.
func (o *options) wget2Args(dir, seed string) []string {
	return append(wgetBoth(dir, seed), "--max-threads", strconv.Itoa(min(o.workers, 32)), "--compression=gzip",
		"--no-robots", "--config", os.DevNull)
}

func (o *options) wgetArgs(dir, seed string) []string {
	return append(wgetBoth(dir, seed), "--compression=gzip", "--no-config", "-e", "robots=off")
}

func wgetBoth(dir, seed string) []string {
	return []string{"--quiet", "--recursive", "--level=inf", "--span-hosts", "--no-proxy", "--delete-after",
		"--directory-prefix", dir, "--reject", "css,png", seed}
}
