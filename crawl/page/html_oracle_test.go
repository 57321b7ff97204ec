package page

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// found is what the reference and the scanner must agree on.
type found struct {
	title string
	base  string
	links []foundLink
	text  string
}

type foundLink struct {
	kind         Kind
	href, anchor string
}

// ourFind runs the scanner.
func ourFind(page []byte) found {
	var p Page
	NewScanner(ScanOptions{Href: 1 << 20, Anchor: 1 << 20, Title: 1 << 20, Links: 1 << 20}).Scan(page, &p)
	return foundIn(&p)
}

func foundIn(p *Page) found {
	f := found{title: string(p.Title), base: string(p.Base), text: string(p.Text)}
	for _, l := range p.Links {
		if l.Kind != KindRefresh {
			f.links = append(f.links, foundLink{l.Kind, string(p.Href(l)), string(p.Anchor(l))})
		}
	}
	return f
}

// oracle finds the same things with the tokenizer of golang.org/x/net/html. It
// folds white space at the end and not on the way, in strings of its own, and
// shares only the table of elements with the scanner (which of them are blocks).
type oracle struct {
	z       *html.Tokenizer
	found   found
	text    strings.Builder // white space as it comes; '\n' at the borders of blocks
	anchor  int             // where the open anchor begins in text, -1 if none
	based   bool
	foreign int
	outside int
	raw     string // element whose raw text comes next
}

func oracleFind(page []byte) found {
	o := &oracle{z: html.NewTokenizer(bytes.NewReader(page)), anchor: -1}
	for {
		switch tt := o.z.Next(); tt {
		case html.ErrorToken:
			o.closeAnchor()
			o.found.text = foldText(o.text.String())
			return o.found
		case html.TextToken:
			if in, ok := strings.CutPrefix(string(o.z.Raw()), "<![CDATA["); ok && o.foreign > 0 {
				// The tokenizer decodes references in CDATA, against the standard.
				o.addText(strings.TrimSuffix(in, "]]>"))
				continue
			}
			o.addText(string(o.z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			o.start(tt == html.SelfClosingTagToken)
		case html.EndTagToken:
			name, _ := o.z.TagName()
			o.end(string(name))
		}
	}
}

// foldText folds white space: a run becomes one space, or one line break if a
// border of a block (here '\v') is in it.
func foldText(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && strings.IndexByte("\t\n\v\f\r ", s[j]) >= 0 {
			j++
		}
		switch {
		case i == j:
			b.WriteByte(s[i])
			j++
		case strings.Contains(s[i:j], "\v"):
			b.WriteByte('\n')
		default:
			b.WriteByte(' ')
		}
		i = j
	}
	return strings.Trim(b.String(), "\n ")
}

func (o *oracle) addText(s string) {
	raw := o.raw
	o.raw = ""
	switch raw {
	case "script", "style", "iframe", "noembed", "noframes":
		return
	case "title":
		if o.found.title == "" {
			// The tokenizer replaces NUL in raw text, the scanner drops it.
			o.found.title = foldText(strings.ReplaceAll(s, "\uFFFD", ""))
		}
		return
	}
	o.text.WriteString(clean(s))
}

// clean removes what stands for NUL, and '\v', which marks blocks here.
func clean(s string) string {
	return strings.NewReplacer("\x00", "", "\uFFFD", "", "\v", "\x01").Replace(s)
}

func elementOf(name string) element {
	if len(name) > 8 {
		return longElement([]byte(name))
	}
	return elements.find(pack([]byte(name)), len(name))
}

func (o *oracle) start(selfClosing bool) {
	n, more := o.z.TagName()
	name, attrs := string(n), map[string]string{}
	for more {
		var k, v []byte
		k, v, more = o.z.TagAttr()
		if _, twice := attrs[string(k)]; !twice {
			attrs[string(k)] = string(v)
		}
	}
	e := elementOf(name)
	if o.foreign > 0 && e.props&breakout != 0 {
		o.foreign = 0
	}
	if o.foreign > 0 && name == "foreignobject" {
		o.outside, o.foreign = o.foreign, 0
	}
	if e.props&block != 0 {
		o.text.WriteByte('\v')
	}
	o.element(name, attrs, selfClosing)
	o.rawRules(name)
}

// rawRules tells the tokenizer what it cannot know: scripts are not run, and svg
// and math have CDATA and no raw text.
func (o *oracle) rawRules(name string) {
	o.z.AllowCDATA(o.foreign > 0)
	if o.foreign > 0 || name == "noscript" {
		o.z.NextIsNotRawText()
		return
	}
	switch name {
	case "script", "style", "iframe", "noembed", "noframes", "title":
		o.raw = name
	}
}

func (o *oracle) element(name string, attrs map[string]string, selfClosing bool) {
	switch name {
	case "svg", "math":
		if !selfClosing {
			o.foreign++
		}
	case "base":
		if v, ok := attrs["href"]; ok && !o.based {
			o.found.base, o.based = v, true
		}
	case "area":
		o.link(KindArea, attrs, "href", foldText(strings.ReplaceAll(attrs["alt"], "\v", "\x01")))
	case "link":
		if attrs["href"] != "" {
			o.link(KindLink, attrs, "href", "")
		}
	case "frame", "iframe":
		if attrs["src"] != "" {
			o.link(KindFrame, attrs, "src", "")
		}
	case "a":
		o.closeAnchor()
		key := "href"
		if _, ok := attrs[key]; !ok && o.foreign > 0 {
			key = "xlink:href"
		}
		if o.link(KindAnchor, attrs, key, "") {
			o.anchor = o.text.Len()
		}
	case "img":
		if o.anchor >= 0 && attrs["alt"] != "" {
			o.text.WriteString(" " + strings.ReplaceAll(attrs["alt"], "\v", "\x01") + " ")
		}
	}
}

func (o *oracle) end(name string) {
	o.raw = ""
	if elementOf(name).props&block != 0 {
		o.text.WriteByte('\v')
	}
	switch name {
	case "a":
		o.closeAnchor()
	case "svg", "math":
		o.foreign = max(o.foreign-1, 0)
	case "foreignobject":
		o.foreign, o.outside = max(o.foreign, o.outside), 0
	}
	o.z.AllowCDATA(o.foreign > 0)
}

func (o *oracle) link(k Kind, attrs map[string]string, key, anchor string) bool {
	v, ok := attrs[key]
	if ok {
		o.found.links = append(o.found.links, foundLink{k, v, anchor})
	}
	return ok
}

func (o *oracle) closeAnchor() {
	if o.anchor >= 0 {
		o.found.links[o.lastAnchor()].anchor = foldText(o.text.String()[o.anchor:])
		o.anchor = -1
	}
}

func (o *oracle) lastAnchor() int {
	i := len(o.found.links) - 1
	for o.found.links[i].kind != KindAnchor {
		i--
	}
	return i
}
