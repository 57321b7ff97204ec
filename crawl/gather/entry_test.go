package gather

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// signalling returns options under which dates and feeds count.
func signalling() *Options {
	o := options()
	o.Signals = true
	return o
}

// showDates writes the entries of a list with the age that it gives them.
func showDates(f *Found) string {
	var words []string
	for i := range f.Links.Len() {
		word := string(f.Links.Rest(i))
		if s := f.Links.At(i).Since; s > 0 {
			word += " " + (time.Duration(s-1) * time.Second).String()
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// TestDates: what sitemaps and feeds say of changes, in all forms that dates have. The server
// sent it on 10 March 2026 at noon.
func TestDates(t *testing.T) {
	const set = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
	url := func(date string) string {
		return set + "<url><loc>https://site.example/a</loc><lastmod>" + date + "</lastmod></url></urlset>"
	}
	const atom = `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><link href="https://site.example/"/><updated>2026-03-10T11:00:00Z</updated>`
	for _, test := range []struct{ name, body, want string }{
		{"day", url("2026-03-10"), "/a 12h0m0s"},
		{"minute", url("2026-03-10T09:30+01:00"), "/a 3h30m0s"},
		{"second", url("2026-03-10T11:59:59Z"), "/a 1s"},
		{"fraction", url(" 2026-03-10T11:59:58.5Z\n"), "/a 1s"},
		{"without a zone", url("2026-03-10T11:00:00"), "/a 1h0m0s"},
		{"with a space", url("2026-03-10 11:00:00"), "/a 1h0m0s"},
		{"a little in the future", url("2026-03-10T12:05:00Z"), "/a 0s"},
		{"in the future", url("2027-03-10"), "/a"},
		{"month", url("2026-03"), "/a"},
		{"nonsense", url("yesterday, perhaps"), "/a"},
		{"long ago", url("0001-01-01"), "/a"},
		{"before the location", set + "<url><lastmod>2026-03-09</lastmod><loc>/a</loc></url><url><loc>/b</loc></url></urlset>", "/a 36h0m0s, /b"},
		{"of a picture", set + "<url><loc>/a</loc><image:lastmod>2026-03-09</image:lastmod></url></urlset>", "/a"},
		{"twice", set + "<url><loc>/a</loc></url><url><loc>/a</loc><lastmod>2026-03-10</lastmod></url><url><loc>/a</loc><lastmod>2026-03-01</lastmod></url></urlset>", "/a 12h0m0s"},
		{"rss", `<rss version="2.0"><channel><link>https://site.example/</link><item><title>A</title><link>https://site.example/a?x=1&amp;y=2</link><pubDate>Tue, 10 Mar 2026 11:00:00 GMT</pubDate></item>` +
			`<item><link><![CDATA[/b]]></link><guid>/no</guid></item><item><title>No link</title></item></channel></rss>`, "/a?x=1&y=2 1h0m0s, /b"},
		{"rss with another zone", `<rss><channel><item><link>/a</link><pubDate>Tue, 10 Mar 2026 12:00:00 +0100</pubDate></item></channel></rss>`, "/a 1h0m0s"},
		{"rss 1.0", `<rdf:RDF xmlns:dc="x"><channel><items/></channel><item rdf:about="/a"><link>/a</link><dc:date>2026-03-10T11:00:00Z</dc:date></item></rdf:RDF>`, "/a 1h0m0s"},
		{"atom", atom + `<entry><id>x</id><link rel="replies" href="/no"/><link rel='alternate' type="text/html" href='/a?b&amp;c'/><published>2026-03-01T00:00:00Z</published><updated>2026-03-10T10:00:00Z</updated></entry>` +
			`<entry><link href="/b"/></entry></feed>`, "/a?b&c 2h0m0s, /b"},
		{"atom, cut", atom + `<entry><link href="/a"/><updated>2026-03-10T10:0`, "/a"},
		{"of another site", `<rss><channel><item><link>https://other.example/a</link></item></channel></rss>`, ""},
	} {
		f := listed(signalling(), answered(200, test.body, "Date", "Tue, 10 Mar 2026 12:00:00 GMT"))
		want(t, test.name, showDates(f), test.want)
		if feed := strings.HasPrefix(test.name, "rss") || strings.HasPrefix(test.name, "atom") || strings.HasPrefix(test.name, "of another"); feed != f.Feed {
			t.Errorf("%s: feed is %v", test.name, f.Feed)
		}
		if plain := listed(options(), answered(200, test.body)); plain.Feed || f.Feed && plain.Links.Len() > 0 {
			t.Errorf("%s: a feed is read where signals do not count", test.name)
		}
	}
	f := listed(signalling(), answered(200, url(noon.Add(-time.Hour).UTC().Format(time.RFC3339))))
	want(t, "without a date of the server", showDates(f), "/a 1h0m0s")
}

// TestPriorities: what sitemaps say of priorities. Anything but a number from 0 to 1 is nothing.
func TestPriorities(t *testing.T) {
	entries := func(priorities ...string) string {
		b := `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`
		for i, p := range priorities {
			b += fmt.Sprintf("<url><loc>https://site.example/%d</loc>%s</url>", i, p)
		}
		return b + "</urlset>"
	}
	for _, test := range []struct{ name, body, want string }{
		{"numbers", entries("<priority>1.0</priority>", "<priority> 0.8\n</priority>", "<priority>0</priority>", "<priority>.333</priority>"), "101 81 1 34"},
		{"none", entries("", "<lastmod>2026-03-10</lastmod>"), "0 0"},
		{"no numbers", entries("<priority></priority>", "<priority>high</priority>", "<priority>NaN</priority>", "<priority>Inf</priority>"), "0 0 0 0"},
		{"outside", entries("<priority>1.01</priority>", "<priority>-0.1</priority>", "<priority>10</priority>", "<priority>1e400</priority>"), "0 0 0 0"},
		{"of a picture", entries("<image:priority>0.9</image:priority>"), "0"},
		{"twice", entries("<priority>0.4</priority>") + "<url><loc>https://site.example/0</loc><priority>0.6</priority></url>", "61"},
		{"cut", entries("<priority>0.4</priority>", "")[:110] + "<priority>0.9", "0"},
		{"feed", "<rss><channel><item><link>https://site.example/0</link><priority>0.9</priority></item></channel></rss>", "0"},
	} {
		f := listed(signalling(), answered(200, test.body))
		var got []string
		for i := range f.Links.Len() {
			got = append(got, fmt.Sprint(f.Links.At(i).Priority))
		}
		want(t, test.name, strings.Join(got, " "), test.want)
	}
}

// TestFeeds: the feeds that a page names, in its head or in Link headers.
func TestFeeds(t *testing.T) {
	const rss = "application/rss+xml"
	html := "<head><base href=/x/><link rel=alternate type=" + rss + " href=feed><link rel='alternate' type='application/atom+xml' href='https://www.site.example/atom'>" +
		"<link rel=alternate type=" + rss + " href=https://other.example/feed><link rel=alternate hreflang=de href=/de><link rel=alternate type=application/json href=/json></head>" +
		"<p>Words<link rel=alternate type=" + rss + " href=/late>"
	a := webPage(html)
	a.Header["Link"] = []string{`</head>; rel=alternate; type="` + rss + `"`}
	f := gather(signalling(), "https://site.example/", a)
	want(t, "feeds", fmt.Sprint(f.Feeds), "[https://site.example/head https://site.example/x/feed https://www.site.example/atom]")
	if f := gather(options(), "https://site.example/", a); f.Feeds != nil {
		t.Errorf("feeds %q where signals do not count", f.Feeds)
	}
}
