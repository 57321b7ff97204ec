package focused

import (
	"github.com/zeebo/xxh3"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/linear"
	"github.com/winnow-crawler/winnow/policy/order"
	"github.com/winnow-crawler/winnow/score"
)

// The features of a page that are numbers.
const (
	denseBias       = iota
	denseURL        // share of the topic in its URL
	denseAnchor     // and in links to it
	denseAround     // and around them
	denseNamed      // a term is in a link to it
	denseNamedURL   // or in its URL
	denseParent     // similarity of the best page that links to it
	denseHotParent  // a hot page links to it
	denseHotShare   // share of hot pages among those that link to it
	denseSite       // hot pages among the fetched ones of its site, see odds
	denseDirectory  // and of its directory
	denseSiblings   // and of the pages found on the same page
	denseNavigation // it is linked from menus only
	denseElsewhere  // or from footers, or nobody knows
	denseLinks      // logarithm of the links to it
	denseFeatures
)

// priorWeights are weights that fit any topic.
func priorWeights() (w [linear.Numbers]float32) {
	w[denseBias] = -4
	w[denseURL], w[denseAnchor], w[denseAround] = 1, 2, 1
	w[denseNamed], w[denseNamedURL] = 1, 1
	w[denseParent], w[denseHotParent], w[denseHotShare] = 1, 1, 1
	w[denseSite], w[denseDirectory], w[denseSiblings] = 0.2, 0.2, 0.2
	return w
}

// Seeds of the hashes of words.
const (
	saltAnchor = iota + 1
	saltPair
	saltURL
)

// example returns what is known of a page. It is valid until the next call.
func (c *classifier) example(p graph.Page) *linear.Example {
	r, x := &c.pages.Slice()[p], &c.x
	all, hot := r.links()
	x.Reset()
	x.Numbers = [linear.Numbers]float64{
		denseBias: 1, denseURL: r.share(shareURL), denseAnchor: r.share(shareAnchor), denseAround: r.share(shareAround),
		denseParent: r.share(shareParent), denseHotParent: min(1, float64(hot)), denseHotShare: float64(hot) / (float64(all) + 1),
		denseLinks: order.Log2(float64(all)+1) / 4,
	}
	x.Numbers[denseNamed], x.Numbers[denseNamedURL] = above(x.Numbers[denseAnchor]), above(x.Numbers[denseURL])
	share := c.share()
	odds := order.Log2(share / (1 - share))
	x.Numbers[denseSite] = c.sites.odds(int(c.env.Facts.Site(p)), share, odds)
	x.Numbers[denseDirectory] = c.dirs.odds(r.dir(), share, odds)
	if up := c.env.Facts.From(p); up != graph.NoPage {
		x.Numbers[denseSiblings] = c.found.odds(int(up), share, odds)
	}
	switch r.region() {
	case event.Navigation:
		x.Numbers[denseNavigation] = 1
	case event.Content:
	default:
		x.Numbers[denseElsewhere] = 1
	}
	addWords(x, r)
	return x
}

// addWords adds the words of a page and of links to it, and pairs of these: 11 at most.
func addWords(x *linear.Example, r *prospect) {
	words := r.words(prospectWords)
	for j, w := range words[:words.Len()] {
		x.Add(order.Hash(saltAnchor, uint64(w)))
		if j > 0 {
			x.Add(order.Hash(saltPair, uint64(words[j-1]), uint64(w)))
		}
	}
	words = r.words(prospectURLWords)
	for _, w := range words[:words.Len()] {
		x.Add(order.Hash(saltURL, uint64(w)))
	}
}

// above returns 1 for a number above 0, else 0.
func above(v float64) float64 {
	if v > 0 {
		return 1
	}
	return 0
}

// urlWords returns the last words of the path of a URL, as hashes: runs of letters, without those
// that are alone.
func urlWords(url []byte) (words event.Words) {
	path := score.Path(url)
	end := len(path)
	for i := len(path) - 1; i >= -1; i-- {
		if i >= 0 && letter(path[i]) {
			continue
		}
		if end-i > 2 && !words.Add(uint16(xxh3.Hash(path[i+1:end]))) {
			break
		}
		end = i
	}
	return words
}

// letter reports whether a byte of a URL is a letter, or part of one.
func letter(b byte) bool { return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80 || b == '%' }

// denseNames are the features as Explain shows them.
func denseNames() [denseFeatures]string {
	return [denseFeatures]string{
		denseBias: "any page", denseURL: "share of the topic in its URL", denseAnchor: "share of the topic in a link to it",
		denseAround: "share of the topic around a link to it", denseNamed: "a term in a link to it", denseNamedURL: "a term in its URL",
		denseParent: "similarity of a page that links to it", denseHotParent: "a hot page links to it",
		denseHotShare: "share of hot pages that link to it", denseSite: "hot pages of its site",
		denseDirectory: "hot pages of its directory", denseSiblings: "hot pages found beside it",
		denseNavigation: "linked from menus", denseElsewhere: "not linked from a text", denseLinks: "links to it",
	}
}

// Explain returns the probability that p is hot, and what each thing that is known of it adds to
// the logarithm of its odds.
func (c *classifier) Explain(p graph.Page) []order.Factor {
	x := c.example(p)
	list := []order.Factor{{Name: "probability that it is about the topic", Value: c.chances.Of(c.model.Logit(x))}}
	for i, name := range denseNames() {
		if v := c.model.Part(x, i); v != 0 {
			list = append(list, order.Factor{Name: name, Value: v})
		}
	}
	if v := c.model.Words(x); v != 0 {
		list = append(list, order.Factor{Name: "words of links to it and of its URL", Value: v})
	}
	return list
}
