package policytest

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	"github.com/winnow-crawler/winnow/policy"
)

// The references below follow the words of the published definitions, page by page
// and step by step, and remember as little as they can.

// backlinks returns the number of fetched pages that link to p.
func backlinks(v *view, p int) (n float64) {
	for _, q := range v.fetched {
		if slices.Contains(v.w.Out[q], p) {
			n++
		}
	}
	return n
}

// opicCash deals the cash out again from the beginning. all: every page has 1 of its own in
// addition. remote: the share of remote links, or negative.
func opicCash(all bool, remote float64) func(*view, int) float64 {
	return func(v *view, page int) float64 {
		cash := map[int]float64{}
		for _, p := range v.w.Seeds {
			if !all {
				cash[p] = 1 / float64(len(v.w.Seeds))
			}
		}
		for _, p := range v.fetched {
			hand, out := cash[p], v.w.Out[p]
			if all {
				hand++
			}
			if len(out) > 0 {
				cash[p] = 0
			}
			far := len(slices.DeleteFunc(slices.Clone(out), func(q int) bool { return v.w.Site[q] == v.w.Site[p] }))
			for _, q := range out {
				switch near := len(out) - far; {
				case remote < 0 || far == 0 || near == 0:
					cash[q] += hand / float64(len(out))
				case v.w.Site[q] != v.w.Site[p]:
					cash[q] += remote * hand / float64(far)
				default:
					cash[q] += (1 - remote) * hand / float64(near)
				}
			}
		}
		return cash[page]
	}
}

// xim adds up c again from the beginning, and counts the pages of all directories.
func xim(v *view) func(int) key {
	c, dir := map[int]float64{}, map[int]string{}
	known, handed := map[string]float64{}, map[string]float64{}
	for _, p := range v.known {
		dir[p] = v.directory(p)
		known[dir[p]]++
	}
	for _, p := range v.fetched {
		for _, q := range v.w.Out[p] {
			c[q] += (0.15 + float64(0.85*c[p])) / float64(len(v.w.Out[p]))
		}
		handed[dir[p]]++
	}
	return func(p int) key {
		return key{(c[p] + 0.1) * math.Sqrt(known[dir[p]]+1) / (handed[dir[p]] + 1)}
	}
}

// directory returns the site of a page and the first three segments of its path, without the
// file; if URLs are not known, the page on which it was found.
func (v *view) directory(page int) string {
	if v.w.URL == nil {
		return fmt.Sprint(slices.IndexFunc(v.fetched, func(q int) bool { return !slices.Contains(v.w.Seeds, page) && slices.Contains(v.w.Out[q], page) }))
	}
	u, err := url.Parse(v.w.URL[page])
	if err != nil {
		panic(err)
	}
	segments := strings.Split(u.EscapedPath(), "/")
	segments = segments[:max(0, len(segments)-1)]
	return u.Scheme + "://" + u.Host + strings.Join(segments[:min(4, len(segments))], "/")
}

// largerSites prefers the site with most known pages not yet handed out; of equal ones, the
// site known first.
func largerSites(v *view) func(int) key {
	open := v.open()
	return func(p int) key {
		left := 0.0
		for _, q := range open {
			if v.w.Site[q] == v.w.Site[p] {
				left++
			}
		}
		return key{left, -float64(v.siteOrder(v.w.Site[p]))}
	}
}

// location looks at the URL with the parser of the standard library.
func location(v *view, p int) float64 {
	u, err := url.Parse(v.w.URL[p])
	if err != nil {
		panic(err)
	}
	n := -float64(strings.Count(u.EscapedPath(), "/"))
	if u.RawQuery != "" {
		n--
	}
	if strings.Contains(v.w.URL[p], "home") || u.Path == "" || u.Path == "/" {
		n++
	}
	return n
}

// historical returns the old value, or the one by the parameter new.
func historical(fresh func(*view, int) float64) func(*view, int) float64 {
	return func(v *view, p int) float64 {
		if old := v.w.Prior[p]; old >= 0 {
			return old
		}
		return fresh(v, p)
	}
}

// parentShare returns the priority of the first page that linked to p, over its links.
func parentShare(v *view, p int) float64 {
	if slices.Contains(v.w.Seeds, p) {
		return 0
	}
	i := slices.IndexFunc(v.fetched, func(q int) bool { return slices.Contains(v.w.Out[q], p) })
	q := v.fetched[i]
	return historical(parentShare)(v, q) / float64(len(v.w.Out[q]))
}

// drawn returns the draw of the place of p in the order of discovery.
func drawn(v *view, p int) float64 {
	var all []float64
	for _, old := range v.w.Prior {
		if old >= 0 {
			all = append(all, old)
		}
	}
	return all[policy.Hash(v.w.Random, uint64(slices.Index(v.known, p)))%uint64(len(all))]
}

// webbase serves the next queue in turn, after the one served last, that has pages.
func webbase(queues int) reference {
	queue := func(v *view, p int) int {
		h := uint64(14695981039346656037)
		for _, b := range []byte(v.w.SiteName(v.w.Site[p])) {
			h = (h ^ uint64(b)) * 1099511628211
		}
		return int(h % uint64(queues))
	}
	return func(v *view) func(int) key {
		next := 0
		if n := len(v.fetched); n > 0 {
			next = queue(v, v.fetched[n-1]) + 1
		}
		return func(p int) key { return key{-float64((queue(v, p) - next + queues) % queues)} }
	}
}

// siteAtATime repeats the crawl with a ring of open sites and a line of waiting ones.
func siteAtATime(hosts int, random bool) func() reference {
	return func() reference {
		return func(v *view) func(int) key {
			old := newView(v.w)
			var ring, line []int
			arrange := func() {
				open := old.open()
				for _, p := range open {
					if s := v.w.Site[p]; !slices.Contains(ring, s) && !slices.Contains(line, s) {
						line = append(line, s)
					}
				}
				if random {
					slices.SortStableFunc(line, func(a, b int) int {
						return cmp.Compare(policy.Hash(v.w.Random, uint64(siteNumber(old, a))), policy.Hash(v.w.Random, uint64(siteNumber(old, b))))
					})
				}
				for len(ring) < hosts && len(line) > 0 {
					ring, line = append(ring, line[0]), line[1:]
				}
			}
			arrange()
			for _, p := range v.fetched {
				old.fetch(p)
				s := v.w.Site[p]
				ring = slices.DeleteFunc(ring, func(r int) bool { return r == s })
				if slices.ContainsFunc(old.open(), func(q int) bool { return v.w.Site[q] == s }) {
					ring = append(ring, s)
				}
				arrange()
			}
			return func(p int) key {
				if i := slices.Index(ring, v.w.Site[p]); i >= 0 {
					return key{-float64(i)}
				}
				return key{math.Inf(-1)}
			}
		}
	}
}

// siteNumber returns the number of a site in the order in which sites become known.
func siteNumber(v *view, site int) int {
	var sites []int
	for _, p := range v.known {
		if s := v.w.Site[p]; !slices.Contains(sites, s) {
			sites = append(sites, s)
		}
	}
	return slices.Index(sites, site)
}

// batch solves at steps 0, k, 2k..., or by the ramp; pages found since have 0.
func batch(k int, ramp bool) reference {
	var ranks []float64
	next := 0
	return func(v *view) func(int) key {
		if ramp && ranks == nil {
			ranks, next = make([]float64, len(v.w.Out)), len(v.w.Seeds)
		}
		if step := len(v.fetched); step == next {
			ranks = pageRank(v.seen(), v.known)
			if next += k; ramp && step < k {
				next = min(2*step, k)
			}
		}
		return func(p int) key { return key{ranks[p]} }
	}
}

// mix hands out pages by these policies in turn, over and over.
func mix(turns ...string) func() reference {
	return func() reference {
		all := map[string]reference{}
		for _, name := range turns {
			if all[name] == nil {
				all[name] = references()[name]()
			}
		}
		return func(v *view) func(int) key {
			of := map[string]func(int) key{}
			for name, r := range all {
				of[name] = r(v)
			}
			return of[turns[len(v.fetched)%len(turns)]]
		}
	}
}

// partial adds to that, for pages found since the solve, what fetched pages hand on.
func partial(k int) reference {
	var ranks []float64
	var since int // pages known at the solve
	return func(v *view) func(int) key {
		step := len(v.fetched)
		if last := step - 1; step > 0 {
			p := v.fetched[last]
			for _, q := range v.w.Out[p] {
				if slices.Index(v.known, q) >= since && !slices.Contains(v.fetched, q) {
					ranks[q] += ranks[p] / float64(len(v.w.Out[p]))
				}
			}
		}
		if step%k == 0 {
			ranks = pageRank(v.seen(), v.known)
			since = len(v.known)
		}
		return func(p int) key { return key{ranks[p]} }
	}
}
