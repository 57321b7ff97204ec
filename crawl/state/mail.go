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
	noteTwin              // a text that this partition had first was fetched elsewhere: content.Text
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
				s.Mirrors.compare(part, x, graph.NoPage)
			}
		case noteEcho:
			if x, ok := content.ReadText(n.Body); ok {
				s.Mirrors.echoed(x)
			}
		case noteTwin:
			if x, ok := content.ReadText(n.Body); ok {
				s.Mirrors.twinned(x)
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
		s.Mirrors.compare(self, x, e.Page)
	}
}

// compare looks whether another partition had a text before. If so it tells both: the one that has it
// now, and the first. The page is that of this partition, NoPage if the text is from another.
func (m *mirrors) compare(part int, x content.Text, p graph.Page) {
	s := m.s
	self, of := s.Self()
	first, had := s.Echoes.Add(x.In(part))
	from := first.Part()
	if !had || from >= of || from == part {
		return
	}
	if part == self {
		m.repeat(p, first)
	} else {
		s.Mail.add(part, noteEcho, first.Append(nil))
	}
	if from == self {
		m.twinned(x.In(part))
	} else {
		s.Mail.add(from, noteTwin, x.In(part).Append(nil))
	}
}

// echoed notes that a page was fetched elsewhere with the content of one of this partition, before that.
func (m *mirrors) echoed(x content.Text) {
	if p, ok := m.s.Content.PageOf(x.Hash); ok {
		m.repeat(p, x)
	}
}

// repeat notes that a page has a content that was fetched elsewhere before, at a path.
func (m *mirrors) repeat(p graph.Page, first content.Text) {
	s := m.s
	site, rest, ok := s.Read(p)
	if !ok {
		return
	}
	s.Traps.Guard.Echoed(site, !s.has(p, dull))
	if first.At(s.Key.Page(0, rest)) {
		m.echo(site, first.Part())
	}
}

// twinned notes that the content of a page of this partition was fetched elsewhere later. Of two sites
// that are fetched side by side each has about half of the texts first, so both count.
func (m *mirrors) twinned(x content.Text) {
	s := m.s
	p, ok := s.Content.PageOf(x.Hash)
	if !ok {
		return
	}
	if site, rest, ok := s.Read(p); ok && x.At(s.Key.Page(0, rest)) {
		m.echo(site, x.Part())
	}
}

// echo counts a page of a site that another partition has at the same path. The site is discounted if
// that holds for nearly all of its pages, and if it is the mirror of the two.
func (m *mirrors) echo(site graph.Site, part int) {
	self, _ := m.s.Self()
	n := int(site) + 1
	m.echoes.Grow(n)
	if at := &m.echoes.Slice()[site]; *at < mostPaths {
		*at++
	}
	if n := int(m.echoes.At(int(site))); n >= mirrorPaths && m.s.Traps.Guard.IsEcho(site, n, self > part) {
		m.s.Frontier.DiscountSite(site)
	}
}
