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

// find settles which program a crawler is. It gives false where there is none, with a line
// that reports it.
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

// winnowArgs returns flags that switch politeness off. Connections are handled as in any
// crawl: there is one to each site, which stays open.
func (o *options) winnowArgs(dir, seed string) []string {
	return []string{"crawl", "--quiet", "--dir", filepath.Join(dir, "crawl"), seed, "--allow-private", "--scope", "any",
		"--delay", "0s", "--ip-delay", "0s", "--ip-cap", "0", "--delay-factor", "0",
		"--fetchers", strconv.Itoa(o.workers), "--policy", "opic"}
}

// wget2Args and wgetArgs return flags to write pages below dir, which cannot be avoided,
// and to delete them.
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

func bare(o *options, seed string) {
	// Connections are kept as long as the pool can: that is to the good of the loop.
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.Proxy, t.MaxIdleConns, t.MaxIdleConnsPerHost = nil, 4*o.sites, o.workers
	b := &bareLoop{seen: map[string]struct{}{}, fetch: &http.Client{Transport: t}}
	b.more = sync.NewCond(&b.mu)
	b.add(seed)
	var wg sync.WaitGroup
	for range o.workers {
		wg.Go(b.work)
	}
	wg.Wait()
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
			if err != nil || u.Scheme != "http" {
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
	c := colly.NewCollector(colly.Async(true))
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
