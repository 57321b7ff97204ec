package answer

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Header fills in the header fields.
func (a *Answer) Header(h http.Header) {
	rules := &a.w.rules
	if a.mime != "" && a.Status != http.StatusNotModified {
		h["Content-Type"] = []string{a.mime}
	}
	if length := a.length(); length >= 0 && a.Status != http.StatusNotModified {
		h["Content-Length"] = []string{strconv.Itoa(length)}
	}
	if a.coding != "" {
		h["Content-Encoding"] = []string{a.coding}
	}
	if len(rules.opt.Encodings) > 0 {
		h["Vary"] = []string{"Accept-Encoding"}
	}
	if a.location != nil {
		h["Location"] = []string{string(a.location)}
	}
	if a.etag != "" {
		h["Etag"] = []string{a.etag}
	}
	if !a.date.IsZero() {
		h["Last-Modified"] = []string{a.date.UTC().Format(http.TimeFormat)}
	}
	if a.tag != "" {
		h["X-Robots-Tag"] = []string{a.tag}
	}
	a.retryAfter(h)
	if rules.meets(rules.opt.NoKeepAlive, &a.site, streamKeepAlive, 0) {
		h["Connection"] = []string{"close"}
	}
}

// length returns the Content-Length; negative for none.
func (a *Answer) length() int {
	switch {
	case a.Endless || a.Manner == SendDrip:
		return -1
	case a.Manner == SendLess:
		return 5 << 40
	}
	return len(a.Body) + a.Filler
}

func (a *Answer) retryAfter(h http.Header) {
	switch {
	case !a.RetryAt.IsZero():
		h["Retry-After"] = []string{a.RetryAt.UTC().Format(http.TimeFormat)}
	case a.RetryAfter > 0:
		h["Retry-After"] = []string{strconv.Itoa(int(a.RetryAfter / time.Second))}
	}
}

// Fill calls write with the additional text of a large page, until it has its size or write
// returns false. It reports whether all of it was written.
func (a *Answer) Fill(write func([]byte) bool) bool {
	text := fillerText
	switch {
	case a.Kind == KindRobots:
		text = robotsFiller
	case a.Filler > 0 && a.w.rules.class(&a.of, a.j) == Crowd:
		return a.crowd(write)
	}
	for left := a.Filler; left > 0 || a.Endless; {
		n := len(text)
		if !a.Endless {
			n = min(left, n)
		}
		if !write(text[:n]) {
			return false
		}
		left -= n
	}
	return true
}

// crowd writes the links of a crowded page.
func (a *Answer) crowd(write func([]byte) bool) bool {
	const piece = 2000
	for n := 0; n < a.w.rules.opt.CrowdLinks; n += piece {
		a.composer.spare = appendCrowdLinks(a.composer.spare[:0], n, min(n+piece, a.w.rules.opt.CrowdLinks))
		if !write(a.composer.spare) {
			return false
		}
	}
	return true
}

// fillerText is a piece of a large page, robotsFiller one of a robots.txt without end.
var (
	fillerText   = []byte(strings.Repeat("<p>and so on, and so on, for ever and a day</p>\n", 1<<10))
	robotsFiller = []byte(strings.Repeat("# and so on, and so on, for ever and a day\n", 1<<10))
)

// breakCoding makes sure that the content coding cannot be undone: there is none, or a part
// is missing, or bytes in the middle are wrong.
func (a *Answer) breakCoding() {
	half := len(a.Body) / 2
	switch how := a.w.rules.draw(&a.of, streamCoding, uint64(a.j)) % 3; {
	case a.coding == "":
		a.coding = "gzip"
	case how == 0:
		a.Body = a.Body[:half]
	case how == 1 && a.coding == "gzip":
		for i := range min(16, half) {
			a.Body[half+i] ^= 0x5a
		}
	default:
		a.Body = append(a.Body[:0], "these bytes were never compressed"...)
	}
}
