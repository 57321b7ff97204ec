package page

import (
	"strings"
	"testing"
)

// workPerByte bounds how often a byte is looked at: as part of a tag, as a value
// that is checked, unescaped and folded, and in look-ahead for references.
const workPerByte = 8

// hostile are pages that make a careless scanner look at everything again and
// again; each is repeated to a large size.
var hostile = []string{
	"<nav>", "<div class=nav>", "<div class='a b c d'>", "<td id=nav>", "<td class=nav><table>", "</nav>", "<a href=x title='&amp; y'></a>",
	"<", "<a ", "<a", "</", "</a", "</a ", "&", "&#", "&#x", "&a", "&#1", "&notit", "<!--", "<!-", "<!", "-->", "--", "<?", "<![CDATA[", "<svg><![CDATA[", "]]>",
	"<a href=", "<a href='", `<a href="x`, "<a x=", `"`, "'", "=", "<script>", "<script><!--", "<script><!--<script>", "<script></scrip",
	"<title>", "</titl", "<title></titl", "<textarea>", "<plaintext>", "<svg>", "<foreignObject>", "<noscript>", "<p>", "<h1>", "<a href=x>",
	"<a href=x><h1>", "<meta http-equiv=refresh content='0;url=", "<img srcset='a,b 1x, ", "<img srcset='((((", "<a href='&#x;'>", " ", "\x00", "\x00 ", "<>", "a<b", "\r",
}

// TestLinear compares the work for a page with that for one twice as long, counted
// in bytes looked at, and bounds both (design section 11).
func TestLinear(t *testing.T) {
	s, p := NewScanner(ScanOptions{SimHash: true, Anchors: true}), new(Page)
	for _, piece := range hostile {
		var work [2]int
		for i := range work {
			page := strings.Repeat(piece, (i+1)<<20/len(piece))
			s.Scan([]byte(page), p)
			if work[i] = s.examined; work[i] > workPerByte*len(page) {
				t.Errorf("%q: examined %d bytes of %d", piece, work[i], len(page))
			}
		}
		if work[1] > 2*work[0]+work[0]/10+1000 {
			t.Errorf("%q: examined %d bytes, then %d for twice as much", piece, work[0], work[1])
		}
		if len(p.Text) > s.opt.Text || cap(p.Text) > 2*(s.opt.Text+tailBytes) {
			t.Errorf("%q: %d bytes of text in %d", piece, len(p.Text), cap(p.Text))
		}
	}
}

func TestLimits(t *testing.T) {
	s, p := NewScanner(ScanOptions{Links: 3, Href: 8, Anchor: 5, Title: 6, Text: 26}), new(Page)
	page := []byte(`<title>ab cdéfgh</title><h1>one</h1><h2>two</h2><a href=123456789>long</a>` +
		`<a href=1>añoñño</a><a href=2>b</a><area href=3 alt="äöüß"><a href=4>dropped</a> and the rest of it`)
	s.Scan(page, p)
	checkLimits(t, s, page, p)
	if string(p.Title) != "ab cd" || string(p.Text) != "one\ntwo\nlongañoññobdrop" {
		t.Errorf("title %q, text %q", p.Title, p.Text)
	}
	if got := string(p.Anchor(p.Links[0])); got != "año" {
		t.Errorf("anchor %q is not cut between characters", got)
	}
	if got := string(p.Anchor(p.Links[2])); got != "äö" {
		t.Errorf("alt %q is not cut between characters", got)
	}
	if p.Dropped != 2 || p.Cut != CutLinks|CutHref|CutAnchor|CutText {
		t.Errorf("dropped %d, cut %b", p.Dropped, p.Cut)
	}
}

// TestScanAllocates nothing once the buffers have grown.
func TestScanAllocates(t *testing.T) {
	s, p := NewScanner(ScanOptions{SimHash: true}), new(Page)
	for name, page := range testPages(t) {
		s.Scan(page, p)
		if n := testing.AllocsPerRun(10, func() { s.Scan(page, p) }); n != 0 {
			t.Errorf("%s: %v allocations per page", name, n)
		}
	}
}

// TestPageAlone shows that a page holds nothing of the input.
func TestPageAlone(t *testing.T) {
	s, p := NewScanner(ScanOptions{}), new(Page)
	page := testPages(t)["article.html"]
	s.Scan(page, p)
	before := foundIn(p)
	for i := range page {
		page[i] = '<'
	}
	if after := foundIn(p); after.text != before.text || after.title != before.title || after.links[3] != before.links[3] {
		t.Error("the page changed with the input")
	}
}
