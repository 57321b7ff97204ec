package page

import (
	"net/url"
	"testing"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

const benchBase = "https://docs.example.org/en/latest/guide/intro.html"

// benchLinks are of the kinds, and about in the proportions, that pages of
// documentation, wikis, news and shops have.
var benchLinks = []string{
	"/", "/en/latest/index.html", "../reference/api.html", "install.html", "install.html#from-source", "#top",
	"/wiki/Main_Page", "/wiki/Web_crawler", "/w/index.php?title=Web_crawler&action=edit&section=3",
	"https://docs.example.org/en/latest/search.html", "https://docs.example.org/en/stable/changes/v1.2.3.html#fixes",
	"https://www.example.com/", "https://github.com/example/project/blob/main/docs/guide/intro.md",
	"https://twitter.com/intent/tweet?text=Hello%20World&url=https%3A%2F%2Fdocs.example.org%2F",
	"//cdn.example.net/assets/site.css", "?page=2", "/shop/category/shoes?color=red&size=42&utm_source=newsletter&utm_medium=email",
	"/2024/05/17/a-rather-long-headline-about-something-that-happened-yesterday/", "/tag/%E6%97%A5%E6%9C%AC/",
	"http://www.example.co.uk:8080/cgi-bin/view?id=12345", "./../images/../tutorial/part-1.html", "mailto:someone@example.org",
}

// BenchmarkResolve is the cost of one link (W2): ours, the standard library's and a
// WHATWG parser's for the same links in the same run.
func BenchmarkResolve(b *testing.B) {
	var links [][]byte
	for _, link := range benchLinks {
		links = append(links, []byte(link))
	}
	b.Run("page", func(b *testing.B) {
		var r Resolver
		r.Document([]byte(benchBase))
		buf := make([]byte, 0, DefaultMaxLen)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			r.Resolve(buf, links[i%len(links)])
		}
	})
	b.Run("net-url", func(b *testing.B) {
		base, err := url.Parse(benchBase)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if u, err := base.Parse(benchLinks[i%len(benchLinks)]); err == nil {
				_ = u.String()
			}
		}
	})
	b.Run("whatwg-url", func(b *testing.B) {
		base, err := whatwg.Parse(benchBase)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if u, err := base.Parse(benchLinks[i%len(benchLinks)]); err == nil {
				_ = u.Href(true)
			}
		}
	})
}

// BenchmarkFacts is the cost of the facts of one URL.
func BenchmarkFacts(b *testing.B) {
	url := []byte("https://www.example.com/shop/category/shoes/view.php?color=red&size=42")
	host := Host(url)
	b.Run("shape", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ShapeOf(url)
		}
	})
	b.Run("extension", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Extension(url)
		}
	})
	b.Run("domain", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			Domain(host)
		}
	})
}
