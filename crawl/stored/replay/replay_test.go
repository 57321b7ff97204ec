package replay

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func link(url string, leads bool) string {
	if leads {
		return "?L=" + url
	}
	return "?P=" + url
}

// Everything that a page names comes from the archive afterwards, and the rest is as it was.
func TestPage(t *testing.T) {
	for in, want := range map[string]string{
		`<p class=a>text &amp; <b>more</b><!-- <img src=x> -->`:                                                        `<p class=a>text &amp; <b>more</b><!-- <img src=x> -->`,
		`<img src=a.png alt="x">`:                                                                                      `<img src="?P=http://a.example/d/a.png" alt="x">`,
		`<img src="data:image/png;base64,AA==">`:                                                                       `<img src="data:image/png;base64,AA==">`,
		`<img srcset="a.png, b.png 2x,/c.png 3x">`:                                                                     `<img srcset="?P=http://a.example/d/a.png, ?P=http://a.example/d/b.png 2x, ?P=http://a.example/c.png 3x">`,
		`<link rel="Stylesheet" href=//b.example/s.css integrity=x crossorigin>`:                                       `<link rel="Stylesheet" href="?P=http://b.example/s.css">`,
		`<link rel=preconnect href=//b.example><link rel=dns-prefetch href=//c.example>x`:                              `x`,
		`<a href="../x?q=1#top" ping=//spy.example>x</a>`:                                                              `<a href="?L=http://a.example/x?q=1#top">x</a>`,
		`<a href="#top">x</a>`:                                                                                         `<a href="#top">x</a>`,
		`<a href="javascript:alert(1)">x</a>`:                                                                          `<a href="about:invalid">x</a>`,
		`<base href=//b.example/e/><img src=a.png>`:                                                                    `<img src="?P=http://b.example/e/a.png">`,
		`<meta http-equiv=Refresh content="0;url=//b.example"><meta name=x content=y>`:                                 `<meta name=x content=y>`,
		`<meta http-equiv="content-security-policy" content="img-src https:">x`:                                        `x`,
		`<style>a{background:url( 'b.png' )}</style><p>url(c.png)`:                                                     `<style>a{background:url( "?P=http://a.example/d/b.png" )}</style><p>url(c.png)`,
		`<p style="background:url(b.png)">`:                                                                            `<p style="background:url(&#34;?P=http://a.example/d/b.png&#34;)">`,
		`<video poster=p.jpg src=v.mp4></video><svg><image xlink:href=i.png /></svg>`:                                  `<video poster="?P=http://a.example/d/p.jpg" src="?P=http://a.example/d/v.mp4"></video><svg><image xlink:href="?P=http://a.example/d/i.png"/></svg>`,
		`<title><img src=a.png></title><script>var x = "<img src=a.png>"</script><textarea><img src=a.png></textarea>`: `<title><img src=a.png></title><script>var x = "<img src=a.png>"</script><textarea><img src=a.png></textarea>`,
	} {
		if got := string(Page([]byte(in), "http://a.example/d/", link)); got != want {
			t.Errorf("%s\nis    %s\nwant  %s", in, got, want)
		}
	}
}

func TestStyle(t *testing.T) {
	for in, want := range map[string]string{
		`@import 'a.css'; @import url(b.css);`:                              `@import "?P=http://a.example/d/a.css"; @import url("?P=http://a.example/d/b.css");`,
		`/* url(x) */ a { content: "url(y)" } @namespace url(http://z/);`:   `/* url(x) */ a { content: "url(y)" } @namespace url(http://z/);`,
		`a{b:url('data:image/svg+xml,<svg x="1">');c:url(\64 .png)}`:        `a{b:url('data:image/svg+xml,<svg x="1">');c:url("?P=http://a.example/d/d.png")}`,
		`a{b:image-set("x.png" 1x, url("y.png") 2x);c:url(#f);d:url(e" f)}`: `a{b:image-set("?P=http://a.example/d/x.png" 1x, url("?P=http://a.example/d/y.png") 2x);c:url(#f);d:url(e" f)}`,
	} {
		if got := string(Style([]byte(in), "http://a.example/d/s.css", link)); got != want {
			t.Errorf("%s\nis    %s\nwant  %s", in, got, want)
		}
	}
}

// Whatever a page is, no attribute by which browsers ask for something names another place.
func FuzzPage(f *testing.F) {
	f.Add(`<img src=a.png srcset="b 1x,, c 2x"><base href=x><style>@import "a"</style><link rel="icon stylesheet" href=x>`)
	f.Add("<a href='&#x6a;avascript:x' ping=y><img/src=//b.example/x\n<style>a{b:url(//c.example")
	f.Fuzz(func(t *testing.T, in string) {
		out := Page([]byte(in), "http://a.example/d/", link)
		z := html.NewTokenizer(strings.NewReader(string(out)))
		for z.Next() != html.ErrorToken {
			token := z.Token()
			if token.Type != html.StartTagToken && token.Type != html.SelfClosingTagToken {
				continue
			}
			for _, a := range token.Attr {
				part := a.Key == "src" && len(parts[token.Data]) > 0
				if v := strings.TrimSpace(a.Val); part && v != "" && !strings.HasPrefix(v, "?P=") && v != nowhere && v[0] != '#' && !strings.HasPrefix(strings.ToLower(v), "data:") || a.Key == "ping" {
					t.Errorf("%q: %s=%q", in, a.Key, a.Val)
				}
			}
		}
	})
}
