package content

import (
	"bytes"

	"github.com/winnow-crawler/winnow/crawl/naming"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/urltable"
)

// Kinds learns what doubtful names are (page.ClassDoubtful): on a wiki Node.js is a page,
// elsewhere jquery.js is a script. It counts the types of the answers for an extension in a
// directory and on a whole site. It takes 16 bytes for each extension and directory with
// an answer.
type Kinds struct {
	names   *naming.Names
	seen    *urltable.Table
	answers *graph.Column[uint16] // by number: pages, and above them what was none; 255 at most
	key     urltable.Key
	name    []byte // scratch
}

// NewKinds returns what is known before the first answer, with room for a number of
// extensions and directories.
func NewKinds(n *naming.Names, secret [16]byte, pages int) Kinds {
	s := urltable.New("kinds", secret, pages, 1)
	return Kinds{names: n, seen: s, answers: graph.NewColumn[uint16]("kinds came", pages), key: s.Key()}
}

// Seen returns the hashes of extensions and directories.
func (k *Kinds) Seen() *urltable.Table { return k.seen }

// hash returns the hash of an extension in a directory of a site.
func (k *Kinds) hash(site graph.Site, dir, extension []byte) uint64 {
	k.name = append(append(append(k.name[:0], extension...), ' '), dir...)
	return k.key.Page(uint64(site), k.name)
}

// note counts an answer.
func (k *Kinds) note(hash uint64, isPage bool) {
	n, fresh := k.seen.Page(hash)
	if fresh {
		k.answers.Append(0)
	}
	c := k.answers.At(int(n))
	switch {
	case isPage && c&0xff < 0xff:
		c++
	case !isPage && c>>8 < 0xff:
		c += 1 << 8
	}
	k.answers.Set(int(n), c)
}

// counts returns how many answers were pages, and how many were not.
func (k *Kinds) counts(hash uint64) (pages, others int) {
	n, ok := k.seen.LookupPage(hash)
	if !ok {
		return 0, 0
	}
	c := k.answers.At(int(n))
	return int(c & 0xff), int(c >> 8)
}

// Doubtful names are requested in a directory until kindTries of them were no pages, and on
// a site until KindSiteTries of them were none; beyond that as long as those that are none
// are at most kindShare times the pages.
const (
	kindTries     = 3
	KindSiteTries = 12
	kindShare     = 4
)

// doubtful returns the directory and the extension of a doubtful name.
func (k *Kinds) doubtful(site graph.Site, rest []byte) (dir, extension []byte, ok bool) {
	if page.Extension(k.names.URL(site, rest)) != page.ClassDoubtful {
		return nil, nil, false
	}
	dir, extension = page.Ending(rest)
	return dir, extension, true
}

// NoPage reports whether a doubtful name is probably no page: others of its directory or
// its site with the same extension were none.
func (k *Kinds) NoPage(site graph.Site, rest []byte) bool {
	dir, extension, ok := k.doubtful(site, rest)
	if !ok {
		return false
	}
	pages, others := k.counts(k.hash(site, dir, extension))
	if others >= kindTries && others > kindShare*pages {
		return true
	}
	if pages > 0 || others < kindTries && page.AboutFiles(dir) && !bytes.Contains(dir, []byte(":/")) {
		return false // its directory proves more than the rest of the site; archives have too many directories
	}
	pages, others = k.counts(k.hash(site, nil, extension))
	return others >= KindSiteTries && others > kindShare*pages
}

// Learn records the answer for a page, if its name is doubtful.
func (k *Kinds) Learn(e *event.Event) {
	if e.Class != event.OK && e.Class != event.Duplicate && e.Class != event.NotHTML {
		return
	}
	site, rest, ok := k.names.Read(e.Page)
	if !ok {
		return
	}
	if dir, extension, ok := k.doubtful(site, rest); ok {
		isPage := e.Class != event.NotHTML
		k.note(k.hash(site, dir, extension), isPage)
		k.note(k.hash(site, nil, extension), isPage)
	}
}
