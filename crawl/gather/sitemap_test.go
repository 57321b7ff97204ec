package gather

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
)

const mapURL = "https://site.example/maps/sitemap.xml"

func listed(o *Options, a *fetch.Answer) *Found {
	f := new(Found)
	New(o).Sitemap(mapURL, a, noon, f)
	return f
}

// TestSitemaps: the forms that sitemaps have, and what is none.
func TestSitemaps(t *testing.T) {
	const set = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
	for _, test := range []struct{ name, body, want string }{
		{"urlset", "<?xml version='1.0'?>\n" + set + "\n<url>\n<loc>\n https://site.example/a </loc><lastmod>2026-01-01</lastmod></url><url><loc>https://site.example/b?x=1&amp;y=2</loc></url></urlset>",
			"/a /b?x=1&y=2"},
		{"byte order mark", "\ufeff" + set + "<url><loc>https://site.example/a</loc></url></urlset>", "/a"},
		{"prefix", `<s:urlset xmlns:s="x"><s:url><s:loc>https://site.example/a</s:loc></s:url></s:urlset>`, "/a"},
		{"pictures", set + `<url><loc>https://site.example/a</loc><image:image><image:loc>https://site.example/i.jpg</image:loc></image:image></url></urlset>`, "/a"},
		{"cdata", set + `<url><loc><![CDATA[https://site.example/a?b&amp=1]]></loc></url><url><loc> x<![CDATA[y]]>z</loc></url></urlset>`, "/a?b&amp=1 /maps/xyz"},
		{"comment", set + `<!-- <url><loc>https://site.example/no</loc></url> --><url><loc>https://site.example/a</loc></url></urlset>`, "/a"},
		{"attributes and empty elements", set + `<url id="1"><loc/><loc a='b'>https://site.example/a</loc></url></urlset>`, "/a"},
		{"foreign", set + `<url><loc>https://other.example/a</loc></url><url><loc>http://site.example/b</loc></url><url><loc>https://www.site.example/c</loc></url><url><loc>https://site.example:8443/d</loc></url></urlset>`, "/b /c foreign 2"},
		{"distinct", set + `<url><loc>https://site.example/a</loc></url><url><loc>https://site.example/a#x</loc></url></urlset>`, "/a"},
		{"cut", set + `<url><loc>https://site.example/a</loc></url><url><loc>https://site.example/b`, "/a"},
		{"cut in a comment", set + `<url><loc>https://site.example/a</loc></url><!-- x`, "/a"},
		{"empty", set + `</urlset>`, ""},
		{"index", `<sitemapindex><sitemap><loc>https://site.example/1.xml.gz</loc></sitemap><sitemap><loc>https://other.example/2</loc></sitemap>` +
			`<sitemap><loc>` + mapURL + `</loc></sitemap><sitemap><loc>ftp://x/</loc></sitemap></sitemapindex>`, "files https://site.example/1.xml.gz foreign 1"},
		{"index of the other scheme and host", `<sitemapindex><sitemap><loc>http://site.example/1.xml</loc></sitemap><sitemap><loc>https://www.site.example/2.xml</loc></sitemap></sitemapindex>`,
			"files http://site.example/1.xml https://www.site.example/2.xml"},
		{"text", "https://site.example/a\r\n\nhttps://site.example/b\nmailto:x\nhttp://other.example/", "/a /b foreign 1"},
		{"html", "<!DOCTYPE html><title>Not found</title><a href=/x>", "not-html"},
		{"words", "nothing here", "not-html"},
		{"nothing", "", "not-html"},
	} {
		for _, form := range []struct {
			name   string
			answer *fetch.Answer
		}{
			{"plain", answered(200, test.body)},
			{"gzip file", answered(200, pressed(test.body), "Content-Type", "application/gzip")},
			{"gzip twice", answered(200, pressed(pressed(test.body)), "Content-Encoding", "gzip")},
		} {
			f := listed(options(), form.answer)
			want(t, test.name+", "+form.name, showList(f), test.want)
			if types, _, _ := stored(t, f.Records); len(types) != 2 || types[0] != "response" {
				t.Errorf("%s: records %q", test.name, types)
			}
		}
	}
}

// showList writes what a sitemap brought in one line.
func showList(f *Found) string {
	var words []string
	for i := range f.Links.Len() {
		words = append(words, string(f.Links.Rest(i)))
	}
	if len(f.Files) > 0 {
		words = append(words, "files", strings.Join(f.Files, " "))
	}
	if f.Foreign > 0 {
		words = append(words, fmt.Sprint("foreign ", f.Foreign))
	}
	if f.Class != event.OK {
		words = append(words, f.Class.String())
	}
	return strings.Join(words, " ")
}

// TestSitemapCut: a file that is too large counts as far as it goes.
func TestSitemapCut(t *testing.T) {
	text := many("https://site.example/%d\n", 1000)
	text = strings.ReplaceAll(text, "&", "")
	o := options()
	o.MaxSitemap = int64(strings.Index(text, "/500\n") + 2) // in the middle of a line
	f := listed(o, answered(200, pressed(text)))
	if f.Links.Len() != 500 || f.Class != event.OK || f.Note == "" {
		t.Errorf("%d pages, %v, note %q", f.Links.Len(), f.Class, f.Note)
	}
	a := answered(200, text[:o.MaxSitemap])
	a.Class, a.Cut = event.TooLarge, fetch.CutLength
	if f = listed(options(), a); f.Links.Len() != 500 || f.Class != event.OK {
		t.Errorf("%d pages, %v", f.Links.Len(), f.Class)
	}
	o = options()
	o.MaxListed = 10
	if f = listed(o, answered(200, text)); f.Links.Len() != 10 || f.Dropped != 990 || f.Cut&page.CutLinks == 0 {
		t.Errorf("%d pages, %d dropped, cut %b", f.Links.Len(), f.Dropped, f.Cut)
	}
	if f = listed(options(), answered(404, text)); f.Links.Len() != 0 || f.Class != event.HTTPError {
		t.Errorf("404: %d pages, %v", f.Links.Len(), f.Class)
	}
	if f = listed(options(), answered(301, text, "Location", "/new.xml")); showList(f) != "files https://site.example/new.xml redirect" {
		t.Errorf("moved: %s", showList(f))
	}
	if f = listed(options(), answered(301, text, "Location", "http://other.example/new.xml")); showList(f) != "foreign 1 redirect" {
		t.Errorf("moved away: %s", showList(f))
	}
}
