package state

import (
	"bytes"
	"fmt"
	"net/netip"
	"time"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/crawl/robots"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
	"github.com/winnow-crawler/winnow/urltable"
)

// sites is what is known of each site besides what the frontier and the guard know: 8
// bytes, and the texts that sites share.
type sites struct {
	rules    *graph.Column[uint32] // by site: number of its rules
	admitted *graph.Column[uint32] // by site: pages that are not barred (W26)
	domain   *graph.Column[uint32] // by site: number of its registered domain; it is the guard's

	Texts ruleTexts
	reads *graph.Column[uint64] // bit by site: its sitemap files were named once

	domains domainTable
	shares  *graph.Column[uint32] // by domain: pages that are not barred (W26)

	Ips ipNumbers
}

// newSites adds the columns to saved, or to derived if they follow from others.
func newSites(saved, derived *graph.Set, secret [16]byte, n int) sites {
	s := sites{
		rules:    graph.NewColumnIn[uint32](saved, "site rules", n),
		admitted: graph.NewColumnIn[uint32](saved, "site admitted", n),
		reads:    graph.NewColumnIn[uint64](saved, "site sitemaps read", n/64+1),
		shares:   graph.NewColumnIn[uint32](saved, "domain admitted", n),
		Texts:    newRuleTexts(),
		domains:  domainTable{urltable.New("domain", secret, n, 1)},
		Ips:      NewIPNumbers(derived, 4*n+1024),
	}
	graph.AddTo(derived, s.domains)
	return s
}

// A domainTable finds registered domains by the hash of their names: 14 bytes each.
type domainTable struct{ *urltable.Table }

// Memory calls each once, for all columns together.
func (t domainTable) Memory(each func(name string, bytes int64)) { each("domain names", t.Bytes()) }

// add enters the next site, by its host, and gives its domain.
func (s *sites) add(host []byte) (n uint32, domain string) {
	s.rules.Append(0)
	s.admitted.Append(0)
	domain = page.Domain(host)
	n, fresh := s.domainNumber(domain)
	if fresh {
		s.shares.Append(0)
	}
	return n, domain
}

// Admit counts a page towards the limits of its site.
func (s *sites) Admit(id graph.Site) {
	s.admitted.Slice()[id]++
	s.shares.Slice()[s.domain.At(int(id))]++
}

// dismiss takes back what admit counted. Where records are lost that may be nothing.
func (s *sites) dismiss(id graph.Site) {
	site, domain := &s.admitted.Slice()[id], &s.shares.Slice()[s.domain.At(int(id))]
	*site, *domain = max(*site, 1)-1, max(*domain, 1)-1
}

// RulesOf is what the robots.txt of a site says to us.
func (s *sites) RulesOf(id graph.Site) robots.Rules { return s.Texts.List[s.rules.At(int(id))] }

// SetRules gives a site its rules.
func (s *sites) SetRules(id graph.Site, r robots.Rules) {
	n := s.Texts.use(r)
	s.Texts.drop(s.rules.At(int(id)))
	s.rules.Set(int(id), n)
}

// number is the dense number of an address, from 1 on; see ipNumbers.
func (s *sites) number(a netip.Addr) uint32 { return s.Ips.Number(a) }

// pending is what few sites and pages have for a while.
type pending struct {
	hops    map[graph.Site]hop      // whose robots.txt is to be found elsewhere
	Files   map[graph.Site][]string // sitemap files to fetch
	Trouble map[graph.Site]noRules  // whose robots.txt is unavailable

	Listings map[graph.Site]int // sitemap files known so far, fetched or not, while some are left
	Waiting  int                // bytes of the names of files to fetch
}

// A hop is where the robots.txt of a site has moved to.
type hop struct {
	URL string
	N   int // redirects followed so far
}

// noRules is the failures of a robots.txt in a row.
type noRules struct {
	N     int
	Since time.Duration
}

func newPending() pending {
	return pending{
		hops:    map[graph.Site]hop{},
		Files:   map[graph.Site][]string{},
		Trouble: map[graph.Site]noRules{},

		Listings: map[graph.Site]int{},
	}
}

// mapBytes is about what they take, and the names of files.
func (p *pending) mapBytes() int64 {
	const hop, file, small = 96, 96, 32 // with their share of the tables
	return hop*int64(len(p.hops)) + file*int64(len(p.Files)) + small*int64(len(p.Trouble)+len(p.Listings)) + int64(p.Waiting)
}

// HopAt is where the robots.txt of a site has moved to, if that is at the site which is
// asked for it. Otherwise it moved to a site that was given up then, and the frontier has
// sent the one that moved back to its own robots.txt: nothing of that way counts.
func (s *State) HopAt(of, asked graph.Site) (h hop, ok bool) {
	if h, ok = s.hops[of]; !ok {
		return hop{}, false
	}
	if at, _ := page.Site([]byte(h.URL)); !bytes.Equal(at, s.Table.Name(asked)) {
		return hop{}, false
	}
	return h, true
}

// Ruled takes over what a robots.txt said.
func (s *State) Ruled(r *journal.Record) {
	e := &r.Event
	id := e.For
	s.Bytes += e.Bytes
	s.Cut.files += int64(r.Facts.Dropped)
	switch {
	case e.Hop:
		h, _ := s.HopAt(id, e.Site)
		s.hops[id] = hop{r.Facts.Hop, h.N + 1}
		return
	case e.Again:
		t := s.Trouble[id]
		if t.N == 0 {
			t.Since = e.End
		}
		t.N++
		s.Trouble[id] = t
	case !e.Class.Failed():
		rules, err := robots.Decode(r.Facts.Rules)
		if err != nil { // the record has a checksum, so it was written so
			s.fail(fmt.Errorf("rules of %s in record %d: %w", s.Table.Name(id), r.Seq, err))
		}
		s.SetRules(id, rules)
		if len(r.Facts.Files) > 0 {
			delete(s.Listings, id) // it is read again, from its beginning
		}
		s.AddFiles(id, r.Facts.Files)
	}
	if !e.Again {
		delete(s.Trouble, id) // it has rules, or is given up
	}
	delete(s.hops, id)
}

// Listed takes over the end of a sitemap file.
func (s *State) Listed(r *journal.Record) {
	id := r.Event.Site
	s.Bytes += r.Event.Bytes
	s.triedFile(r)
	if r.Event.Again {
		return
	}
	s.Cut.files += int64(r.Facts.Dropped)
	if f := s.Files[id]; len(f) > 0 {
		s.Waiting -= len(f[0])
	}
	if f := s.Files[id]; len(f) > 1 {
		s.Files[id] = f[1:]
	} else {
		delete(s.Files, id)
	}
	if s.AddFiles(id, r.Facts.Files); len(s.Files[id]) == 0 {
		delete(s.Listings, id)
	}
}

// NamedFiles reports whether the robots.txt of a site has named sitemap files before.
func (s *sites) NamedFiles(id graph.Site) bool {
	return int(id/64) < s.reads.Len() && s.reads.At(int(id/64))>>(id%64)&1 != 0
}

func (s *State) AddFiles(id graph.Site, files []string) {
	if len(files) > 0 {
		s.reads.Grow(int(id/64) + 1)
		s.reads.Slice()[id/64] |= 1 << (id % 64)
		for _, f := range files {
			s.Waiting += len(f)
		}
		s.Files[id] = append(s.Files[id], files...)
		s.Listings[id] += len(files)
	}
}

// maxListings is how many sitemap files of a site are fetched: an index may name itself.
// maxWaiting is how many bytes the names of all files have that wait.
const (
	maxListings = 500
	maxWaiting  = 8 << 20
)

// Fits cuts files to those that may still be fetched of a site of which so many are known.
func (s *State) Fits(known int, files []string) []string {
	files = files[:min(len(files), max(0, maxListings-known))]
	room := maxWaiting - s.Waiting
	for i, f := range files {
		if room -= len(f); room < 0 {
			return files[:i]
		}
	}
	return files
}

// nameDomains numbers the domains of all sites again, as they were numbered when each
// became known.
func (s *sites) nameDomains(seen *urltable.Table) {
	for i := range seen.Sites() {
		s.domainNumber(page.Domain(page.Host(seen.Name(graph.Site(i)))))
	}
}

// domainNumber is the number of a registered domain, and whether it is new.
func (s *sites) domainNumber(domain string) (n uint32, fresh bool) {
	p, fresh := s.domains.Page(s.domains.Key().Page(0, []byte(domain)))
	return uint32(p), fresh
}
