package state

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/winnow-crawler/winnow/crawl/page"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/exchange"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// A robots.txt that moved to a site of another partition is requested by that one, on the clock of
// its site:
//
//	asks                              is asked
//	Ruled, Hop to a foreign site
//	                 -- Ask -->       Asked: the robots.txt of a foreign site moved here
//	                                  Ruled for the foreign site
//	                <-- Rules --
//	Ruled at the foreign site
//
// The site waits in the frontiers of both as it does for a robots.txt that moved within one.

// An Ask asks for a robots.txt.
type Ask struct {
	Site string // whose robots.txt it is
	URL  string // to which it has moved
	Hops uint8  // redirects so far
}

// Rules are what became of a robots.txt that another partition has requested.
type Rules struct {
	Site   string
	Class  event.Class
	Status uint16
	Note   string
	Again  bool          // it is to be requested again after Wait
	Wait   time.Duration // otherwise: how long it holds
	Hop    string        // where it has moved to; "": it has not
	Rules  []byte        `json:",omitempty"` // an empty list and none are the same bytes
	Files  []string      `json:",omitempty"` // sitemap files that it names
}

// pack returns a note as bytes. Notes wait in snapshots, and the same note must always be the same
// bytes. A gob is not: it has numbers of types, which depend on what the process has encoded before.
// For the same reason the head of snapshots is the only gob of the program.
func pack(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // its types are plain
	}
	return b
}

// unpack reads what pack wrote, and reports whether it could.
func unpack(b []byte, v any) bool { return json.Unmarshal(b, v) == nil }

// Asks calls ask, rules and part for the notes of a message that the driver has to act on.
func Asks(notes []exchange.Note, ask func(*Ask), rules func(*Rules), part func(*PartAsk)) {
	for _, n := range notes {
		switch n.Kind {
		case noteAsk:
			if x := new(Ask); unpack(n.Body, x) {
				ask(x)
			}
		case noteRules:
			if x := new(Rules); unpack(n.Body, x) {
				rules(x)
			}
		case notePart:
			if x := new(PartAsk); unpack(n.Body, x) {
				part(x)
			}
		}
	}
}

// ask asks the partition of a site for the robots.txt that moved there.
func (s *State) ask(of, to graph.Site) {
	h := s.Robots.hops[of]
	s.Mail.add(s.Setup.Owner(s.Table.Name(to)), noteAsk, pack(&Ask{string(s.Table.Name(of)), h.URL, uint8(min(h.N, 255))}))
}

// Ask adds to a record what another partition asks for. It reports whether there is room for its
// sites.
func (s *State) Ask(r *journal.Record, x *Ask) bool {
	e := &r.Event
	to, _ := page.Site([]byte(x.URL))
	for _, name := range [][]byte{[]byte(x.Site), to} {
		id, fresh := s.Site(s.Key.Site(name), name)
		if id == graph.NoSite {
			return false
		}
		if !fresh {
			name = nil
		}
		e.Needs = append(e.Needs, id)
		r.Facts.Names.Add(name, nil)
	}
	r.Facts.Hop, r.Facts.Step = x.URL, x.Hops
	if t := e.Needs[1]; s.DeniedHop(x.URL) || int(t) < s.Frontier.Sites() && s.Frontier.Closed(t) {
		e.Bar = event.BarRobots
	}
	return true
}

// asked notes what another partition asks for. If that is not requested, it is told at once.
func (s *State) asked(r *journal.Record) {
	e := &r.Event
	if e.Bar != event.NoBar {
		s.answer(e.Needs[0], notRequested())
		return
	}
	s.Robots.hops[e.Needs[0]] = hop{r.Facts.Hop, int(r.Facts.Step)}
}

// notRequested is the answer about a robots.txt that is not requested.
func notRequested() *Rules {
	return &Rules{Class: event.ServerError, Again: true, Wait: time.Hour, Note: "robots.txt moved to a site that is not requested"}
}

// giveUpAsked tells other partitions that a site is closed to which a robots.txt of theirs has moved.
func (s *State) giveUpAsked(id graph.Site) {
	if _, of := s.Self(); of == 0 || !s.Frontier.Closed(id) || s.IsForeign(id) {
		return
	}
	for _, of := range slices.Sorted(maps.Keys(s.Robots.hops)) {
		if _, here := s.Robots.HopAt(of, id); here && s.IsForeign(of) {
			s.withdrawHop(of)
		}
	}
}

// withdrawHop lets the robots.txt of a site not be requested at the site to which it has moved.
func (s *State) withdrawHop(of graph.Site) {
	if _, moved := s.Robots.hops[of]; moved && s.IsForeign(of) {
		s.answer(of, notRequested())
	}
	delete(s.Robots.hops, of)
}

// answerAsked tells another partition what became of the robots.txt of one of its sites.
func (s *State) answerAsked(r *journal.Record) {
	e, f := &r.Event, &r.Facts
	delete(s.Robots.hops, e.For)
	x := &Rules{Class: e.Class, Status: f.Status, Note: f.Note, Again: e.Again, Wait: e.Expiry - e.End, Hop: f.Hop, Rules: bytes.Clone(f.Rules), Files: f.Files}
	if e.Again {
		x.Wait = e.Due - e.End
	}
	s.answer(e.For, x)
}

func (s *State) answer(of graph.Site, x *Rules) {
	x.Site = string(s.Table.Name(of))
	s.Mail.add(s.Setup.Owner(s.Table.Name(of)), noteRules, pack(x))
}
