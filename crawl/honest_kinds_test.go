package crawl

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// An honestSite is a web of one kind without a trap in it: pages by host, path and query.
// All of them can be reached from its first page, and each must come once.
type honestSite struct {
	name  string            // of its first host, without .example
	pages map[string]string // by URL: HTML, or "> " and the target of a redirect
}

// at is a URL of the site by path and query.
func (s *honestSite) at(rest string) string { return "http://" + s.name + ".example" + rest }

// add adds a page: a title, HTML, and links.
func (s *honestSite) add(rest, title, html string, links ...string) {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html><title>%s</title>%s<p>", title, html)
	for _, u := range links {
		fmt.Fprintf(&b, `<a href="%s">more</a> `, strings.ReplaceAll(u, "&", "&amp;"))
	}
	s.put(rest, b.String())
}

// put adds a page as it is.
func (s *honestSite) put(rest, html string) {
	if strings.HasPrefix(rest, "/") {
		rest = s.at(rest)
	}
	s.pages[rest] = html
}

// numbered is a list of so many URLs from 1 on.
func numbered(format string, n int) (urls []string) {
	for i := range n {
		urls = append(urls, fmt.Sprintf(format, i+1))
	}
	return urls
}

// own is a paragraph that no other page has.
func own(key string) string { return "<p>" + words(key, 40) }

// figures are so many numbers that no other page has.
func figures(key string, n int) string {
	var b strings.Builder
	h := uint64(14695981039346656037)
	for _, c := range []byte(key) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	for range n {
		h = h*6364136223846793005 + 1442695040888963407
		fmt.Fprintf(&b, "<td>%d", h>>40%100_000)
	}
	return b.String()
}

// honestKinds are the kinds of honest sites, by what they are.
var honestKinds = []struct {
	name string
	make func(*honestSite)
}{
	{"blog", func(s *honestSite) { blog(s, true) }},
	{"blog-numbers", func(s *honestSite) { blog(s, false) }},
	{"forum", forum},
	{"book", book},
	{"archive-by-date", archiveByDate},
	{"nginx-index", func(s *honestSite) { autoindex(s, false) }},
	{"apache-index", func(s *honestSite) { autoindex(s, true) }},
	{"slide-show", slideShow},
	{"slide-program", slideProgram},
	{"gallery", gallery},
	{"tables", tables},
	{"tables-chained", tablesChained},
	{"refresh-stubs", refreshStubs},
	{"languages", func(s *honestSite) { languages(s, true) }},
	{"languages-same", func(s *honestSite) { languages(s, false) }},
	{"language-parameter", languageParameter},
	{"wiki", wiki},
	{"shop", shop},
	{"api-docs", apiDocs},
	{"git-viewer", gitViewer},
	{"mailing-list", mailingList},
	{"calendar", realCalendar},
	{"glossary", glossary},
	{"faq", faq},
	{"pictures-only", picturesOnly},
	{"wordless", wordless},
	{"framesets", framesets},
	{"uuids", uuids},
	{"deep-tree", deepTree},
	{"orphan-chains", orphanChains},
	{"university", university},
	{"small-hosts", smallHosts},
	{"directory", memberDirectory},
	{"pages-parameter", pagesParameter},
	{"cms", cms},
	{"timetable", timetable},
	{"search-lists", searchLists},
	{"redirects", redirects},
	{"same-titles", sameTitles},
	{"tag-cloud", tagCloud},
	{"price-list", priceList},
	{"not-found-words", notFoundWords},
	{"threads", threads},
	{"print-versions", printVersions},
	{"bible", bible},
	{"comic", comic},
	{"empty-lists", emptyLists},
	{"same-forms", sameForms},
	{"repeated-segments", repeatedSegments},
	{"family-tree", familyTree},
	{"weather", weatherStations},
	{"deep-chain", deepChain},
	{"facets", facets},
	{"two-hosts", twoHosts},
	{"log-in", logIn},
	{"catalogue", catalogue},
	{"histories", histories},
	{"letters", letterPages},
	{"short-links", shortLinks},
}

// A blog has 60 list pages, each with the next; the lists have the first words of the posts,
// or their numbers alone.
func blog(s *honestSite, named bool) {
	post := 0
	for n := 1; n <= 60; n++ {
		at, list := fmt.Sprintf("/page/%d", n), ""
		if n == 1 {
			at = "/"
		}
		for range 2 {
			post++
			rest := fmt.Sprintf("/post/%d", post)
			text := fmt.Sprintf("Post %d", post)
			if named {
				text = words(rest, 6)
			}
			list += fmt.Sprintf(`<li><a href="%s">%s</a>`, rest, text)
			s.add(rest, text, own(s.name+rest), "/")
		}
		if n < 60 {
			list += fmt.Sprintf(`<a href="/page/%d">Older posts</a>`, n+1)
		}
		s.put(at, "<title>Blog</title><h1>Blog</h1>"+list)
	}
}

// A forum has list pages by ?start= and threads of 30 pages.
func forum(s *honestSite) {
	for start := 0; start < 60; start++ {
		at := fmt.Sprintf("/viewforum.php?f=2&start=%d", 25*start)
		if start == 0 {
			at = "/"
		}
		thread := fmt.Sprintf("/viewtopic.php?t=%d", start+1)
		links := []string{thread}
		if start < 59 {
			links = append(links, fmt.Sprintf("/viewforum.php?f=2&start=%d", 25*start+25))
		}
		s.add(at, "Forum", "<p>Topics Replies Views", links...)
		if start%30 != 1 {
			s.add(thread, "Topic", own(s.name+thread))
			continue
		}
		for n := range 30 {
			at, next := fmt.Sprintf("%s&start=%d", thread, 15*n), fmt.Sprintf("%s&start=%d", thread, 15*n+15)
			if n == 0 {
				at = thread
			}
			if n == 29 {
				next = "/"
			}
			s.add(at, "Topic", own(s.name+at), next)
		}
	}
}

// A book has 80 chapters, each with the next one alone.
func book(s *honestSite) {
	s.add("/", "The book", own(s.name), "/chapter/1.html")
	for n := 1; n <= 80; n++ {
		next := fmt.Sprintf("%d.html", min(n+1, 80))
		s.add(fmt.Sprintf("/chapter/%d.html", n), fmt.Sprintf("Chapter %d", n), own(fmt.Sprint(s.name, n)), next)
	}
}

// A newspaper can be read by year, month and day.
func archiveByDate(s *honestSite) {
	for _, year := range []int{2023, 2024} {
		years := fmt.Sprintf("/%d/", year)
		s.link("/", "Archive", years)
		for month := 1; month <= 6; month++ {
			months := fmt.Sprintf("%s%02d/", years, month)
			s.link(years, "Archive", months)
			for day := 3; day < 30; day += 5 {
				days := fmt.Sprintf("%s%02d/", months, day)
				s.link(months, "Archive", days)
				s.add(days, "Archive", fmt.Sprintf("<p>%d-%02d-%02d", year, month, day), days+"story.html")
				s.add(days+"story.html", words(days, 3), own(s.name+days))
			}
		}
	}
}

// link adds a link to a page, which is made if need be.
func (s *honestSite) link(rest, title, to string) {
	url := s.at(rest)
	if s.pages[url] == "" {
		s.add(rest, title, "")
	}
	s.pages[url] += fmt.Sprintf(`<a href="%s">%s</a> `, to, to[strings.LastIndexByte(strings.TrimSuffix(to, "/"), '/')+1:])
}

// A server lists its directories: nginx without ways to sort them, Apache with.
func autoindex(s *honestSite, sorted bool) {
	var list func(dir string, levels int)
	list = func(dir string, levels int) {
		rows, names := "", []string{"1.0/", "1.1/", "2.0/"}
		if levels == 0 {
			names = []string{"README.html"}
		}
		for i, name := range names {
			rows += fmt.Sprintf(`<a href="%s">%s</a> 11-May-2024 10:3%d -`+"\n", name, name, i)
			if levels > 0 {
				list(dir+name, levels-1)
			} else {
				s.add(dir+name, "Read me", own(s.name+dir))
			}
		}
		head := ""
		if sorted {
			for _, by := range []string{"C=N;O=D", "C=M;O=A", "C=S;O=A", "C=D;O=A"} {
				head += fmt.Sprintf(`<a href="?%s">Name</a> `, by)
				s.put(dir+"?"+by, "<title>Index of "+dir+"</title><h1>Index of "+dir+`</h1><pre><a href="../">Parent Directory</a>`+"\n"+rows)
			}
		}
		s.put(dir, "<title>Index of "+dir+"</title><h1>Index of "+dir+"</h1><pre>"+head+`<a href="../">Parent Directory</a>`+"\n"+rows)
	}
	s.add("/", "Downloads", own(s.name), "/pub/")
	depth := 3
	if sorted {
		depth = 2
	}
	list("/pub/", depth)
}

// The pages of a slide show differ in the picture alone.
func slideShow(s *honestSite) {
	for n := 1; n <= 60; n++ {
		next := fmt.Sprintf("/slides/%d.html", n+1)
		if n == 60 {
			next = "/"
		}
		s.add(fmt.Sprintf("/slides/%d.html", n), "Slides", fmt.Sprintf(`<p>Our holidays<img src="/img/s%04d.jpg">`, n), next)
	}
	s.add("/", "Slides", own(s.name), "/slides/1.html")
}

// The same by a program, with the pictures beside it.
func slideProgram(s *honestSite) {
	for n := 1; n <= 60; n++ {
		s.put(fmt.Sprintf("/show/slide.php?id=%d", n), fmt.Sprintf(`<title>Show</title><img src="pic.php?id=%d"><a href="slide.php?id=%d">Next</a> <a href="slide.php?id=%d">Back</a>`,
			n, min(n+1, 60), max(1, n-1)))
	}
	s.add("/", "Show", own(s.name), "/show/slide.php?id=1")
}

// A gallery has thumbnails, and a page for each with nothing but "Next".
func gallery(s *honestSite) {
	for n := 1; n <= 60; n++ {
		at := fmt.Sprintf("/gallery/photo%d.html", n)
		s.pages[s.at("/gallery/")] += fmt.Sprintf(`<a href="photo%d.html"><img src="thumbs/%d.jpg"></a>`, n, n)
		s.put(at, fmt.Sprintf(`<title>Photo</title><a href="photo%d.html">Next</a>`, min(n+1, 60)))
	}
	s.add("/", "Photos", own(s.name), "/gallery/")
}

// An index links to tables of numbers.
func tables(s *honestSite) {
	urls := numbered("/data/%d.html", 80)
	s.add("/", "Data", own(s.name), "/data/")
	s.add("/data/", "Data", "", urls...)
	for _, u := range urls {
		s.add(u, "Table", "<table><tr><th>Year<th>Value<tr>"+figures(s.name+u, 30)+"</table>")
	}
}

// Each table has the next one alone.
func tablesChained(s *honestSite) {
	s.add("/", "Data", own(s.name), "/table/1")
	for n := 1; n <= 60; n++ {
		s.add(fmt.Sprintf("/table/%d", n), "Table", "<table><tr><th>Year<th>Value<tr>"+figures(fmt.Sprint(s.name, n), 20)+"</table>", fmt.Sprintf("/table/%d", min(n+1, 60)))
	}
}

// Pages have moved, and jekyll-redirect-from has left a page where each was.
func refreshStubs(s *honestSite) {
	s.add("/", "Moved", own(s.name), numbered("/old/%d/", 40)...)
	for n := 1; n <= 40; n++ {
		to := fmt.Sprintf("/new/%d/", n)
		s.put(fmt.Sprintf("/old/%d/", n), fmt.Sprintf(`<title>Redirecting&hellip;</title><link rel="canonical" href="%s"><meta http-equiv="refresh" content="0; url=%s"><h1>Redirecting&hellip;</h1><a href="%s">Click here if you are not redirected.</a>`, to, to, to))
		s.add(to, words(to, 2), own(s.name+to))
	}
}

// A site in five languages, in some of which nobody has written the words yet.
func languages(s *honestSite, translated bool) {
	codes := []string{"en", "de", "fr", "es", "it"}
	for _, code := range codes {
		s.link("/", "Welcome", "/"+code+"/")
		for n := range 20 {
			at, text := fmt.Sprintf("/%s/p%d.html", code, n), own(fmt.Sprint(s.name, n))
			if translated {
				text = own(fmt.Sprint(s.name, code, n))
			}
			var links []string
			for k := 3*n + 1; k <= 3*n+3 && k < 20; k++ {
				links = append(links, fmt.Sprintf("/%s/p%d.html", code, k))
			}
			if n == 0 {
				at = "/" + code + "/"
			}
			s.add(at, "Company", text+fmt.Sprintf("<p>Phone 555 %d", 1000+n), links...)
		}
	}
}

// The language is a parameter, and what it changes is the language of the links.
func languageParameter(s *honestSite) {
	codes := []string{"en", "de", "fr", "es", "it"}
	for n := range 16 {
		for _, code := range codes {
			var links []string
			for _, other := range codes {
				links = append(links, fmt.Sprintf("/view?id=%d&lang=%s", n, other))
			}
			for k := 2*n + 1; k <= 2*n+2 && k < 16; k++ {
				links = append(links, fmt.Sprintf("/view?id=%d&lang=%s", k, code))
			}
			s.add(fmt.Sprintf("/view?id=%d&lang=%s", n, code), "Item", own(fmt.Sprint(s.name, n)), links...)
		}
	}
	s.add("/", "Items", own(s.name), "/view?id=0&lang=en")
}

// A wiki has categories of articles, which link to each other.
func wiki(s *honestSite) {
	s.add("/", "Main page", own(s.name), numbered("/wiki/Category:%d", 10)...)
	for c := 1; c <= 10; c++ {
		var list []string
		for n := range 8 {
			at := fmt.Sprintf("/wiki/Article_%d", 8*c+n)
			list = append(list, at)
			s.add(at, words(at, 2), own(s.name+at), fmt.Sprintf("/wiki/Article_%d", 8+(8*c+7*n)%80), fmt.Sprintf("/wiki/Category:%d", c))
		}
		s.add(fmt.Sprintf("/wiki/Category:%d", c), fmt.Sprintf("Category %d", c), "<p>Pages in this category", list...)
	}
}

// A shop has products with the same description, and facets that have an end.
func shop(s *honestSite) {
	colours, sizes := []string{"red", "blue", "green"}, []string{"s", "m", "l", "xl"}
	n := 0
	for _, c := range colours {
		byColour := "/shop?colour=" + c
		var links []string
		for _, size := range sizes {
			both := byColour + "&size=" + size
			links = append(links, both)
			var items []string
			for range 5 {
				n++
				item := fmt.Sprintf("/product/%d", n)
				items = append(items, item)
				s.add(item, "T-shirt", fmt.Sprintf("<p>%sArticle %d, %d.%02d euro", words(s.name, 60), 40000+n, n%30, n*7%100), "/")
			}
			s.add(both, "Shop", "<p>T-shirts "+c+" "+size, items...)
		}
		s.add(byColour, "Shop", "<p>T-shirts "+c, links...)
		s.link("/", "Shop", byColour)
	}
}

// A program has written the documentation: the same words around other names.
func apiDocs(s *honestSite) {
	for c := range 12 {
		class := strings.ReplaceAll(strings.TrimSpace(words(fmt.Sprint(s.name, c), 2)), " ", "")
		index := "/api/" + class + "/index.html"
		s.link("/", "API", index)
		for m := range 6 {
			method := strings.TrimSpace(words(fmt.Sprint(s.name, c, m), 1)) + fmt.Sprint(m)
			s.link(index, class, "/api/"+class+"/"+method+".html")
			s.add("/api/"+class+"/"+method+".html", class+"."+method, "<p>"+words("boilerplate", 150)+"<pre>func "+method+"() error</pre><p>Inherited from Object. See also the overview.", "index.html")
		}
	}
}

// A viewer of a repository shows directories, files, and what each commit has changed.
func gitViewer(s *honestSite) {
	hash := func(n int) string {
		return fmt.Sprintf("%016x%016x", uint64(n)*0x9e3779b97f4a7c15, uint64(n)*0xbf58476d1ce4e5b9)
	}
	s.add("/", "repo", own(s.name), "/repo/tree/main/", "/repo/commit/"+hash(1))
	for n := 1; n <= 40; n++ {
		next := "/repo/commit/" + hash(n+1)
		if n == 40 {
			next = "/"
		}
		s.add("/repo/commit/"+hash(n), "commit", fmt.Sprintf("<pre>commit %s\nparent %s\n+%d -%d lines", hash(n), hash(n+1), n*7%50, n*3%20), next)
	}
	var tree func(dir string, levels int)
	tree = func(dir string, levels int) {
		for _, name := range []string{"cmd", "lib"} {
			if levels > 0 {
				s.link(dir, "tree", dir+name+"/")
				tree(dir+name+"/", levels-1)
			}
		}
		s.link(dir, "tree", strings.Replace(dir, "tree", "blob", 1)+"main.html")
		s.add(strings.Replace(dir, "tree", "blob", 1)+"main.html", "blob", own(s.name+dir))
	}
	tree("/repo/tree/main/", 4)
}

// A mailing list can be read by date and by thread, with the next and the one before.
func mailingList(s *honestSite) {
	for n := 0; n < 90; n++ {
		month := fmt.Sprintf("/pipermail/2024-%02d/", n/15+1)
		at := fmt.Sprintf("%smsg%05d.html", month, n)
		links := []string{"date.html", "thread.html"}
		if n%15 > 0 {
			links = append(links, fmt.Sprintf("msg%05d.html", n-1))
		}
		if n%15 < 14 {
			links = append(links, fmt.Sprintf("msg%05d.html", n+1))
		}
		if n%15 == 0 {
			s.link("/", "Archives", month+"date.html")
			s.add(month+"date.html", "By date", "", at)
			s.add(month+"thread.html", "By thread", "", at)
		}
		s.add(at, "Re: "+words(fmt.Sprint(s.name, n/3), 3), "<pre>"+words(fmt.Sprint(s.name, n), 12)+"</pre>", links...)
	}
}

// A calendar of a club has two years of months, and events on some days.
func realCalendar(s *honestSite) {
	first := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(i int) string { return first.AddDate(0, i, 0).Format("/calendar/2006/01/") }
	s.add("/", "Club", own(s.name), at(0))
	for i := range 24 {
		month := first.AddDate(0, i, 0)
		links := []string{at(max(0, i-1)), at(min(i+1, 23))}
		for d := 5; d < 28; d += 10 {
			event := month.AddDate(0, 0, d).Format("/event/2006-01-02.html")
			links = append(links, event)
			s.add(event, words(event, 3), own(s.name+event))
		}
		days := ""
		for d := month; d.Month() == month.Month(); d = d.AddDate(0, 0, 1) {
			days += d.Format("<td>2")
		}
		s.add(at(i), month.Format("January 2006"), days, links...)
	}
}

// A glossary has a page for each word, and it is the word alone.
func glossary(s *honestSite) {
	letters := numbered("/letter/%d", 8)
	s.add("/", "Glossary", "", letters...)
	n := 0
	for _, l := range letters {
		for range 10 {
			n++
			word := strings.TrimSpace(words(fmt.Sprint(s.name, n), 1))
			s.link(l, "Letter", fmt.Sprintf("/term/%s%d", word, n))
			s.put(fmt.Sprintf("/term/%s%d", word, n), "<title>"+word+"</title>"+word)
		}
	}
}

// A page of questions leads to short answers, each with the next.
func faq(s *honestSite) {
	s.add("/", "FAQ", "", "/faq/1.html")
	for n := 1; n <= 60; n++ {
		s.add(fmt.Sprintf("/faq/%d.html", n), "FAQ", []string{"<p>Yes.", "<p>No.", "<p>Perhaps.", "<p>Ask again later."}[n%4]+" "+words(fmt.Sprint(s.name, n), 1), fmt.Sprintf("%d.html", min(n+1, 60)))
	}
}

// Pages have nothing but a picture, which is the link to the next one.
func picturesOnly(s *honestSite) {
	for n := 1; n <= 60; n++ {
		s.put(fmt.Sprintf("/p/%d.html", n), fmt.Sprintf(`<a href="%d.html"><img src="%d.png"></a>`, min(n+1, 60), n))
	}
	s.put("/", `<a href="/p/1.html"><img src="/p/0.png"></a>`)
}

// Pages without a word, as programs fill them in the browser.
func wordless(s *honestSite) {
	urls := numbered("/app/view%d.html", 40)
	s.add("/", "App", own(s.name), "/app/")
	s.add("/app/", "", "<div id=root></div>", urls...)
	for i, u := range urls {
		s.put(u, fmt.Sprintf(`<div id=root></div><script src=/app.js></script><a href="view%d.html"></a>`, min(i+2, 40)))
	}
}

// Framesets hold the pages with the words.
func framesets(s *honestSite) {
	s.add("/", "Frames", own(s.name), numbered("/frames/%d.html", 30)...)
	for n := 1; n <= 30; n++ {
		s.put(fmt.Sprintf("/frames/%d.html", n), fmt.Sprintf(`<title>Frames</title><frameset cols="20,80"><frame src="menu.html"><frame src="text%d.html"></frameset>`, n))
		s.add(fmt.Sprintf("/frames/text%d.html", n), "Text", own(fmt.Sprint(s.name, n)))
	}
	s.add("/frames/menu.html", "Menu", "<p>Menu")
}

// Records have ids nobody could remember, and the next one.
func uuids(s *honestSite) {
	id := func(n int) string {
		return fmt.Sprintf("%08x-1a2b-4c3d-9e8f-%012x", uint32(n)*2654435761, uint64(n)*0x9e3779b97f4a7c15>>16)
	}
	s.add("/", "Records", own(s.name), "/record/"+id(1))
	for n := 1; n <= 60; n++ {
		s.add("/record/"+id(n), "Record", own(fmt.Sprint(s.name, n)), "/record/"+id(min(n+1, 60)))
	}
}

// A tree of directories is six deep, and has no page beside them.
func deepTree(s *honestSite) {
	t := siteMap{pages: map[string][]string{"/": {"/tree/"}}}
	t.tree("/tree/", 6, 2, func(string) {})
	for rest, links := range t.pages {
		s.add(rest, words(rest, 2), own(s.name+rest), links...)
	}
}

// Pages that hardly anybody links to hang on chains of 20.
func orphanChains(s *honestSite) {
	s.add("/", "Start", own(s.name), "/a/0", "/b/0", "/c/0", "/d/0")
	for _, dir := range []string{"/a/", "/b/", "/c/", "/d/"} {
		for n := range 20 {
			s.add(fmt.Sprintf("%s%d", dir, n), "Page", own(fmt.Sprint(s.name, dir, n)), fmt.Sprintf("%s%d", dir, min(n+1, 19)))
		}
	}
}

// A university has a host for each of its institutes, known to its portal alone.
func university(s *honestSite) {
	var hosts []string
	for i := range 25 {
		host := fmt.Sprintf("http://institute%d.%s.example", i, s.name)
		hosts = append(hosts, host+"/")
		s.add(host+"/", "Institute", own(host), host+"/staff", host+"/papers")
		s.add(host+"/staff", "Staff", own(host+"s"), host+"/")
		s.add(host+"/papers", "Papers", own(host+"p"), host+"/")
	}
	s.add("/", "University", own(s.name), hosts...)
}

// People have a host each, with a single page.
func smallHosts(s *honestSite) {
	var hosts []string
	for i := range 40 {
		host := fmt.Sprintf("http://user%d.%s.example/", i, s.name)
		hosts = append(hosts, host)
		s.add(host, "Home page", own(host))
	}
	s.add("/", "People", own(s.name), hosts...)
}

// A list of members has domains that nobody else links to.
func memberDirectory(s *honestSite) {
	var hosts []string
	for i := range 40 {
		host := fmt.Sprintf("http://%s-member%d.example", s.name, i)
		hosts = append(hosts, host+"/")
		s.add(host+"/", "Member", own(host), host+"/1", host+"/2")
		s.add(host+"/1", "About", own(host+"1"), host+"/")
		s.add(host+"/2", "Contact", own(host+"2"), s.at("/"))
	}
	s.add("/", "Members", own(s.name), hosts...)
}

// Lists by ?page= show the numbers of what is on them.
func pagesParameter(s *honestSite) {
	for n := 1; n <= 60; n++ {
		at, item := fmt.Sprintf("/list?page=%d", n), fmt.Sprintf("/item/%d", n)
		s.put(at, fmt.Sprintf(`<title>List</title><p>Page %d of 60 <a href="%s">%d</a> <a href="/list?page=%d">next</a>`, n, item, 1000+n, min(n+1, 60)))
		s.add(item, "Item", own(s.name+item))
	}
	s.add("/", "Start", own(s.name), "/list?page=1")
}

// All pages of a site are index.php?id=.
func cms(s *honestSite) {
	s.add("/", "Start", own(s.name), "/index.php?id=1")
	for n := 1; n <= 90; n++ {
		var links []string
		for k := 3 * n; k < 3*n+3 && k <= 90; k++ {
			links = append(links, fmt.Sprintf("/index.php?id=%d", k))
		}
		s.add(fmt.Sprintf("/index.php?id=%d", n), "CMS", own(fmt.Sprint(s.name, n)), append(links, "/")...)
	}
	for _, k := range []int{2} {
		s.pages[s.at("/")] += fmt.Sprintf(`<a href="/index.php?id=%d">x</a>`, k)
	}
}

// Timetables differ in their numbers, which are hours and minutes, and have the next line.
func timetable(s *honestSite) {
	s.add("/", "Buses", own(s.name), "/line/1.html")
	for n := 1; n <= 60; n++ {
		rows := ""
		for h := 5; h < 23; h++ {
			rows += fmt.Sprintf("<tr><td>%02d:%02d<td>%02d:%02d", h, (n*7+h*11)%60, h, (n*13+h*17)%60)
		}
		s.add(fmt.Sprintf("/line/%d.html", n), "Timetable", "<table><tr><th>Station<th>Harbour"+rows+"</table>", fmt.Sprintf("%d.html", min(n+1, 60)))
	}
}

// A search has lists with an end, reached by the numbers of the pages.
func searchLists(s *honestSite) {
	s.add("/", "Search", own(s.name), "/search?q=rice&p=1", "/search?q=beans&p=1")
	for _, q := range []string{"rice", "beans"} {
		for n := 1; n <= 30; n++ {
			at := fmt.Sprintf("/search?q=%s&p=%d", q, n)
			doc := fmt.Sprintf("/doc/%s%d.html", q, n)
			var links []string
			for k := n + 1; k <= min(n+3, 30); k++ {
				links = append(links, fmt.Sprintf("/search?q=%s&p=%d", q, k))
			}
			s.add(at, "Results", "<p>Results for "+q, append(links, doc)...)
			s.add(doc, words(doc, 3), own(s.name+doc))
		}
	}
}

// Short names lead to long ones, by redirects.
func redirects(s *honestSite) {
	s.add("/", "Start", own(s.name), numbered("/go/%d", 40)...)
	for n := 1; n <= 40; n++ {
		s.put(fmt.Sprintf("/go/%d", n), fmt.Sprintf("> /there/%d", n))
		s.add(fmt.Sprintf("/there/%d", n), "There", own(fmt.Sprint(s.name, n)))
	}
}

// All pages have one title and one first sentence.
func sameTitles(s *honestSite) {
	for n := range 60 {
		var links []string
		for k := 2*n + 1; k <= 2*n+2 && k < 60; k++ {
			links = append(links, fmt.Sprintf("/news/%d.html", k))
		}
		s.add(fmt.Sprintf("/news/%d.html", n), "News", "<p>"+words("the same", 60)+words(fmt.Sprint(s.name, n), 5), links...)
	}
	s.add("/", "Start", own(s.name), "/news/0.html")
}

// A cloud of tags leads to lists of one or two articles.
func tagCloud(s *honestSite) {
	var tags []string
	for n := range 40 {
		tag := fmt.Sprintf("/tag/%s%d/", strings.TrimSpace(words(fmt.Sprint(s.name, "t", n), 1)), n)
		tags = append(tags, tag)
		a, b := fmt.Sprintf("/article/%d", n), fmt.Sprintf("/article/%d", (n*7+3)%40)
		s.add(tag, "Tag", "<p>Articles with this tag", a, b)
		s.add(a, "Article", own(s.name+a), "/")
	}
	s.add("/", "Tags", "", tags...)
}

// Price lists have the same words and other prices, by pages with next.
func priceList(s *honestSite) {
	s.add("/", "Prices", own(s.name), "/prices?page=1")
	for n := 1; n <= 60; n++ {
		rows := ""
		for k := range 12 {
			rows += fmt.Sprintf("<tr><td>Screw<td>%d<td>%d.%02d", 10_000+n*12+k, (n*k)%90, (n*37+k*11)%100)
		}
		s.add(fmt.Sprintf("/prices?page=%d", n), "Prices", "<table>"+rows+"</table>", fmt.Sprintf("/prices?page=%d", min(n+1, 60)))
	}
}

// Pages are about what was not found, and say so in their titles.
func notFoundWords(s *honestSite) {
	urls := numbered("/lost/%d.html", 40)
	s.add("/", "Lost and found", own(s.name), "/lost/")
	s.add("/lost/", "Lost", own(s.name+"l"), urls...)
	for i, u := range urls {
		s.add(u, fmt.Sprintf("Owner not found: object %d", 404+i), own(s.name+u), "/lost/")
	}
}

// Threads of comments are 30 pages long each, and their words repeat.
func threads(s *honestSite) {
	s.add("/", "Threads", own(s.name), numbered("/t/%d/1", 3)...)
	for t := 1; t <= 3; t++ {
		for n := 1; n <= 30; n++ {
			s.add(fmt.Sprintf("/t/%d/%d", t, n), "Thread", "<p>"+words("quoted", 50)+words(fmt.Sprint(s.name, t, n), 6), fmt.Sprintf("/t/%d/%d", t, min(n+1, 30)))
		}
	}
}

// Each page has a version to print, with the same words.
func printVersions(s *honestSite) {
	s.add("/", "Start", own(s.name), numbered("/text/%d.html", 40)...)
	for n := 1; n <= 40; n++ {
		at := fmt.Sprintf("/text/%d.html", n)
		s.add(at, "Text", own(s.name+at), at+"?print=1")
		s.add(at+"?print=1", "Text", own(s.name+at), at)
	}
}

// A bible has books, chapters and verses, all of them numbers.
func bible(s *honestSite) {
	for b := 1; b <= 3; b++ {
		for c := 1; c <= 5; c++ {
			for v := 1; v <= 5; v++ {
				at := fmt.Sprintf("/%d/%d/%d", b, c, v)
				s.link(fmt.Sprintf("/%d/%d/", b, c), "Chapter", at)
				s.add(at, fmt.Sprintf("%d %d:%d", b, c, v), "<p>"+words(s.name+at, 8))
			}
			s.link(fmt.Sprintf("/%d/", b), "Book", fmt.Sprintf("/%d/%d/", b, c))
		}
		s.link("/", "Bible", fmt.Sprintf("/%d/", b))
	}
}

// A comic has a picture a day, and the one before.
func comic(s *honestSite) {
	at := func(n int) string {
		return time.Date(2024, 3, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, -n).Format("/comic/2006/01/02/")
	}
	s.add("/", "Comic", own(s.name), at(0))
	for n := range 70 {
		s.add(at(n), "Comic", fmt.Sprintf(`<p>%s<img src="/strips/%d.png">`, words("comic", 30), 5000-n), at(min(n+1, 69)))
	}
}

// Categories of a shop have a name, and nothing in them yet.
func emptyLists(s *honestSite) {
	s.add("/", "Shop", own(s.name), "/category/0")
	for n := range 50 {
		var links []string
		for k := 2*n + 1; k <= 2*n+2 && k < 50; k++ {
			links = append(links, fmt.Sprintf("/category/%d", k))
		}
		s.add(fmt.Sprintf("/category/%d", n), words(fmt.Sprint(s.name, n), 2), "<p>There is nothing in this category yet.", links...)
	}
}

// Forms to order things are the same but for the thing, which is a number in a link.
func sameForms(s *honestSite) {
	s.add("/", "Orders", own(s.name), "/order?item=1")
	for n := 1; n <= 50; n++ {
		s.add(fmt.Sprintf("/order?item=%d", n), "Order", "<form><p>Name, address, city</form>", fmt.Sprintf("/thing/%d", n), fmt.Sprintf("/order?item=%d", min(n+1, 50)))
		s.add(fmt.Sprintf("/thing/%d", n), "Thing", own(fmt.Sprint(s.name, n)))
	}
}

// Directories have the names of those above them.
func repeatedSegments(s *honestSite) {
	s.add("/", "Source", own(s.name), "/src/")
	dirs := []string{"/src/", "/src/org/", "/src/org/tool/", "/src/org/tool/src/", "/src/org/tool/src/tool/", "/src/org/tool/src/tool/src/", "/src/org/tool/src/tool/src/tool/"}
	for i, dir := range dirs {
		links := []string{dir + "a.html", dir + "b.html"}
		if i+1 < len(dirs) {
			links = append(links, dirs[i+1])
		}
		s.add(dir, "Source", own(s.name+dir), links...)
		s.add(dir+"a.html", "A", own(s.name+dir+"a"))
		s.add(dir+"b.html", "B", own(s.name+dir+"b"))
	}
}

// A family tree has a page for each person, with a name, dates and two parents.
func familyTree(s *honestSite) {
	s.add("/", "Family", own(s.name), "/person?id=1")
	for n := 1; n < 64; n++ {
		var links []string
		if 2*n+1 < 64 {
			links = []string{fmt.Sprintf("/person?id=%d", 2*n), fmt.Sprintf("/person?id=%d", 2*n+1)}
		}
		s.add(fmt.Sprintf("/person?id=%d", n), words(fmt.Sprint(s.name, n), 2), fmt.Sprintf("<p>Born %d, died %d. Father and mother:", 1990-30*n/8, 2060-30*n/8), links...)
	}
}

// The weather of each day is some numbers, and the day before.
func weatherStations(s *honestSite) {
	at := func(n int) time.Time { return time.Date(2024, 5, 31, 0, 0, 0, 0, time.UTC).AddDate(0, 0, -n) }
	s.add("/", "Weather", own(s.name), at(0).Format("/2006/01/02.html"))
	for n := range 80 {
		text := fmt.Sprintf("Highest %d.%d, lowest %d.%d, wind %d, rain %d.%d, pressure %d", 15+n*7%12, n*3%10, 3+n*5%9, n*7%10, n*11%40, n%6, n*13%10, 990+n*17%40)
		s.add(at(n).Format("/2006/01/02.html"), at(n).Format("2006-01-02"), "<p>"+text, at(min(n+1, 79)).Format("/2006/01/02.html"))
	}
}

// A directory lies in another, twelve deep, and has a page each.
func deepChain(s *honestSite) {
	dir := "/"
	for n := range 12 {
		next := fmt.Sprintf("%s%c/", dir, 'a'+n)
		s.add(dir, "Level", own(s.name+dir), next)
		dir = next
	}
	s.add(dir, "Bottom", own(s.name+dir))
}

// Four facets can be chosen one after the other, each combination in one order.
func facets(s *honestSite) {
	var list func(rest string, levels int)
	list = func(rest string, levels int) {
		var links []string
		for i := range 3 {
			if levels > 0 {
				next := fmt.Sprintf("%s&f%d=%d", rest, levels, i)
				links = append(links, next)
				list(next, levels-1)
			}
		}
		s.add(rest, "Search", own(s.name+rest), links...)
	}
	s.add("/", "Start", own(s.name), "/find?q=x")
	list("/find?q=x", 4)
}

// A site answers under two names, and links to pages of the name it was asked by.
func twoHosts(s *honestSite) {
	for _, host := range []string{"http://www." + s.name + ".example", "http://" + s.name + ".example"} {
		for n := range 60 {
			var links []string
			for k := 3*n + 1; k <= 3*n+3 && k < 60; k++ {
				links = append(links, fmt.Sprintf("/p/%d.html", k))
			}
			rest := fmt.Sprintf("/p/%d.html", n)
			if n == 0 {
				rest = "/"
				links = append(links, "http://www."+s.name+".example/")
			}
			s.add(host+rest, "Page", own(fmt.Sprint(s.name, n)), links...)
		}
	}
}

// Whatever one asks for, one has to log in first.
func logIn(s *honestSite) {
	urls := numbered("/members/%d.html", 40)
	s.add("/", "Members", own(s.name), urls...)
	for _, u := range urls {
		s.add(u, "Log in", "<form>Name <input> Password <input></form>", "/")
	}
}

// A catalogue has the same long description of all its things, and the next one.
func catalogue(s *honestSite) {
	s.add("/", "Things", own(s.name), "/thing/1")
	for n := 1; n <= 60; n++ {
		name := words(fmt.Sprint(s.name, n), 2)
		s.add(fmt.Sprintf("/thing/%d", n), name, "<h1>"+name+"</h1><p>"+words("description", 200), fmt.Sprintf("/thing/%d", min(n+1, 60)))
	}
}

// A wiki shows who changed what, page by page.
func histories(s *honestSite) {
	s.add("/", "Changes", own(s.name), numbered("/index.php?title=P%d&action=history", 20)...)
	for n := 1; n <= 20; n++ {
		var links []string
		for k := range 3 {
			old := fmt.Sprintf("/index.php?title=P%d&oldid=%d", n, 100*n+k)
			links = append(links, old)
			s.add(old, fmt.Sprintf("P%d", n), "<p>Old version of "+words(fmt.Sprint(s.name, n), 30)+words(fmt.Sprint(s.name, n, k), 3), "/")
		}
		s.add(fmt.Sprintf("/index.php?title=P%d&action=history", n), "History", fmt.Sprintf("<p>%d May 2024 (+%d)", n, n*37), links...)
	}
}

// An index of names by letters, with pages of names and nothing else.
func letterPages(s *honestSite) {
	s.add("/", "Names", "", numbered("/names/%d/", 6)...)
	for l := 1; l <= 6; l++ {
		for n := 1; n <= 10; n++ {
			at, next := fmt.Sprintf("/names/%d/%d.html", l, n), fmt.Sprintf("/names/%d/%d.html", l, min(n+1, 10))
			if n == 1 {
				at = fmt.Sprintf("/names/%d/", l)
			}
			s.add(at, "Names", "<p>"+words(fmt.Sprint(s.name, l, n), 4), next)
		}
	}
}

// Lists of numbers lead to posts by short links, which redirect.
func shortLinks(s *honestSite) {
	s.add("/", "Posts", own(s.name), "/page/1")
	for n := 1; n <= 40; n++ {
		s.put(fmt.Sprintf("/page/%d", n), fmt.Sprintf(`<title>Posts</title><a href="/?p=%d">%d</a> <a href="/page/%d">Older</a>`, n, n, min(n+1, 40)))
		s.put(fmt.Sprintf("/?p=%d", n), fmt.Sprintf("> /2024/05/post-%d", n))
		s.add(fmt.Sprintf("/2024/05/post-%d", n), "Post", own(fmt.Sprint(s.name, n)))
	}
}

// handlers serves the pages of a site by host, and what is not there is not found.
func (s *honestSite) handlers(hosts map[string]http.HandlerFunc) {
	for url := range s.pages {
		_, rest, _ := strings.Cut(url, "://")
		host, _, _ := strings.Cut(rest, "/")
		hosts[host] = s.serve
	}
}

func (s *honestSite) serve(rw http.ResponseWriter, r *http.Request) {
	html, ok := s.pages["http://"+r.Host+r.URL.RequestURI()]
	to, moved := strings.CutPrefix(html, "> ")
	switch {
	case !ok:
		http.NotFound(rw, r)
	case moved:
		http.Redirect(rw, r, to, http.StatusMovedPermanently)
	default:
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(rw, html)
	}
}
