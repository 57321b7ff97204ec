// Package topical makes worlds of which the text is known: synthetic webs with topics, read as a
// crawler reads them. Virtual crawls of such a world have the readings of a real crawl, without a
// server and without pages kept in memory.
package topical

import (
	"bytes"
	"fmt"

	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/subject"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/graph/rank"
	"github.com/winnow-crawler/winnow/lab"
	"github.com/winnow-crawler/winnow/sim"
	"github.com/winnow-crawler/winnow/topic"
)

// A World is a synthetic web with topics, ready for virtual crawls.
type World struct {
	*lab.World
	Answers *answer.World
}

// New returns the world of a web with topics. options are those of its pages, of which only their
// sizes and what concerns plain pages counts: in the laboratory every page can be fetched.
func New(name string, spec fakeweb.Spec, options answer.Options) (*World, error) {
	web, err := fakeweb.New(spec)
	if err != nil {
		return nil, err
	}
	answers, err := answer.New(web, options)
	if err != nil {
		return nil, err
	}
	out := graph.NewLists(spec.Pages, spec.Links)
	off, to := out.Off.Slice(), out.To.Slice()
	sites, n := make([]graph.Site, spec.Pages), 0
	err = web.Each(func(p graph.Page, links []graph.Page) error {
		sites[p] = web.SiteOf(p)
		n += copy(to[n:], links)
		off[p+1] = uint64(n)
		return nil
	})
	if err != nil {
		return nil, err
	}
	w := &lab.World{Name: name, In: rank.Transpose(out), Sim: sim.World{
		Out: out, SiteOf: sites, Sites: spec.Sites, URL: web.AppendURL, SiteName: web.SiteName,
	}}
	return &World{World: w, Answers: answers}, nil
}

// Query returns the topic of a crawl for a topic of the web: its name is the query, and hot pages
// have it once in the title or ten times in the rest.
func Query(number int) (*topic.Topic, error) {
	name := subject.Name(number)
	q, err := topic.Parse(name, name, topic.Rule{})
	if err != nil {
		return nil, err
	}
	return topic.New([]topic.Query{q}, topic.Rule{}, topic.PaperHot())
}

// Searched returns the world of a web with topics, read for one of them.
func Searched(name string, spec fakeweb.Spec, options answer.Options, number, threads int) (*World, error) {
	w, err := New(name, spec, options)
	if err != nil {
		return nil, err
	}
	query, err := Query(number)
	if err != nil {
		return nil, err
	}
	read, err := w.Read(query, threads)
	if err != nil {
		return nil, err
	}
	w.SetReadings(read)
	return w, nil
}

// OnTopic reports which pages are about a topic of the web, by the truth.
func (w *World) OnTopic(number int) []bool {
	on := make([]bool, w.Pages())
	for p := range on {
		on[p] = w.Answers.Web().Subject(graph.Page(p)).Topic == number
	}
	return on
}

// block is the number of pages that are read together.
const block = 256

// Read reads all pages of the world for a topic, some blocks at a time.
func (w *World) Read(t *topic.Topic, threads int) (*lab.Readings, error) {
	pages := w.Pages()
	blocks := make([]lab.Readings, (pages+block-1)/block)
	errs := make([]error, len(blocks))
	graph.Parallel(max(1, threads), len(blocks), func(i int) {
		r := reader{reader: t.NewReader()}
		for p := i * block; p < min((i+1)*block, pages) && errs[i] == nil; p++ {
			r.html = w.Answers.HTML(r.html[:0], graph.Page(p))
			if errs[i] = r.read(w.Sim.Out.Degree(graph.Page(p))); errs[i] != nil {
				errs[i] = fmt.Errorf("page %d: %w", p, errs[i])
			}
			blocks[i].Add(&r.found)
		}
	})
	all := &lab.Readings{Topic: t}
	var one event.Reading
	for i := range blocks {
		if errs[i] != nil {
			return nil, errs[i]
		}
		for p := range graph.Page(blocks[i].Pages()) {
			blocks[i].Read(p, &one)
			all.Add(&one)
		}
	}
	return all, nil
}

// reader reads pages. It keeps its buffers.
type reader struct {
	reader *topic.Reader
	html   []byte
	text   []byte
	edges  []uint32 // of the links in the text
	found  event.Reading
}

// read reads the page in html, which has so many links.
func (r *reader) read(links int) error {
	title := r.strip()
	if len(r.edges) != 2*links {
		return fmt.Errorf("%d links in the text, %d in the graph", len(r.edges)/2, links)
	}
	r.reader.PageWithLinks(title, r.text, r.edges, &r.found)
	for i := range links {
		if anchor, around := r.reader.Link(r.edges, i); anchor|around != 0 {
			r.found.Hits = append(r.found.Hits, event.Hit{Link: uint32(i), Anchor: anchor, Around: around})
		}
	}
	return nil
}

// strip sets text and edges to what html has between its tags, and returns the title, which is
// no part of it. Pages of plain sites have no character references, and no ">" in attributes.
func (r *reader) strip() (title []byte) {
	r.text, r.edges = r.text[:0], r.edges[:0]
	html := r.html
	if _, after, ok := bytes.Cut(html, []byte("<title>")); ok {
		title, html, _ = bytes.Cut(after, []byte("</title>"))
	}
	for len(html) > 0 {
		text, rest, _ := bytes.Cut(html, []byte("<"))
		r.text = append(r.text, text...)
		tag, after, _ := bytes.Cut(rest, []byte(">"))
		if html = after; bytes.HasPrefix(tag, []byte("a ")) || string(tag) == "/a" {
			r.edges = append(r.edges, uint32(len(r.text)))
		} else {
			r.text = append(r.text, '\n')
		}
	}
	return title
}
