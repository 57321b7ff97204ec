package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Layouts of documentation as its makers arrange it: {nav} is a list of many links, {text} the
// main text, {foot} a footer. The test pages are made of these and of words that occur in one
// part only, so that what belongs to the main text is known.
var layouts = map[string]string{
	"main element":  `<body><header>{nav}</header><main><h1>{text}</h1><p>{text}<p>{text}</main><footer>{foot}</footer>`,
	"role":          `<body><div class=document><div class=body role=main><h1>{text}</h1><p>{text}</div></div><div class=sphinxsidebar role=navigation>{nav}</div><div class=footer role=contentinfo>{foot}</div>`,
	"wrapper":       `<body class=wy-body-for-nav><div class="wy-grid-for-nav"><nav class=wy-nav-side>{nav}</nav><section class=wy-nav-content-wrap><div role=main class=document><p>{text}<p>{text}</div><footer>{foot}</footer></section></div>`,
	"docbook":       `<body><div class=navheader><table><tr><td>{nav}</table></div><div class=sect1><h2>{text}</h2><p>{text}</div><div class=navfooter>{nav}</div>`,
	"box":           `<body><ul class=nav>{nav}</ul><div class=section><p>{text}<div class=sidebar><p>{text} <a href=x>{text1}</a> {text}</div><p>{text}</div>`,
	"nothing named": `<body><h1>{text}</h1><p>{text}<p>{text}`,
	"open header":   `<body><div class=header><div class=navbar><a href=x>{text1}</a></div><div class=content><p>{text}<ul><li>{text}<li>{text}</ul></div>`,
	"empty main":    `<body><main><div id=app></div></main><p>{text}<p>{text}<footer>{foot}</footer>`,
	"nav in main":   `<body><main><nav>{nav}</nav><article><header><h1>{text}</h1></header><p>{text}</article></main>`,
}

// fill fills a layout and returns the page and the words of its main text.
func fill(layout string) (html string, main []string) {
	n := 0
	words := func(kind string, count int) string {
		var b strings.Builder
		for range count {
			n++
			fmt.Fprintf(&b, "%s%d ", kind, n)
			if kind == "text" {
				main = append(main, fmt.Sprintf("%s%d", kind, n))
			}
		}
		return b.String()
	}
	for {
		at := strings.IndexByte(layout, '{')
		if at < 0 {
			return html + layout, main
		}
		html += layout[:at]
		name, rest, _ := strings.Cut(layout[at+1:], "}")
		switch layout = rest; name {
		case "text":
			html += words("text", 40)
		case "text1":
			html += words("text", 1)
		case "foot":
			html += words("foot", 20) + "<a href=/about>" + words("foot", 3) + "</a>"
		case "nav":
			html += "<ul>"
			for range 30 {
				html += "<li><a href=/x>" + words("nav", 2) + "</a>"
			}
			html += "</ul>"
		}
	}
}

// The main text of pages in these layouts is found with an F1 of at least 0.98 each; that of all
// visible text is below 0.85 on the average.
func TestMainText(t *testing.T) {
	s := NewScanner(ScanOptions{Anchors: true, Main: true})
	sum := 0.0
	for name, layout := range layouts {
		html, want := fill(layout)
		var p Page
		s.Scan([]byte(html), &p)
		got := p.AppendMain([]byte("before "))
		if !strings.HasPrefix(string(got), "before ") {
			t.Fatalf("%s: %.40q", name, got)
		}
		if f := wordF1(want, strings.Fields(string(got[len("before "):]))); f < 0.98 {
			t.Errorf("%s: F1 %.3f: %.300q", name, f, got)
		}
		sum += wordF1(want, strings.Fields(string(p.Text)))
	}
	if full := sum / float64(len(layouts)); full > 0.85 {
		t.Errorf("all visible text has F1 %.3f: the pages have too little beside their texts", full)
	}
}

// wordF1 returns how well words fit those that are wanted, which all differ.
func wordF1(want, got []string) float64 {
	common := 0
	for _, w := range got {
		if slices.Contains(want, w) {
			common++
		}
	}
	return 2 * float64(common) / float64(len(want)+len(got))
}

// Text, digest and links of a page are the same whether its main text is looked for or
// not.
func TestMainChangesNothing(t *testing.T) {
	for name, layout := range layouts {
		html, _ := fill(layout)
		var a, b Page
		NewScanner(ScanOptions{Anchors: true}).Scan([]byte(html), &a)
		NewScanner(ScanOptions{Anchors: true, Main: true}).Scan([]byte(html), &b)
		if string(a.Text) != string(b.Text) || a.Digest != b.Digest || len(a.Links) != len(b.Links) {
			t.Errorf("%s: another page", name)
		}
		if len(a.asides) > 0 {
			t.Errorf("%s: asides that nobody asked for", name)
		}
	}
}
