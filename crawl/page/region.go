package page

import (
	"bytes"

	"github.com/winnow-crawler/winnow/event"
)

// A section is the state by which the scanner finds the region of a link. It needs no tree:
// the outermost element that begins a region decides about everything inside, so it is
// enough to find the end of that one. Elements of the same name inside are counted.
//
// The region of an element is that of its name, its role, or a word of its class or id. As in
// ARIA, headers and footers inside article, section and main belong to these and begin no
// region. A main element is in no other, so its start ends a region whose end tag is missing.
type section struct {
	region event.Region // 0: none, so that links are content
	key    uint64       // name of the element that began the region
	nested uint64       // name of the elements that depth counts: key, or table if key is td
	depth  int
	inner  int // article, section and main elements around
}

// reads reports whether the attributes of an element decide about the region.
func (x *section) reads(e element) bool {
	return e.props&parts != 0 && (x.region == 0 || x.nextCell(e))
}

// nextCell reports whether an element ends the region because that is a cell of a table and
// so is the element. The end tags of cells are often left out.
func (x *section) nextCell(e element) bool {
	return x.key == keyTD && e.key == keyTD && x.depth == 0
}

var (
	keyTD    = pack([]byte("td"))
	keyTable = pack([]byte("table"))
)

// begin begins a region with an element.
func (x *section) begin(e element, r event.Region) {
	x.region, x.key, x.nested, x.depth = r, e.key, e.key, 0
	if e.key == keyTD {
		x.nested = keyTable
	}
}

// end follows an end tag.
func (x *section) end(e element) {
	if e.tag == tagArticle || e.tag == tagMain {
		x.inner = max(x.inner-1, 0)
	}
	switch {
	case x.region == 0:
	case x.depth > 0 && e.key == x.nested:
		x.depth--
	case x.depth == 0 && (e.key == x.key || e.key == x.nested):
		x.region = 0
	}
}

// region returns the region of a link at pos.
func (s *Scanner) region(k Kind) event.Region {
	switch {
	case !s.opt.Anchors || k == KindLink || k == KindRefresh:
		return event.Elsewhere
	case s.section.region != 0:
		return s.section.region
	}
	return event.Content
}

// startPart follows a start tag of an element that may begin a region.
func (s *Scanner) startPart(e element) {
	defer s.noteMain(e)
	x := &s.section
	switch {
	case e.tag == tagMain:
		x.region = 0
	case x.reads(e):
		x.begin(e, s.regionOf(e))
	case e.key == x.nested:
		x.depth++
	}
	if e.tag == tagArticle || e.tag == tagMain {
		x.inner++
	}
}

// regionOf returns the region that an element begins, 0 if none.
func (s *Scanner) regionOf(e element) event.Region {
	inner := s.section.inner > 0
	switch {
	case e.tag == tagNav, e.tag == tagHeader && !inner:
		return event.Navigation
	case e.tag == tagFooter && !inner:
		return event.Footer
	case s.attrs.have == 0:
		return 0
	}
	if r := roleRegion(s.asWritten(attrRole)); r != 0 {
		return r
	}
	if r := nameRegion(s.asWritten(attrID), inner); r != 0 {
		return r
	}
	return namesRegion(s.asWritten(attrClass), inner)
}

// maxNamed is the largest number of bytes of a class or an id that is read.
const maxNamed = 256

// asWritten returns the beginning of an attribute of the current tag as it is written.
func (s *Scanner) asWritten(a attr) []byte {
	if !s.has(a) {
		return nil
	}
	v := s.attrs.value[a]
	n := min(v.End, v.Start+maxNamed)
	s.examined += int(n - v.Start)
	return s.html[v.Start:n]
}

// roleRegion returns the region of an ARIA role.
func roleRegion(role []byte) event.Region {
	for _, name := range [...]string{"navigation", "banner", "complementary", "menu", "menubar"} {
		if equalFold(role, name) {
			return event.Navigation
		}
	}
	if equalFold(role, "contentinfo") {
		return event.Footer
	}
	return 0
}

// namesRegion returns the region of the first name of a class that names one.
func namesRegion(names []byte, inner bool) event.Region {
	for i := 0; i < len(names); i++ {
		start := i
		for i < len(names) && class[names[i]]&space == 0 {
			i++
		}
		if r := nameRegion(names[start:i], inner); r != 0 {
			return r
		}
	}
	return 0
}

// maxName is the largest number of bytes of a name that may name a region.
const maxName = 32

// mayName reports whether a name may name a region, by its first and last three letters: most
// names do not.
func mayName(name []byte) bool {
	n := len(name)
	if n < len("nav") || n > maxName {
		return false
	}
	first, last := [3]byte{name[0] | 0x20, name[1] | 0x20, name[2] | 0x20}, [3]byte{name[n-3] | 0x20, name[n-2] | 0x20, name[n-1] | 0x20}
	switch string(last[:]) {
	case "nav", "bar", "ion", "enu", "umb", "mbs", "toc", "ger", "der", "ter", "ead", "hon", "ght":
		return true
	}
	switch string(first[:]) {
	case "nav", "bre", "foo":
		return true
	}
	return false
}

// nameRegion returns the region that a name such as "nav", "mainNav" or "site-footer" names:
// by its last part, by all of it, or by its first part. Inside article, section and main it
// is not one of the edges of the page.
func nameRegion(name []byte, inner bool) event.Region {
	if !mayName(name) {
		return 0
	}
	var low [maxName]byte
	first, last := len(name), 0 // ends the first part, begins the last
	for i, c := range name {
		switch {
		case c == '-' || c == '_':
			first, last = min(first, i), i+1
		case class[c]&letter != 0 && c < 'a':
			if i > 0 && name[i-1] >= 'a' {
				first, last = min(first, i), i
			}
			c |= 0x20
		}
		low[i] = c
	}
	all := low[:len(name)]
	r, edge := wordRegion(all[last:])
	if edge && last > 0 && !ofPage(all[:first]) {
		r = 0
	}
	if r == 0 && last > 0 {
		if r, edge = wordRegion(all); r == 0 {
			r, edge = firstRegion(all[:first])
		}
	}
	if r == 0 || edge && inner || negated(all) {
		return 0
	}
	return r
}

// wordRegion returns the region that a word names. Edge: only if the word describes the
// page, and not a part of it.
func wordRegion(word []byte) (r event.Region, edge bool) {
	switch string(word) {
	case "nav", "navbar", "navigation", "menu", "menubar", "sidebar", "breadcrumb", "breadcrumbs", "toc",
		"pagination", "pager", "topnav", "subnav", "sidenav", "navheader", "navfooter", "sphinxsidebar":
		return event.Navigation, false
	case "header", "masthead":
		return event.Navigation, true
	case "footer", "colophon":
		return event.Footer, true
	case "copyright":
		return event.Footer, false
	}
	return 0, false
}

// firstRegion returns the region that a name with several parts names by its first one.
func firstRegion(word []byte) (r event.Region, edge bool) {
	switch string(word) {
	case "nav", "navbar", "breadcrumb", "breadcrumbs":
		return event.Navigation, false
	case "footer":
		return event.Footer, true
	}
	return 0, false
}

// ofPage reports whether a word before header or footer is about the whole page: "card-header"
// is not.
func ofPage(word []byte) bool {
	switch string(word) {
	case "site", "page", "main", "global", "top", "bottom", "web", "app", "doc", "docs":
		return true
	}
	return false
}

// negated reports whether a name describes something beside a region: "has-sidebar",
// "content-with-sidebar", "grid-for-nav".
func negated(name []byte) bool {
	for _, word := range [...]string{"has-", "no-", "with-", "without-", "for-"} {
		if bytes.HasPrefix(name, []byte(word)) || bytes.Contains(name, []byte("-"+word)) {
			return true
		}
	}
	return false
}
