package score

import "strings"

// Needs is a set of terms, and of quantiles of terms: what a function uses, or what somebody
// keeps for functions.
type Needs struct{ raws, places uint32 } // bits by term

// Uses reports whether a term is in the set, or its quantile.
func (n Needs) Uses(t Term) bool { return (n.raws|n.places)>>t&1 != 0 }

// UsesQuantile reports whether the quantile of a term is in the set.
func (n Needs) UsesQuantile(t Term) bool { return n.places>>t&1 != 0 }

// Cover reports whether all of m is in the set. A quantile has its term with it.
func (n Needs) Cover(m Needs) bool {
	return (n.raws|n.places)&m.raws == m.raws && n.places&m.places == m.places
}

// With returns what is in either set.
func (n Needs) With(m Needs) Needs { return Needs{n.raws | m.raws, n.places | m.places} }

// Links reports whether a term is in the set for which the links of fetched pages are kept.
func (n Needs) Links() bool {
	for _, t := range []Term{PageRank, PageRankRemote, SitePageRank, SitesIn, Authority, AuthorityRemote, HotDistance} {
		if n.Uses(t) {
			return true
		}
	}
	return false
}

// Topic reports whether a term is in the set that needs a topic of the crawl.
func (n Needs) Topic() bool {
	for t, info := range Table() {
		if info.Topic && n.Uses(Term(t)) {
			return true
		}
	}
	return false
}

// String lists the terms.
func (n Needs) String() string {
	var list []string
	for t := range Terms {
		if n.raws>>t&1 != 0 {
			list = append(list, t.String())
		}
		if n.UsesQuantile(t) {
			list = append(list, "q("+t.String()+")")
		}
	}
	return strings.Join(list, " ")
}
