package archive

import "time"

// Info is what the first record of each file says of the crawl. Empty lines are left out.
type Info struct {
	Software  string // name/version
	Operator  string // name or address of who answers for the crawl
	Robots    string // policy, such as RFC9309
	UserAgent string
	Extra     []Field // of the caller, after the others
}

// fields are the lines of the block.
func (i *Info) fields() []Field {
	all := []Field{
		{"software", i.Software},
		{"format", "WARC File Format 1.1"},
		{"conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
		{"operator", i.Operator},
		{"robots", i.Robots},
		{"http-header-user-agent", i.UserAgent},
	}
	kept := all[:0]
	for _, f := range append(all, i.Extra...) {
		if f.Value != "" {
			kept = append(kept, f)
		}
	}
	return kept
}

// Warcinfo is the record that begins the file of that name.
func (b *Builder) Warcinfo(name string, at time.Time, i *Info) []byte {
	d := b.desk()
	defer b.desks.Put(d)
	d.head = appendFields(d.head[:0], i.fields())
	var id ID
	id, d.room = recordID(b.crawl, "warcinfo", name, at, 0, d.room)
	d.begin("warcinfo", id, at)
	d.field("WARC-Filename", name)
	return d.end(b, nil, "application/warc-fields", nil, false)
}
