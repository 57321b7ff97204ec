package page

import (
	"bufio"
	"compress/gzip"
	"os"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/data"
)

func TestSite(t *testing.T) {
	for _, c := range []struct{ url, site, rest, host, domain string }{
		{"http://a.example/", "http://a.example", "/", "a.example", "a.example"},
		{"https://www.b.co.uk:81/x/y?z/", "https://www.b.co.uk:81", "/x/y?z/", "www.b.co.uk", "b.co.uk"},
		{"https://a.b.github.io/", "https://a.b.github.io", "/", "a.b.github.io", "b.github.io"},
		{"https://github.io/", "https://github.io", "/", "github.io", "github.io"},
		{"http://localhost:8080/x", "http://localhost:8080", "/x", "localhost", "localhost"},
		{"http://10.1.2.3/x", "http://10.1.2.3", "/x", "10.1.2.3", "10.1.2.3"},
		{"http://[::1]:81/", "http://[::1]:81", "/", "[::1]", "[::1]"},
		{"http://[::1]/", "http://[::1]", "/", "[::1]", "[::1]"},
		{"http://xn--bcher-kva.example/", "http://xn--bcher-kva.example", "/", "xn--bcher-kva.example", "xn--bcher-kva.example"},
	} {
		site, rest := Site([]byte(c.url))
		host := Host([]byte(c.url))
		if string(site) != c.site || string(rest) != c.rest || string(host) != c.host {
			t.Errorf("%s: site %q, rest %q, host %q", c.url, site, rest, host)
		}
		if got := Domain(host); got != c.domain {
			t.Errorf("Domain(%q) = %q, want %q", host, got, c.domain)
		}
		if string(graph.SiteOfURL([]byte(c.url))) != c.site {
			t.Errorf("%s: graph has another site", c.url)
		}
		if string(Host(site)) != c.host {
			t.Errorf("Host of site %q = %q", site, Host(site))
		}
	}
}

func TestShape(t *testing.T) {
	for url, want := range map[string]Shape{
		"http://a.example/":            {},
		"http://a.example/x":           {Depth: 1, Repeats: 1},
		"http://a.example/x/":          {Depth: 1, Repeats: 1},
		"http://a.example//x///y":      {Depth: 2, Repeats: 1},
		"http://a.example/x/y/x/y/x/z": {Depth: 6, Repeats: 3},
		"http://a.example/x?x/x/x":     {Depth: 1, Repeats: 1},
		"http://a.example/?a=1&b&&":    {},
	} {
		if got := ShapeOf([]byte(url)); got != want {
			t.Errorf("ShapeOf(%q) = %+v, want %+v", url, got, want)
		}
	}
	deep := []byte("http://a.example" + strings.Repeat("/loop", 300))
	if s := ShapeOf(deep); s.Depth != 300 || s.Repeats != 300 {
		t.Errorf("a loop of 300: %+v", s)
	}
	if n := testing.AllocsPerRun(10, func() { ShapeOf(deep) }); n != 0 {
		t.Errorf("ShapeOf allocates %v times", n)
	}
}

func TestDynamicAndExtension(t *testing.T) {
	for _, c := range []struct {
		path    string
		dynamic bool
		class   Class
	}{
		{"/", false, ClassUnknown},
		{"/x", false, ClassUnknown},
		{"/x.HTML", false, ClassMarkup},
		{"/x.html?y", true, ClassMarkup},
		{"/x.php", true, ClassProgram},
		{"/x.php/y/z", true, ClassUnknown},
		{"/cgi-bin/x", true, ClassUnknown},
		{"/x/cgi-bin", false, ClassUnknown},
		{"/mirror/www.onet.pl/x.html", false, ClassMarkup},
		{"/view.pl", false, ClassDoubtful},
		{"/x.jsp;v=1", true, ClassProgram},
		{"/a.b/c", false, ClassUnknown},
		{"/x.tar.gz", false, ClassArchive},
		{"/x.jpg?size=1", true, ClassPicture},
		{"/wiki/File:X.jpg", false, ClassUnknown},
		{"/x.css", false, ClassAsset},
		{"/x.pdf", false, ClassDocument},
		{"/x.mp4", false, ClassMedia},
		{"/x.csv", false, ClassDoubtful},
		{"/x.", false, ClassUnknown},
		{"/v1.2", false, ClassUnknown},
		{"/x.unheardofextension", false, ClassUnknown},
	} {
		url := []byte("http://a.example" + c.path)
		if got := Dynamic(url); got != c.dynamic {
			t.Errorf("Dynamic(%q) = %v", c.path, got)
		}
		if got := Extension(url); got != c.class {
			t.Errorf("Extension(%q) = %v, want %v", c.path, got, c.class)
		}
	}
	if !ClassProgram.MayBePage() || ClassPicture.MayBePage() || ClassData.MayBePage() {
		t.Error("MayBePage")
	}
}

// trapURLs reads the URLs with known traps when they lie beside the checkout, and
// makes some of the same kind when they do not: of 999, every third is a trap.
func trapURLs(t *testing.T) (urls []string, traps int) {
	name, ok := data.File("trap-urls", "trap-urls.txt.gz")
	if !ok {
		for i := range 333 {
			loop := "http://a.example" + strings.Repeat("/x/y", 3+i%60)
			urls = append(urls, "http://a.example/x/y", loop, "http://a.example/x/y/x/y?x/x/x")
		}
		return urls, 333
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(z); lines.Scan(); {
		urls = append(urls, lines.Text())
	}
	return urls, 334
}

// TestTraps: "a path segment repeated three times or more" is what makes a trap in
// the collection (W27), and Shape counts them as its makers do. Their URLs are taken
// as they are: dot segments, which the normal form has not, count there.
func TestTraps(t *testing.T) {
	urls, traps := trapURLs(t)
	raw, normal := 0, 0
	for _, url := range urls {
		if ShapeOf([]byte(url)).Repeats >= 3 {
			raw++
		}
		form, v := resolve(t, "", url)
		switch {
		case v == TooLong:
			normal++ // refused already
		case !v.Usable():
			t.Errorf("%q: %v", url, v)
		case ShapeOf([]byte(form)).Repeats >= 3:
			normal++
		}
		if v == OK {
			checkNormal(t, form)
		}
	}
	if raw != traps {
		t.Errorf("%d traps, want %d", raw, traps)
	}
	if normal > raw || normal < raw*9/10 {
		t.Errorf("%d traps as written, %d in normal form", raw, normal)
	}
	t.Logf("%d URLs, %d traps, %d in normal form", len(urls), raw, normal)
}
