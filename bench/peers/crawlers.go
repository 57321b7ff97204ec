package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gocolly/colly/v2"
	"golang.org/x/net/html"
)

// A crawler is a program that is measured.
type crawler struct {
	name    string
	program string
	version string
	args    func(dir, seed string) []string // dir is empty and its own
}

// crawlers returns the crawlers to measure.
func crawlers(o *options) ([]crawler, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	part := func(name string) func(string, string) []string {
		return func(_, seed string) []string { return o.part(name, seed) }
	}
	all := []crawler{
		{name: "bare", program: self, version: "net/http, x/net/html " + moduleVersion("golang.org/x/net"), args: part("bare")},
	}
	for i, path := range strings.Split(o.winnow, ",") {
		all = append(all, crawler{name: "winnow" + strings.Repeat("'", i), program: path, version: path, args: o.winnowArgs})
	}
	all = append(all, []crawler{
		{name: "colly", program: self, version: moduleVersion("github.com/gocolly/colly/v2"), args: part("colly")},
		{name: "wget2", args: o.wget2Args},
		{name: "wget", args: o.wgetArgs},
	}...)
	only := strings.Split(o.selected(), ",")
	return slices.DeleteFunc(all, func(c crawler) bool { return !slices.Contains(only, strings.TrimRight(c.name, "'")) }), nil
}

// selected returns the names of the crawlers to measure.
func (o *options) selected() string {
	switch {
	case o.delay > 0: // the others have no delay for each site
		return "winnow"
	case o.only != "":
		return o.only
	case o.tls: // wget takes minutes: it waits about 30 ms for each page
		return "bare,winnow,colly,wget2"
	}
	return "bare,winnow,colly,wget2,wget"
}

// ours reports whether a failure would be ours.
func (c *crawler) ours() bool { return c.name == "bare" || strings.HasPrefix(c.name, "winnow") }

// find settles which program a crawler is. It gives false where there is none, with a line
// that reports it.
func (c *crawler) find(dir string) (bool, error) {
	revision, old := strings.CutPrefix(c.program, "@")
	switch {
	case old:
		return true, c.buildOld(revision, dir)
	case c.program != "":
		return true, nil
	case strings.HasPrefix(c.name, "winnow"):
		return true, c.build(filepath.Join("..", ".."), dir)
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

// buildOld builds winnow from a revision in the history of the checkout above.
func (c *crawler) buildOld(revision, dir string) error {
	source := filepath.Join(dir, "source-"+c.name)
	if err := os.Mkdir(source, 0o755); err != nil {
		return err
	}
	packed := source + ".tar"
	for _, args := range [][]string{
		{"git", "-C", filepath.Join("..", ".."), "archive", "--output", packed, revision},
		{"tar", "-xf", packed, "-C", source},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", strings.Join(args, " "), err, out)
		}
	}
	err := c.build(source, dir)
	c.version += ", revision " + revision
	return err
}

// build builds winnow from source, as make build does.
func (c *crawler) build(source, dir string) error {
	c.program = filepath.Join(dir, c.name)
	cmd := exec.Command("go", "build", "-trimpath", "-o", c.program, "./cmd/winnow")
	cmd.Dir, cmd.Env = source, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build ./cmd/winnow (run this in bench/peers): %w\n%s", err, out)
	}
	out, err := exec.Command(c.program, "version").Output()
	c.version, _, _ = strings.Cut(string(out), "\n")
	return err
}

// crawlDir is the name of the directory that winnow writes.
const crawlDir = "crawl"

// winnowArgs returns flags that set the delay, or switch politeness off. Connections are
// handled as in any crawl: there is one to each site, which stays open.
func (o *options) winnowArgs(dir, seed string) []string {
	args := []string{"crawl", "--quiet", "--dir", filepath.Join(dir, crawlDir), seed, "--allow-private", "--scope", "any", "--policy", "opic"}
	if o.ca != "" {
		args = append(args, "--ca-file", o.ca)
	}
	if o.delay > 0 {
		return append(args, "--delay", o.delay.String())
	}
	return append(args, "--delay", "0s", "--ip-delay", "0s", "--ip-cap", "0", "--delay-factor", "0",
		"--fetchers", strconv.Itoa(o.workers))
}

// wget2Args and wgetArgs return flags to write pages below dir, which cannot be avoided,
// and to delete them.
func (o *options) wget2Args(dir, seed string) []string {
	return append(o.wgetBoth(dir, seed), "--max-threads", strconv.Itoa(min(o.workers, 32)), "--compression=gzip",
		"--no-robots", "--config", os.DevNull)
}

func (o *options) wgetArgs(dir, seed string) []string {
	return append(o.wgetBoth(dir, seed), "--compression=gzip", "--no-config", "-e", "robots=off")
}

func (o *options) wgetBoth(dir, seed string) []string {
	args := []string{"--quiet", "--recursive", "--level=inf", "--span-hosts", "--no-proxy", "--delete-after",
		"--directory-prefix", dir, "--reject", "css,png", seed}
	if o.ca != "" {
		args = append(args, "--ca-certificate", o.ca)
	}
	return args
}

// bareLoop is the yardstick: the least that a crawler in Go does with net/http and the
// tokenizer of x/net. Workers take URLs from one list, first come first served, and request
// a map for those they have seen. Nothing is stored.
type bareLoop struct {
	mu    sync.Mutex
	more  *sync.Cond
	list  []string
	seen  map[string]struct{}
	busy  int
	fetch *http.Client
}

func bare(o *options, seed string) error {
	t, err := o.transport()
	if err != nil {
		return err
	}
	// Connections are kept as long as the pool can: that is to the good of the loop.
	t.MaxIdleConns, t.MaxIdleConnsPerHost = 4*o.sites, o.workers
	b := &bareLoop{seen: map[string]struct{}{}, fetch: &http.Client{Transport: t}}
	b.more = sync.NewCond(&b.mu)
	b.add(seed)
	var wg sync.WaitGroup
	for range o.workers {
		wg.Go(b.work)
	}
	wg.Wait()
	return nil
}

func (b *bareLoop) add(u string) {
	if _, ok := b.seen[u]; !ok {
		b.seen[u] = struct{}{}
		b.list = append(b.list, u)
		b.more.Signal()
	}
}

// work fetches until no worker has anything to do.
func (b *bareLoop) work() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		for len(b.list) == 0 && b.busy > 0 {
			b.more.Wait()
		}
		if len(b.list) == 0 {
			b.more.Broadcast()
			return
		}
		next := b.list[0]
		b.list = b.list[1:]
		b.busy++
		b.mu.Unlock()
		links := b.page(next)
		b.mu.Lock()
		b.busy--
		for _, u := range links {
			b.add(u)
		}
	}
}

// page fetches a page and gives its links.
func (b *bareLoop) page(from string) (links []string) {
	base, err := url.Parse(from)
	if err != nil {
		return nil
	}
	resp, err := b.fetch.Get(from)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		io.Copy(io.Discard, resp.Body)
		return nil
	}
	z := html.NewTokenizer(resp.Body)
	for {
		switch z.Next() {
		case html.ErrorToken:
			return links
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			if !more || string(name) != "a" {
				continue
			}
			if u := href(z, base); u != "" {
				links = append(links, u)
			}
		}
	}
}

// href returns the target of the tag that the tokenizer stands on, "" if it has none.
func href(z *html.Tokenizer, base *url.URL) string {
	for {
		key, value, more := z.TagAttr()
		if string(key) == "href" {
			u, err := base.Parse(string(value))
			if err != nil || u.Scheme != base.Scheme {
				return ""
			}
			u.Fragment = ""
			return u.String()
		}
		if !more {
			return ""
		}
	}
}

// runColly crawls as the manual of colly does it: asynchronously, some requests at a
// time, every link visited.
func runColly(o *options, seed string) error {
	t, err := o.transport()
	if err != nil {
		return err
	}
	c := colly.NewCollector(colly.Async(true))
	c.WithTransport(t)
	if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: o.workers}); err != nil {
		return err
	}
	c.OnHTML("a[href]", func(e *colly.HTMLElement) {
		e.Request.Visit(e.Attr("href")) // an error means that it was visited before
	})
	if err := c.Visit(seed); err != nil {
		return err
	}
	c.Wait()
	return nil
}
