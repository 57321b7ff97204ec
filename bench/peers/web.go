package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
)

const (
	leastPage = 5 << 10  // bytes of the shortest page
	mostPage  = 60 << 10 // and of the longest
	meanLinks = 30
	localPart = 0.8 // share of links that stay on their site
)

// A web holds what the server serves: every page with its content coding applied.
type web struct {
	sites, pages int
	scheme       string
	port         int
	bodies       [][]byte // gzip, by site and page
	hub          []byte   // gzip
	plain, wire  int64    // bytes of all of them, without and with the coding
	links        int64
}

// addr returns the address of a site, in 127.1.0.0/16 and the networks after it.
func addr(site int) string {
	return fmt.Sprintf("127.%d.%d.%d", 1+site/62500, site/250%250, 1+site%250)
}

// makeWeb makes all pages, on all processors: they depend on the seed and their numbers
// alone.
func makeWeb(o *options, port int) *web {
	w := &web{sites: o.sites, pages: o.pages, scheme: o.scheme(), port: port, bodies: make([][]byte, o.sites*o.pages)}
	words := vocabulary(o.seed)
	var mu sync.Mutex
	var wg sync.WaitGroup
	step := runtime.GOMAXPROCS(0)
	for first := range step {
		wg.Go(func() {
			c := &composer{w: w, words: words}
			z := gzip.NewWriter(nil)
			for i := first; i < len(w.bodies); i += step {
				c.page(o.seed, i)
				var out bytes.Buffer
				z.Reset(&out)
				z.Write(c.text)
				z.Close()
				w.bodies[i] = out.Bytes()
				c.plain, c.wire = c.plain+int64(len(c.text)), c.wire+int64(out.Len())
			}
			mu.Lock()
			defer mu.Unlock()
			w.plain, w.wire, w.links = w.plain+c.plain, w.wire+c.wire, w.links+c.links
		})
	}
	wg.Wait()
	w.hub = w.makeHub()
	return w
}

// hub is the path of the page where all crawlers begin; it is not counted.
const hub = "/hub.html"

// start returns the URL of the hub.
func (w *web) start() string { return w.root(0) + hub[1:] }

func (w *web) makeHub() []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	fmt.Fprintf(z, head, "hub", "all sites")
	for site := range w.sites {
		fmt.Fprintf(z, "<p><a href=\"%s\">site %d</a></p>\n", w.root(site), site)
	}
	io.WriteString(z, tail)
	z.Close()
	return out.Bytes()
}

// vocabulary makes words of syllables.
func vocabulary(seed uint64) []string {
	r := rand.New(rand.NewPCG(seed, 1))
	const onsets, vowels = "bcdfghklmnprstvwz", "aeiou"
	words := make([]string, 8000)
	for i := range words {
		var b []byte
		for range 1 + r.IntN(2) + r.IntN(2) + r.IntN(2) {
			b = append(b, onsets[r.IntN(len(onsets))], vowels[r.IntN(len(vowels))])
			if r.IntN(3) == 0 {
				b = append(b, "nrslt"[r.IntN(5)])
			}
		}
		words[i] = string(b)
	}
	return words
}

// composer writes one page after the other into the same memory.
type composer struct {
	w                  *web
	words              []string
	r                  *rand.Rand
	text               []byte
	plain, wire, links int64
}

func (c *composer) page(seed uint64, i int) {
	c.r = rand.New(rand.NewPCG(seed, 2+uint64(i)))
	size := int(leastPage * math.Pow(mostPage/leastPage, c.r.Float64()))
	site, number := i/c.w.pages, i%c.w.pages
	c.text = fmt.Appendf(c.text[:0], head, c.phrase(5), c.phrase(12))
	for child := 2*number + 1; child <= 2*number+2 && child < c.w.pages; child++ {
		c.link(site, site, child) // a tree, so that all pages can be reached
	}
	left := c.r.IntN(2*meanLinks - 2)
	for len(c.text) < size {
		// The links left are spread over the text left, 90 bytes of it with each.
		if left > 0 && c.r.IntN(max(1, (size-len(c.text))/90)) < left {
			left--
			c.anywhere(site)
		}
		c.text = append(c.text, "<p class=\"text lead\">"...)
		c.text = append(c.text, c.phrase(6+c.r.IntN(18))...)
		c.text = append(c.text, " <b>"...)
		c.text = append(c.text, c.phrase(2)...)
		c.text = append(c.text, "</b>.</p>\n"...)
	}
	for ; left > 0; left-- {
		c.anywhere(site)
	}
	c.text = append(c.text, tail...)
}

// anywhere writes a link to some page.
func (c *composer) anywhere(site int) {
	to := site
	if c.r.Float64() >= localPart {
		to = c.r.IntN(c.w.sites)
	}
	c.link(site, to, c.r.IntN(c.w.pages))
}

// link writes a link in one of the ways in which they are written.
func (c *composer) link(site, to, number int) {
	c.links++
	href := path(number)
	switch {
	case site != to || c.r.IntN(10) == 0:
		href = c.w.url(to, number)
	case c.r.IntN(3) == 0:
		href = "../" + href[1:]
	}
	c.text = fmt.Appendf(c.text, "<li class=\"nav item\"><a class=\"link\" href=\"%s\" title=\"%s\">%s</a></li>\n", href, c.phrase(2), c.phrase(3))
}

// phrase returns some words, few of them often and many of them rarely.
func (c *composer) phrase(n int) string {
	var b []byte
	for i := range n {
		if i > 0 {
			b = append(b, ' ')
		}
		u := c.r.Float64()
		b = append(b, c.words[int(u*u*u*float64(len(c.words)))]...)
	}
	return string(b)
}

// path returns the path of a page on its site; that of the first is the root.
func path(number int) string {
	if number == 0 {
		return "/"
	}
	return fmt.Sprintf("/%c/page-%d.html", 'a'+number%7, number)
}

func (w *web) url(site, number int) string { return w.root(site) + path(number)[1:] }

func (w *web) root(site int) string {
	return fmt.Sprintf("%s://%s:%d/", w.scheme, addr(site), w.port)
}

const head = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>%s</title>
<meta name="description" content="%s">
<link rel="stylesheet" href="/style.css"><link rel="icon" href="/icon.png">
<style>body { margin: 0 auto; max-width: 60em } .nav { display: flex } .lead { color: #333 }</style>
</head><body><header id="top"><img src="/logo.png" alt="logo" width="80" height="40"></header>
`

const tail = `<!-- end of the text -->
<footer><p>All rights reserved &copy; 2026 &middot; <a href="#top">top</a></p></footer>
<script>var seen = {}; for (var i = 0; i < 10; i++) { if (i < 5) seen["k" + i] = "<b>" + i + "</b>"; }</script>
</body></html>
`
