package history

import (
	"io"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/journal"
)

// A PageCourse is a page with more of what the journal has about it.
type PageCourse struct {
	PageInfo
	Title    string
	Attempts int
	Place    journal.Place // of its last stored answer; a Length of 0 means none
}

// Courses returns some pages with more of what the journal has about them. It calls State and
// reads the journal.
func (c *Crawl) Courses(pages []graph.Page) ([]PageCourse, error) {
	s, err := c.State()
	if err != nil {
		return nil, err
	}
	found := map[graph.Page]*PageCourse{}
	for _, p := range pages {
		found[p] = &PageCourse{}
	}
	ends := &pageEnds{list: make([]pageEnd, s.Frontier.Pages()), notes: map[graph.Page]failure{}, sites: map[graph.Site]failure{}}
	err = c.Each(func(r *journal.Record) error {
		ends.take(r, 0)
		if x := found[r.Event.Page]; x != nil && r.Event.Kind == event.Done {
			x.take(r)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]PageCourse, len(pages))
	for i, p := range pages {
		out[i] = *found[p]
		out[i].PageInfo = info(s, p, ends)
	}
	return out, s.Err
}

func (x *PageCourse) take(r *journal.Record) {
	x.Attempts++
	if r.Event.Class.Failed() {
		return
	}
	if r.Facts.Title != "" {
		x.Title = r.Facts.Title
	}
	if r.Facts.Place.Length > 0 && r.Facts.Revisit == 0 {
		x.Place = r.Facts.Place
	}
}

// langWithin is the number of bytes at the beginning of a page in which its language is looked for.
const langWithin = page.LanguageWithin

// Languages counts the languages that stored pages declare, "" for those that declare none, at
// some places of the archive. Places that cannot be read are left out.
func (c *Crawl) Languages(places []journal.Place) map[string]int64 {
	found, files := map[string]int64{}, map[int]disk.File{}
	for _, p := range places {
		files[int(p.File)] = nil
	}
	list, err := c.parts.Archive.List()
	if err != nil {
		return found
	}
	for _, e := range list {
		n, ok := archive.FileNumber(e.Name)
		if _, wanted := files[n]; !ok || !wanted {
			continue
		}
		if f, err := c.parts.Archive.Open(e.Name, disk.Read); err == nil {
			defer f.Close()
			files[n] = f
		}
	}
	for _, p := range places {
		if f := files[int(p.File)]; f != nil {
			if lang, ok := language(f, p.Offset); ok {
				found[lang]++
			}
		}
	}
	return found
}

// language returns the language that a stored answer declares, "" if it declares none.
func language(f io.ReaderAt, offset int64) (lang string, ok bool) {
	rec, err := archive.NewReaderAt(f, offset, "the archive").Next()
	if err != nil {
		return "", false
	}
	head, body, err := rec.Response()
	if err != nil {
		return "", false
	}
	text, _ := io.ReadAll(io.LimitReader(body, langWithin)) // of a broken body, the beginning counts
	if coding := head.Get("Content-Encoding"); coding != "" {
		var d fetch.Decoder
		text, _ = d.Decode(nil, text, coding, langWithin)
	}
	return page.Language(text, head.Get("Content-Language")), true
}
