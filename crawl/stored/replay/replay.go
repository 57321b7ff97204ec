// Package replay rewrites stored pages and styles, so that a browser that shows one gets what it
// names from the archive and from nowhere else.
//
// It changes addresses and leaves the rest as it is. What could reach elsewhere without a request
// that a content security policy sees is taken out: hints to connect, pings, redirects in the page,
// and the policy of the page itself, which does not know where its files are now. It does not make
// a page harmless: scripts stay, and whoever serves the page must forbid them.
package replay

import (
	"bytes"
	neturl "net/url"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/page"
	"golang.org/x/net/html"
)

// A Linker returns the address at which the copy of a URL is. The address must be valid in a URL
// and have no quotes. leads reports that the URL is the target of a link, and no part of the page.
type Linker func(url string, leads bool) string

// Style returns a style in UTF-8, stored under a URL, with other addresses.
func Style(css []byte, url string, to Linker) []byte {
	w := newRewriter(url, to)
	return w.style(css)
}

// Page returns a page in UTF-8, stored under a URL, with other addresses.
func Page(text []byte, url string, to Linker) []byte {
	w := newRewriter(url, to)
	z := html.NewTokenizer(bytes.NewReader(text))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return append(w.out, z.Raw()...)
		case html.StartTagToken, html.SelfClosingTagToken:
			raw := slices.Clone(z.Raw()) // Token changes it
			w.tag(raw, z.Token())
		case html.TextToken:
			if w.inStyle {
				w.out = append(w.out, w.style(z.Raw())...)
			} else {
				w.out = append(w.out, z.Raw()...)
			}
		default:
			w.inStyle = false
			w.out = append(w.out, z.Raw()...)
		}
	}
}

// A rewriter rewrites one page or style.
type rewriter struct {
	to      Linker
	base    page.Resolver
	usable  bool // base is set
	based   bool // by an element
	inStyle bool
	out     []byte
}

func newRewriter(url string, to Linker) *rewriter {
	w := &rewriter{to: to}
	w.usable = w.base.Document([]byte(url)).Usable()
	return w
}

// nowhere is an address that asks for nothing.
const nowhere = "about:invalid"

// address returns the address of what a reference names. One into the page itself, or with its data,
// stays.
func (w *rewriter) address(ref string, leads bool) string {
	trimmed := strings.TrimSpace(ref)
	if trimmed == "" || trimmed[0] == '#' || len(trimmed) > 5 && strings.EqualFold(trimmed[:5], "data:") {
		return ref
	}
	ref = trimmed
	if !w.usable {
		return nowhere
	}
	url, v := w.base.Resolve(nil, []byte(ref))
	if !v.Usable() {
		return nowhere
	}
	to := w.to(string(url), leads)
	if _, after, ok := strings.Cut(ref, "#"); ok {
		to += "#" + (&neturl.URL{Fragment: after}).EscapedFragment()
	}
	return to
}

func (w *rewriter) style(css []byte) []byte {
	return page.ReplaceCSSURLs(nil, css, func(url []byte) string {
		if a := w.address(string(url), false); a != string(url) {
			return a
		}
		return ""
	})
}

// parts are the attributes of elements that name what the page shows, and leads those that name where
// a link leads.
var (
	parts = map[string][]string{
		"img": {"src"}, "source": {"src"}, "input": {"src"}, "video": {"src", "poster"}, "audio": {"src"}, "track": {"src"},
		"iframe": {"src"}, "frame": {"src"}, "embed": {"src"}, "object": {"data"}, "script": {"src"}, "link": {"href"},
		"image": {"href", "xlink:href"}, "use": {"href", "xlink:href"}, "feimage": {"href", "xlink:href"},
		"body": {"background"}, "table": {"background"}, "td": {"background"}, "th": {"background"}, "tr": {"background"},
	}
	leads = map[string][]string{"a": {"href", "xlink:href"}, "area": {"href"}}
	// dropped are attributes that ask for something else, or that hold for other bytes.
	dropped = []string{"ping", "integrity", "crossorigin", "nonce", "formaction", "attributionsrc", "srcdoc"}
)

// tag writes a start tag.
func (w *rewriter) tag(raw []byte, t html.Token) {
	w.inStyle = t.Data == "style"
	switch {
	case t.Data == "base":
		w.rebase(&t)
		return
	case t.Data == "meta" && has(&t, "http-equiv", "refresh", "content-security-policy", "x-dns-prefetch-control", "set-cookie"):
		return
	case t.Data == "link" && !shows(attribute(&t, "rel")):
		return
	}
	kept := t.Attr[:0]
	changed := false
	for _, a := range t.Attr {
		name := a.Key
		if a.Namespace != "" {
			name = a.Namespace + ":" + a.Key
		}
		was := a.Val
		switch {
		case slices.Contains(dropped, name):
			changed = true
			continue
		case name == "style":
			a.Val = string(w.style([]byte(a.Val)))
		case name == "srcset" || name == "imagesrcset":
			a.Val = w.set(a.Val)
		case slices.Contains(parts[t.Data], name):
			a.Val = w.address(a.Val, false)
		case slices.Contains(leads[t.Data], name):
			a.Val = w.address(a.Val, true)
		}
		changed = changed || a.Val != was
		kept = append(kept, a)
	}
	if !changed {
		w.out = append(w.out, raw...)
		return
	}
	t.Attr = kept
	w.out = append(w.out, t.String()...)
}

// rebase sets the base of addresses. The first element with one counts.
func (w *rewriter) rebase(t *html.Token) {
	href := attribute(t, "href")
	if href == "" || w.based || !w.usable {
		return
	}
	w.based = w.base.Rebase([]byte(strings.TrimSpace(href))).Usable()
}

// shows reports whether a link with these relations is something that the page shows.
func shows(rel string) bool {
	return slices.ContainsFunc(strings.Fields(strings.ToLower(rel)), func(r string) bool {
		return r == "stylesheet" || r == "icon" || r == "apple-touch-icon"
	})
}

// set returns a srcset (WHATWG 4.8.4.3.10) with other addresses.
func (w *rewriter) set(text string) string {
	var list []string
	for text != "" {
		text = strings.TrimLeft(text, " \t\n\f\r,")
		end := strings.IndexAny(text, " \t\n\f\r")
		if end < 0 {
			end = len(text)
		}
		url := strings.TrimRight(text[:end], ",")
		if url == "" {
			break
		}
		text = text[len(url):]
		next := strings.IndexByte(text, ',')
		if next < 0 {
			next = len(text)
		}
		list = append(list, strings.TrimSpace(w.address(url, false)+" "+strings.TrimSpace(text[:next])))
		text = text[next:]
	}
	return strings.Join(list, ", ")
}

// attribute returns the value of the first attribute with a name.
func attribute(t *html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// has reports whether an attribute has one of some values.
func has(t *html.Token, name string, values ...string) bool {
	v := strings.ToLower(strings.TrimSpace(attribute(t, name)))
	return slices.Contains(values, v)
}
