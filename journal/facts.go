package journal

import (
	"net/netip"
	"time"
)

// Facts is what a crawl of the real Web keeps beside an event: what the frontier does not
// need to know, but people, the archive and a crawl that is started again do. Each
// field names the kinds of event that have it; of other kinds it is not written, and
// zero when it is read. A simulation has none at all.
type Facts struct {
	Names  Names  // Seed, Done, Listed: URLs of Event.New, all or none; Ruled: name of a new site To
	Status uint16 // Ruled, Listed, Done: of HTTP; 0 none
	Place  Place  // Ruled, Listed, Done: of the answer in the archive
	// Payload is the digest of the body as it was stored, with the byte of its
	// algorithm before it (Done).
	Payload []byte
	Digest  [16]byte // Done: of the structural text
	SimHash uint64   // Done
	Near    uint32   // Done: 1 + the page that had nearly the same content before; 0: none had
	Size    int64    // Ruled, Listed, Done: bytes of the body without its content coding

	// What the page is compared by beside its digest (Done). Targets is of its links and
	// pictures: with Digest it reports whether two pages are the same. Change is of its words
	// without numbers. Terms is the set of its words, of a page with few of them. Numbers and
	// Pictures are there if its words alone were known on its site.
	Targets  uint64
	Change   uint64
	Terms    uint64
	Numbers  [8]uint32 // from the first 0 on there are no more
	Pictures uint32
	Trial    bool // Admitted: nothing speaks for the pages, and what they bring decides

	Media    string // Done: media type
	ETag     string // Done: validators, to ask only for what has changed
	Modified string // Done
	Title    string // Done
	Tags     uint8  // Done: robots.Tags of the page
	Cut      uint8  // Done: limits that were hit, page.Cut
	Dropped  uint32 // Done: links that those limits left out; Ruled, Listed: sitemap files and entries

	Rules []byte       // Ruled: as robots.Rules.AppendBinary has them
	Hop   string       // Ruled with Event.Hop: URL to which robots.txt moved
	Files []string     // Ruled, Listed: sitemap files that became known; Withdrawn: those that are not to be asked for
	Addrs []netip.Addr // Resolved: the first is the one in use
	Note  string       // Resolved, Ruled, Listed, Done: what went wrong, for people

	// Shift is by how much the clock of the machine differed at the start of the request
	// from the session's and the crawl's own: it was set, or the machine slept (Ruled,
	// Listed, Done).
	Shift time.Duration

	// Phases are the durations of connecting, of waiting for the first byte, and of the
	// body (Ruled, Listed, Done): a simulation can be given them.
	Phases [3]time.Duration

	Clock   time.Duration // Took: from when on the site might be asked; proves politeness (W10)
	Address uint32        // Took: dense number of the IP address
	Conn    uint32        // Took: number of the connection
	// Early: when this was decided the group before was not known to be on disk, and
	// sites with outcomes in it were still held (Took, Refused, Asked).
	Early bool
	// Ours: the trouble was on our side, so the failure counts against nobody.
	Ours bool

	Session *Session // Session
	// Deny is the list of hosts that are never asked from now on (Session, Denied), packed
	// by the crawl. Empty in a Session: it is not known, or there is none.
	Deny []byte
}

// Place is where the records of an answer stand in the archive. A Length of 0 is nowhere.
type Place struct {
	File   uint32
	Offset int64
	Length int64
}

// Session is what a crawl was started with: the first record of each run of the program.
type Session struct {
	Wall       int64    // unix time of Record.Now, in nanoseconds
	Version    string   // of the program
	Config     []byte   // TOML
	Policy     string   // with its parameters
	SitePolicy string   // the same
	Secret     [16]byte // key of the URL table
	Crawl      [16]byte // id
}

// reset makes the facts zero, and keeps the room that slices have.
func (f *Facts) reset() {
	f.Names.Reset()
	*f = Facts{Names: f.Names, Payload: f.Payload[:0], Rules: f.Rules[:0], Files: f.Files[:0], Addrs: f.Addrs[:0], Deny: f.Deny[:0]}
}
