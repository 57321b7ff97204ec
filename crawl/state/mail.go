package state

import (
	"encoding/binary"
	"slices"

	"github.com/winnow-crawler/winnow/crawl/content"
	"github.com/winnow-crawler/winnow/crawl/trap"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/exchange"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/journal"
)

// Kinds of notes, which partitions tell each other besides links.
const (
	noteDomain = iota + 1 // where a domain hangs: trap.Word
	noteText              // a text that was fetched, to the partition that compares it: content.Text
	noteEcho              // such a text was fetched elsewhere before
	noteAsk               // the robots.txt of a site has moved to one of the other partition: Ask
	noteRules             // what became of it: Rules
	noteWant              // what a partition gives back of its budget, and whether it asks for more: Want
	noteGrant             // what it may fetch: Grant
	notePart              // a page needs something of a site of the other partition: PartAsk
)

// mail is what is to be told other partitions besides links. It follows from the records, like all
// of the state.
type mail struct {
	s   *State
	out [][]exchange.Note // by partition
	// urgent marks partitions that wait for a note. It is no part of the state.
	urgent []bool
}

// mailBytes is about the largest number of bytes of notes in a message.
const mailBytes = 256 << 10

// connect lets the parts of the state talk to other partitions, if there are some.
func (s *State) connect() {
	self, of := s.Self()
	s.Mail.s, s.Budget = s, newBudget(self, of)
	if of == 0 {
		return
	}
	s.Mail.out, s.Mail.urgent = make([][]exchange.Note, of), make([]bool, of)
	s.Echoes = content.NewEchoes(&s.Saved, s.Setup.secret, s.Setup.Frontier.MaxPages)
	s.Traps.Guard.Connect(&trap.Abroad{Self: self, Of: of, Tell: s.Mail.domain, Number: s.Limits.domainAt})
}

// add adds a note for a partition, or for all others.
func (m *mail) add(part int, kind uint8, body []byte) {
	self, _ := m.s.Self()
	if part >= 0 {
		m.urgent[part] = m.urgent[part] || kind == noteWant || kind == noteGrant
		m.out[part] = append(m.out[part], exchange.Note{Kind: kind, Body: body})
		return
	}
	for i := range m.out {
		if i != self {
			m.add(i, kind, body)
		}
	}
}

// take takes the first notes for a partition.
func (m *mail) take(part int) []exchange.Note {
	all := m.out[part]
	n, size := 0, 0
	for n < len(all) && size < mailBytes {
		size += len(all[n].Body)
		n++
	}
	m.out[part] = all[n:]
	m.urgent[part] = m.urgent[part] && n < len(all)
	return all[:n:n]
}

// copy returns the notes for a snapshot, which is written while others are added.
func (m *mail) copy() (out [][]exchange.Note) {
	for _, list := range m.out {
		out = append(out, slices.Clone(list))
	}
	return out
}

// bytes returns about how many bytes the notes take.
func (m *mail) bytes() (n int64) {
	const note = 80
	for _, list := range m.out {
		n += note * int64(len(list))
	}
	return n
}

// Pending returns how much there is to tell a partition: see frontier.Frontier.Pending.
func (s *State) Pending(part int) int {
	n := s.Frontier.Pending(part)
	if self, _ := s.Self(); part != self && part < len(s.Mail.out) {
		n += len(s.Mail.out[part])
	}
	return n
}

// Urgent reports whether a partition waits for what there is to tell.
func (m *mail) Urgent(part int) bool { return m.urgent[part] }

// hear applies what a partition has told.
func (s *State) hear(part int, notes []byte) {
	for _, n := range exchange.DecodeNotes(notes) {
		switch n.Kind {
		case noteDomain:
			if w, ok := readWord(n.Body); ok {
				s.Traps.Guard.Heard(part, &w)
			}
		case noteText:
			if x, ok := content.ReadText(n.Body); ok {
				s.compare(part, x)
			}
		case noteEcho:
			if x, ok := content.ReadText(n.Body); ok {
				s.echoed(x)
			}
		case noteWant:
			if x := new(Want); unpack(n.Body, x) && s.Budget.Purse != nil {
				s.Budget.Purse.Tell(part, x.Back, x.Limit, x.More)
			}
		case noteGrant:
			if x := new(Grant); unpack(n.Body, x) {
				s.Budget.got(&s.Mail, x)
			}
		}
	}
}

// domain tells where a domain hangs.
func (m *mail) domain(part int, w trap.Word) {
	b := binary.LittleEndian.AppendUint64(nil, w.Domain)
	b = binary.LittleEndian.AppendUint32(b, w.News)
	for _, h := range w.Path {
		b = binary.LittleEndian.AppendUint64(b, h)
	}
	m.add(part, noteDomain, b)
}

func readWord(b []byte) (w trap.Word, ok bool) {
	if len(b) < 12 || len(b)%8 != 4 {
		return w, false
	}
	w.Domain, w.News = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:])
	for b = b[12:]; len(b) > 0; b = b[8:] {
		w.Path = append(w.Path, binary.LittleEndian.Uint64(b))
	}
	return w, true
}

// noteText lets the partition compare the content of a fetched page that compares such contents. It
// is called before the page counts.
func (s *State) noteText(r *journal.Record) {
	self, of := s.Self()
	e, f := &r.Event, &r.Facts
	if of == 0 || e.Class != event.OK || f.Status == journal.NotModified || f.Digest == [16]byte{} {
		return
	}
	if _, _, known := s.Content.Original(f.Digest); known {
		return // this partition has it
	}
	_, rest, ok := s.Read(e.Page)
	if !ok {
		return
	}
	x := content.Text{Hash: s.Content.Hash(f.Digest), Path: s.Key.Page(0, rest)}
	if part := int(x.Hash % uint64(of)); part != self {
		s.Mail.add(part, noteText, x.Append(nil))
	} else {
		s.compare(self, x)
	}
}

// compare looks whether another partition had a text before, and if so tells the one that has it
// now.
func (s *State) compare(part int, x content.Text) {
	self, _ := s.Self()
	path, had := s.Echoes.Add(x)
	switch {
	case !had:
	case part == self:
		x.Path = path
		s.echoed(x)
	default:
		x.Path = path
		s.Mail.add(part, noteEcho, x.Append(nil))
	}
}

// echoed notes that a page was fetched elsewhere with the content of one of this partition. The
// site is discounted if that holds for nearly all of its pages, at the same paths.
func (s *State) echoed(x content.Text) {
	p, ok := s.Content.PageOf(x.Hash)
	if !ok {
		return
	}
	site, rest, ok := s.Read(p)
	if !ok {
		return
	}
	s.Traps.Guard.Echoed(site, !s.has(p, dull))
	if s.Key.Page(0, rest) == x.Path {
		s.Mirrors.echo(site)
	}
}

// echo counts a page of a site that another partition has at the same path.
func (m *mirrors) echo(site graph.Site) {
	n := int(site) + 1
	m.echoes.Grow(n)
	if at := &m.echoes.Slice()[site]; *at < mostPaths {
		*at++
	}
	if n := int(m.echoes.At(int(site))); n >= mirrorPaths && m.s.Traps.Guard.IsEcho(site, n) {
		m.s.Frontier.DiscountSite(site)
	}
}
