package main

import (
	"io"
	"net/http"
	"net/url"
	"sync"

	"golang.org/x/net/html"
)

// bareLoop is the yardstick: the least that a crawler in Go does with net/http and the
// tokenizer of x/net. Workers take URLs from one list, first come first served, and ask
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

// href is the target of the tag that the tokenizer stands on, "" if it has none.
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
