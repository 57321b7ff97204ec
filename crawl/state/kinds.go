package state

import (
	"bytes"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/urltable"
)

// kinds learns what doubtful names are (page.ClassDoubtful): on a wiki Node.js is a page,
// elsewhere jquery.js is a script. It counts what became of an extension in a directory and
// on a whole site, by the types of the answers. 16 bytes for each extension and directory
// of which something came.
type kinds struct {
	seen *urltable.Table
	came *graph.Column[uint16] // by number: pages, and above them what was none; 255 at most
	key  urltable.Key
	name []byte // scratch
}

func newKinds(secret [16]byte, pages int) kinds {
	s := urltable.New("kinds", secret, pages, 1)
	return kinds{seen: s, came: graph.NewColumn[uint16]("kinds came", pages), key: s.Key()}
}

// hash is that of an extension in a directory of a site.
func (k *kinds) hash(site graph.Site, dir, extension []byte) uint64 {
	k.name = append(append(append(k.name[:0], extension...), ' '), dir...)
	return k.key.Page(uint64(site), k.name)
}

// note counts an answer.
func (k *kinds) note(hash uint64, isPage bool) {
	n, fresh := k.seen.Page(hash)
	if fresh {
		k.came.Append(0)
	}
	c := k.came.At(int(n))
	switch {
	case isPage && c&0xff < 0xff:
		c++
	case !isPage && c>>8 < 0xff:
		c += 1 << 8
	}
	k.came.Set(int(n), c)
}

// counts are the pages and what was none.
func (k *kinds) counts(hash uint64) (pages, others int) {
	n, ok := k.seen.LookupPage(hash)
	if !ok {
		return 0, 0
	}
	c := k.came.At(int(n))
	return int(c & 0xff), int(c >> 8)
}

// How often doubtful names are asked for: in a directory until so many were none, on a site
// until so many were, and as long as there are pages among them.
const (
	kindTries     = 3
	KindSiteTries = 12
	kindShare     = 4 // what is none may be so many times the pages
)

// doubtful is a name that must be tried, by its directory and its extension.
func (s *State) doubtful(site graph.Site, rest []byte) (dir, extension []byte, ok bool) {
	s.text = append(append(s.text[:0], s.Table.Name(site)...), rest...)
	if page.Extension(s.text) != page.ClassDoubtful {
		return nil, nil, false
	}
	dir, extension = page.Ending(rest)
	return dir, extension, true
}

// NoPage reports whether a page is none by its name: others of its directory or its site
// with the same extension were not.
func (s *State) NoPage(site graph.Site, rest []byte) bool {
	dir, extension, ok := s.doubtful(site, rest)
	if !ok {
		return false
	}
	pages, others := s.kinds.counts(s.kinds.hash(site, dir, extension))
	if others >= kindTries && others > kindShare*pages {
		return true
	}
	if pages > 0 || others < kindTries && page.AboutFiles(dir) && !bytes.Contains(dir, []byte(":/")) {
		return false // its place says more than the rest of the site; archives have too many of them
	}
	pages, others = s.kinds.counts(s.kinds.hash(site, nil, extension))
	return others >= KindSiteTries && others > kindShare*pages
}

// learnKind takes over what became of a page with a doubtful name.
func (s *State) learnKind(e *event.Event) {
	if e.Class != event.OK && e.Class != event.Duplicate && e.Class != event.NotHTML {
		return
	}
	site, rest, ok := s.Read(e.Page)
	if !ok {
		return
	}
	dir, extension, ok := s.doubtful(site, rest)
	if !ok {
		return
	}
	isPage := e.Class != event.NotHTML
	s.kinds.note(s.kinds.hash(site, dir, extension), isPage)
	s.kinds.note(s.kinds.hash(site, nil, extension), isPage)
}
