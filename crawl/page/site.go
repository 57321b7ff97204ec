package page

import (
	"bytes"
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"

	"github.com/winnow-crawler/winnow/graph"
)

// Site splits a normal form into its site (scheme, host and port, the bytes before the
// third slash, as in package graph) and the rest, path and query. Both are parts of url.
// The two halves are the keys of the URL table: most links stay inside the site, whose
// number is known.
func Site(url []byte) (site, rest []byte) {
	site = graph.SiteOfURL(url)
	return site, url[len(site):]
}

// Host returns the host of a normal form or of a site, without port; IPv6 addresses keep
// their brackets.
func Host(url []byte) []byte {
	host, _ := Site(url)
	if i := bytes.Index(host, []byte("://")); i >= 0 {
		host = host[i+3:]
	}
	if colon := bytes.LastIndexByte(host, ':'); colon > bytes.LastIndexByte(host, ']') {
		host = host[:colon]
	}
	return host
}

// Domain returns the registered domain of a host: the public suffix and one label more.
// Suffixes under which anybody gets a name (github.io, blogspot.com) count as public:
// their customers are strangers to each other. An IP address, a public suffix and a
// name without dots are their own domain.
//
// It costs more than resolving a link: call it once per site and keep the result.
func Domain(host []byte) string {
	name := string(host)
	if len(name) == 0 || name[0] == '[' {
		return name
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return name
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(name)
	if err != nil {
		return name
	}
	return domain
}

// A Class is the kind of content that the extension of a URL suggests.
type Class uint8

const (
	ClassUnknown  Class = iota // no extension, or one that means nothing
	ClassMarkup                // a page in a file
	ClassProgram               // a page made by a program: dynamic
	ClassDoubtful              // text, code, or a page about it: "Node.js", "/blob/main/fork.c"
	ClassPicture               // images
	ClassMedia                 // sound and video
	ClassArchive               // packed files, packages, disk images
	ClassDocument              // PDF, office formats, books
	ClassAsset                 // style sheets, scripts, fonts
	ClassData                  // what programs read: databases, tracks, checksums
)

// MayBePage reports whether a link of this class is worth a request when only HTML is
// wanted. In doubt a page is requested: the class is a guess from the name. What is
// doubtful is requested until its site has shown what it means by such names.
func (c Class) MayBePage() bool { return c <= ClassDoubtful }

// extensionWords lists the extensions of each class, in lower case. What is absent is
// ClassUnknown and worth a request: "xml" may be XHTML or a feed, "com" and "ai" the end of a
// name, "map" a page about the site.
var extensionWords = [...]string{
	ClassMarkup: "html htm xhtml xht shtml shtm stm mht",
	ClassProgram: "php php3 php4 php5 php7 phtml asp aspx ashx asmx jsp jspx jspa jsf jhtml do action " +
		"faces seam cgi fcgi cfm cfml dll nsf lasso adp",
	ClassDoubtful: "js mjs json jsonl csv tsv txt log sql yaml yml toml c h cpp java patch diff pl py rb",
	ClassPicture:  "jpg jpeg jpe jfif png gif webp avif svg svgz ico bmp tif tiff heic jxl psd eps xcf djvu",
	ClassMedia: "mp3 m4a ogg oga opus wav flac aac wma mid midi aiff mp4 m4v webm ogv avi mov mkv wmv " +
		"mpg mpeg flv swf 3gp m3u m3u8",
	ClassArchive: "zip gz tgz bz2 tbz xz txz zst lz lzma 7z rar tar cab jar war apk ipa deb rpm msi exe " +
		"dmg pkg iso img bin whl crx xpi torrent",
	ClassDocument: "pdf ps doc docx docm rtf odt ods odp xls xlsx xlsm ppt pptx pps ppsx epub mobi azw3 " +
		"tex dvi vsd",
	ClassAsset: "css wasm woff woff2 ttf otf eot",
	ClassData:  "sqlite ics vcf kml kmz gpx parquet md5 sha1 sha256 asc sig pem",
}

var extensions = extensionTable()

func extensionTable() map[string]Class {
	table := map[string]Class{}
	for class, words := range extensionWords {
		for _, word := range strings.Fields(words) {
			table[word] = Class(class)
		}
	}
	return table
}

// longestExtension bounds the look-up, in bytes; a test holds it to the table.
const longestExtension = 8

// Extension returns the class of a URL by the last segment of its path. A segment below
// places where sites have pages about files, or behind another URL, is doubtful at most.
func Extension(url []byte) Class {
	path := pathOf(url)
	at := bytes.LastIndexByte(path, '/')
	c := segmentClass(path[at+1:])
	if c > ClassDoubtful && AboutFiles(path[:at+1]) {
		return ClassDoubtful
	}
	return c
}

// AboutFiles reports whether pages in a directory, which ends in a slash, describe
// files rather than being such: wikis and registries name their pages so, and viewers
// of sources and archives the files that they show.
func AboutFiles(dir []byte) bool {
	for _, end := range []string{"/wiki/", "/package/"} {
		if bytes.HasSuffix(dir, []byte(end)) {
			return true
		}
	}
	for _, place := range []string{"/blob/", "/blame/", "/http:/", "/https:/"} {
		if bytes.Contains(dir, []byte(place)) {
			return true
		}
	}
	return false
}

// Ending returns the name of a doubtful URL's kind: its directory on the site and its
// extension, in lower case. What one of them turned out to be, the others may be.
func Ending(rest []byte) (dir, extension []byte) {
	path, _, _ := bytes.Cut(rest, []byte("?"))
	at := bytes.LastIndexByte(path, '/') + 1
	name, _, _ := bytes.Cut(path[at:], []byte(";"))
	return path[:at], bytes.ToLower(name[bytes.LastIndexByte(name, '.')+1:])
}

// Dynamic reports whether a page is made on request, so that a site can have any number of
// them: it has a query, or its path names a program (such pages are followed 5
// links deep by default, all others 15). A program may be anywhere in the path:
// "/index.php/a/b", "/cgi-bin/x". A file of a language in which programs are also shown,
// such as "/demo.py", is one only below "/cgi-bin/" or with a query.
func Dynamic(url []byte) bool {
	if bytes.IndexByte(url, '?') >= 0 {
		return true
	}
	path := pathOf(url)
	for more := true; more; {
		var segment []byte
		segment, path, more = bytes.Cut(path, []byte("/"))
		switch {
		case !more:
			return segmentClass(segment) == ClassProgram
		case string(segment) == "cgi-bin":
			return true
		case segmentClass(segment) == ClassProgram && !hostLike(segment):
			return true
		}
	}
	return false
}

// hostLike reports whether a segment inside a path may be the name of a host, as on
// mirrors and in archives ("/web/www.onet.pl/"): extensions of two letters are countries.
func hostLike(segment []byte) bool {
	return len(segment)-bytes.LastIndexByte(segment, '.') == 3
}

// pathOf returns the path of a normal form.
func pathOf(url []byte) []byte {
	_, rest := Site(url)
	path, _, _ := bytes.Cut(rest, []byte("?"))
	return path
}

// segmentClass looks up what follows the last dot of a segment, up to a path
// parameter. A segment with a colon has no class: "File:Name.jpg" is how wikis name
// the page about a picture. So has one that is nothing but an extension: "/wiki/.exe".
func segmentClass(segment []byte) Class {
	segment, _, _ = bytes.Cut(segment, []byte(";"))
	dot := bytes.LastIndexByte(segment, '.')
	if dot <= 0 || len(segment)-dot-1 > longestExtension || bytes.IndexByte(segment, ':') >= 0 {
		return ClassUnknown
	}
	var buf [longestExtension]byte
	low := buf[:copy(buf[:], segment[dot+1:])]
	for i, c := range low {
		low[i] = urlLower(c)
	}
	return extensions[string(low)]
}

// A Shape describes the form of a URL for the rules against traps: the facts
// only. Rules are elsewhere and may change; these are pure functions of the URL.
type Shape struct {
	Depth   int // path segments that are not empty: 0 for the home page
	Repeats int // how often the most frequent of them occurs
}

// ShapeOf reads the outline of a normal form. It allocates nothing.
func ShapeOf(url []byte) (s Shape) {
	path := pathOf(url)
	var t tally
	for more := len(path) > 0; more; {
		var segment []byte
		segment, path, more = bytes.Cut(path, []byte("/"))
		if len(segment) > 0 {
			s.Depth++
			s.Repeats = max(s.Repeats, t.add(segment))
		}
	}
	return s
}

// maxTally bounds the different segments that are distinguished: comparisons grow with
// its square when all differ, and a URL of 2,048 bytes has room for 1,000 segments.
const maxTally = 64

// A tally counts how often each segment of a path occurs. Paths are short: a list
// without a hash is fast and needs no memory of its own.
type tally struct {
	segments [maxTally][]byte
	counts   [maxTally]int
	n        int
}

// add counts a segment and returns its count. A new one beyond maxTally is not noted.
func (t *tally) add(segment []byte) int {
	for i := range t.n {
		if bytes.Equal(t.segments[i], segment) {
			t.counts[i]++
			return t.counts[i]
		}
	}
	if t.n < maxTally {
		t.segments[t.n], t.counts[t.n] = segment, 1
		t.n++
	}
	return 1
}
