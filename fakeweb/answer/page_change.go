package answer

import (
	"strconv"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
	"github.com/winnow-crawler/winnow/fakeweb/internal/language"
)

// textVersion returns the version by which the words of a page are drawn, apart from its
// news: if versions differ in a sentence only, then that is the same for all of them. The
// highest bit marks an odd copy on a mirror.
func (r *dice) textVersion(version uint32) uint32 {
	if r.opt.Changes.Median == 0 {
		return version
	}
	return version & (1 << 31)
}

// news writes the sentence that differs between versions of the page. Two versions in a row
// never begin with the same clause. Blanks fill it up to one length, so that the text
// behind it stays.
func (c *composer) news(version uint32) {
	r, v := &c.w.rules, c.words
	if r.opt.Changes.Median == 0 {
		return
	}
	base := r.draw(c.site, streamNews, uint64(c.j))
	h := draw.Hash(base, streamNews, uint64(version))
	c.add(`<p class="news">`)
	full := len(c.buf) + 3*v.Longest + 2*len(v.Gap) + len(v.End)
	c.add(v.Openings[(base+uint64(version))%language.Clauses], v.Gap, v.Clauses[h%language.Clauses], v.Gap, v.Clauses[h>>16%language.Clauses], v.End)
	for len(c.buf) < full {
		c.buf = append(c.buf, ' ')
	}
	c.add("</p>\n")
}

// The kinds of noise of a page.
const (
	noiseClock = iota
	noiseCounter
	noiseBanner
	noises
)

// noise returns the kind of noise of page j.
func (r *dice) noise(s *fakeweb.Site, j uint32) (kind uint64, ok bool) {
	return draw.Mix(r.draw(s, streamNoise, uint64(j))) % noises, r.meets(r.opt.Changes.Noise, s, streamNoise, uint64(j))
}

// noise writes what differs at every request: a clock, a counter of visitors, or a banner.
// Each always has the same length, so that the text around it stays.
func (c *composer) noise() {
	kind, ok := c.w.rules.noise(c.site, c.j)
	if !ok {
		return
	}
	count := strconv.FormatUint(1e9+uint64(c.visit), 10)
	switch kind {
	case noiseClock:
		now := c.w.rules.date(c.at).UTC().Truncate(time.Second).Add(time.Duration(c.visit))
		c.add("<p>", now.Format("2006-01-02 15:04:05.000000000"), "</p>\n")
	case noiseCounter:
		c.add("<p>", c.words.Plain[0], " ", count, "</p>\n")
	case noiseBanner:
		c.add(`<script>var banner = `, count, ";</script>\n<img src=\"/banner.png?", count, "\" alt=\"\">\n")
	}
}
