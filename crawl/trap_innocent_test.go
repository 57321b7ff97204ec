package crawl

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/config"
)

// whole is the case of a site all of whose pages must come.
func whole(s siteMap) trapCase {
	return trapCase{
		hosts: map[string]http.HandlerFunc{"a.example": s.serve}, seeds: []string{"http://a.example/"},
		wanted: s.urls("http://a.example"),
	}
}

// An index has 900 pages that differ in a number, wherever it stands.
func TestInnocentNumbers(t *testing.T) {
	long(t)
	for index, item := range map[string]string{"/index.html": "/item/%d.html", "/item/": "/item/%d.html", "/item": "/item?id=%d"} {
		s := siteMap{pages: map[string][]string{"/": {index}}}
		for i := range 900 {
			rest := fmt.Sprintf(item, i)
			s.pages[rest] = []string{"/"}
			s.pages[index] = append(s.pages[index], rest)
		}
		s.text = func(rw http.ResponseWriter, rest string, links []string) {
			text := words("the same", 80) + strings.Trim(rest, "/item?d=.hl")
			if len(links) > 1 || rest == "/" {
				text = words(rest, 80)
			}
			writePage(rw, "Item", text, links...)
		}
		c := whole(s)
		t.Run(index, c.run)
	}
}

// tree adds a tree of directories below one, each linked by the one above it only.
func (s siteMap) tree(dir string, levels, children int, leaf func(dir string)) {
	if levels == 0 {
		s.pages[dir] = nil
		leaf(dir)
		return
	}
	for i := range children {
		below := fmt.Sprintf("%s%c%d/", dir, 'a'+byte(i), levels)
		s.pages[dir] = append(s.pages[dir], below)
		s.tree(below, levels-1, children, leaf)
	}
}

// The pages of a manual lie five levels deep, and only the one above links to each.
func TestInnocentManual(t *testing.T) {
	long(t)
	for _, top := range []string{"/", "/docs/"} {
		s := siteMap{pages: map[string][]string{"/": {top}}}
		s.tree(top, 5, 4, func(string) {})
		c := whole(s)
		t.Run(top, c.run)
	}
}

// A server lists its directories, six deep, with files at the bottom or everywhere.
func TestInnocentListing(t *testing.T) {
	long(t)
	for _, files := range []string{"bottom", "none"} {
		s := siteMap{pages: map[string][]string{"/": {"/pub/"}}}
		s.tree("/pub/", 6, 2, func(dir string) {
			if files == "bottom" {
				s.pages[dir] = []string{dir + "README.html"}
				s.pages[dir+"README.html"] = nil
			}
		})
		s.text = func(rw http.ResponseWriter, rest string, links []string) {
			text := "Name Last modified Size Description Parent Directory "
			for _, u := range links {
				text += strings.TrimPrefix(u, rest) + " 2024-05-11 10:31 "
			}
			if strings.HasSuffix(rest, ".html") {
				text = words(rest, 80)
			}
			writePage(rw, "Index of "+rest, text+" Apache Server at a.example Port 80", append(links, "../")...)
		}
		c := whole(s)
		t.Run(files, c.run)
	}
}

// A blog has pages of ten entries, each with the next.
func TestInnocentBlog(t *testing.T) {
	long(t)
	s := siteMap{pages: map[string][]string{"/": {"/page/2"}}}
	for n := 2; n <= 60; n++ {
		at := fmt.Sprintf("/page/%d", n)
		for i := range 10 {
			slug := fmt.Sprintf("/%d/%s", 2024-n/10, strings.ReplaceAll(strings.TrimSpace(words(fmt.Sprint(n, i), 4)), " ", "-"))
			s.pages[slug] = []string{"/"}
			s.pages[at] = append(s.pages[at], slug)
		}
		if n < 60 {
			s.pages[at] = append(s.pages[at], fmt.Sprintf("/page/%d", n+1))
		}
	}
	c := whole(s)
	c.set = func(c *config.Config) { c.MaxDepth = 100 }
	c.run(t)
}

// A forum has topics of many parts, which can be seen in two ways.
func TestInnocentForum(t *testing.T) {
	long(t)
	s := siteMap{pages: map[string][]string{"/": nil}}
	for topic := range 40 {
		last := "/"
		for start := 0; start < 100; start += 20 {
			at := fmt.Sprintf("/index.php?topic=%d&start=%d", topic, start)
			s.pages[last] = append(s.pages[last], at)
			s.pages[at] = append(s.pages[at], at+"&view=print", "/")
			s.pages[at+"&view=print"] = nil
			last = at
		}
	}
	c := whole(s)
	c.set = func(c *config.Config) { c.MaxDepthDynamic = 15 }
	c.run(t)
}

// A university has a site for each of its institutes, known to its portal alone.
func TestInnocentUniversity(t *testing.T) {
	long(t)
	portal := siteMap{pages: map[string][]string{"/": nil}}
	hosts := map[string]http.HandlerFunc{"www.uni.example": portal.serve}
	wanted := []string{"http://www.uni.example/"}
	for i := range 60 {
		s := siteMap{pages: map[string][]string{"/": many(4, "x")}}
		for _, rest := range many(4, "x") {
			s.pages[rest] = []string{"/"}
		}
		name := fmt.Sprintf("institute%d.uni.example", i)
		hosts[name] = s.serve
		portal.pages["/"] = append(portal.pages["/"], "http://"+name+"/")
		wanted = append(wanted, s.urls("http://"+name)...)
	}
	c := trapCase{hosts: hosts, seeds: []string{"http://www.uni.example/"}, wanted: wanted}
	c.run(t)
}

// listOf is a site that links to 200 domains of three pages, which nobody else links to.
func listOf(own int) (hosts map[string]http.HandlerFunc, wanted []string) {
	list := siteMap{pages: map[string][]string{"/": many(own, "about")}}
	for _, rest := range many(own, "about") {
		list.pages[rest] = nil
	}
	hosts = map[string]http.HandlerFunc{"list.example": list.serve}
	for i := range 200 {
		s := siteMap{pages: map[string][]string{"/": {"/1", "/2"}, "/1": nil, "/2": {"/"}}}
		name := fmt.Sprintf("member%d.example", i)
		hosts[name] = s.serve
		list.pages["/"] = append(list.pages["/"], "http://"+name+"/")
		wanted = append(wanted, s.urls("http://"+name)...)
	}
	return hosts, append(wanted, list.urls("http://list.example")...)
}

// A directory that is a seed speaks for all that it lists.
func TestInnocentDirectory(t *testing.T) {
	long(t)
	hosts, wanted := listOf(20)
	c := trapCase{hosts: hosts, seeds: []string{"http://list.example/"}, wanted: wanted}
	c.run(t)
}

// A gallery is a chain of pages with a caption each.
func TestInnocentGallery(t *testing.T) {
	long(t)
	s := siteMap{pages: map[string][]string{"/": {"/photo/0"}}}
	for i := range 300 {
		s.pages[fmt.Sprintf("/photo/%d", i)] = []string{fmt.Sprintf("/photo/%d", max(0, i-1)), fmt.Sprintf("/photo/%d", min(i+1, 299))}
	}
	s.text = func(rw http.ResponseWriter, rest string, links []string) {
		writePage(rw, words(rest, 2), words("gallery", 40)+words(rest, 8), links...)
	}
	c := whole(s)
	c.set = func(c *config.Config) { c.MaxDepth = 1000 }
	c.run(t)
}

// Pages that have the same text under titles of their own.
func TestInnocentTitles(t *testing.T) {
	long(t)
	s := siteMap{pages: map[string][]string{"/": many(100, "x")}}
	for _, rest := range many(100, "x") {
		s.pages[rest] = []string{"/"}
	}
	s.text = func(rw http.ResponseWriter, rest string, links []string) {
		writePage(rw, words(rest, 3), words("the same", 80), links...)
	}
	c := whole(s)
	c.run(t)
}

// long leaves a test of verdicts, or of minutes of virtual time, out of short runs: those
// are for the race detector, and what it decides is the owner's alone.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("a test of verdicts, which share no memory")
	}
}
