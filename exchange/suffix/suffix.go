// Package suffix has frozen lists of public suffixes, by which the sites of a crawl are divided
// into partitions.
//
// Which partition has a site must never change, or its pages would be fetched twice. Lists of
// public suffixes change. So a crawl keeps to the version with which it began, and all versions
// that there ever were stay here. A list has one rule a line, as publicsuffix.org has them, with
// punycode for what is not ASCII: com, *.ck, !www.ck.
//
// A list is made once, of the one in golang.org/x/net/publicsuffix. It is of Mozilla's Public
// Suffix List, under the Mozilla Public License 2.0: see https://publicsuffix.org/list/.
package suffix

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"math/bits"
	"strings"

	"github.com/zeebo/xxh3"
)

// Newest is the version for new crawls: the date of the list.
const Newest = "2026-02-06"

//go:embed 2026-02-06.gz
var list20260206 []byte

// versions returns the compressed lists. None is ever removed or changed.
func versions() map[string][]byte { return map[string][]byte{Newest: list20260206} }

// A Table says to which registered domain a host belongs. It may be read by many at a time.
type Table struct {
	version string
	rules   map[string]rule
}

// A rule says what the list has for a name, as bits.
type rule uint8

const (
	public   rule = 1 << iota // the name is a public suffix
	wildcard                  // so is every name with one label more
	except                    // but this one is not
)

// Open returns the table of a version.
func Open(version string) (*Table, error) {
	packed, ok := versions()[version]
	if !ok {
		return nil, fmt.Errorf("the list of public suffixes %q is not known: a later version of the program may know it", version)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("list of public suffixes %s: %w", version, err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("list of public suffixes %s: %w", version, err)
	}
	t := &Table{version, make(map[string]rule, bytes.Count(text, []byte("\n")))}
	for line := range strings.Lines(string(text)) {
		t.add(strings.TrimSuffix(line, "\n"))
	}
	return t, nil
}

// add adds a line of the list.
func (t *Table) add(line string) {
	if name, ok := strings.CutPrefix(line, "*."); ok {
		t.rules[name] |= wildcard
		return
	}
	if name, ok := strings.CutPrefix(line, "!"); ok {
		t.rules[name] |= except
		return
	}
	t.rules[line] |= public
}

// Version returns the version of the table.
func (t *Table) Version() string { return t.version }

// Domain returns the registered domain of a host in normal form: its public suffix and one label
// more. An IP address, a public suffix and a name without dots are their own domain.
func (t *Table) Domain(host string) string {
	if isAddress(host) {
		return host
	}
	end := t.suffixAt(host)
	if end == 0 {
		return host
	}
	return host[1+strings.LastIndexByte(host[:end-1], '.'):]
}

// suffixAt returns where the public suffix of a host begins: the longest one that a rule names,
// unless an exception does; the last label if there is none.
func (t *Table) suffixAt(host string) int {
	at := 1 + strings.LastIndexByte(host, '.')
	best := at
	for before := len(host) + 1; ; at = 1 + strings.LastIndexByte(host[:at-1], '.') {
		switch r := t.rules[host[at:]]; {
		case r&except != 0:
			return before
		case r&public != 0:
			best = at
		}
		if r := t.rules[host[min(before, len(host)):]]; before <= len(host) && r&wildcard != 0 {
			best = at
		}
		if at == 0 {
			return best
		}
		before = at
	}
}

// isAddress reports whether a host in normal form is an IP address: IPv6 has brackets, and the last
// label of no name is a number.
func isAddress(host string) bool {
	if host == "" || host[0] == '[' {
		return true
	}
	last := host[1+strings.LastIndexByte(host, '.'):]
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// Partition returns the one of so many partitions to which a host in normal form belongs, and with
// it all hosts of its domain. It is the hash of the domain, scaled to their number.
func (t *Table) Partition(host string, partitions int) int {
	hi, _ := bits.Mul64(xxh3.HashString(t.Domain(host)), uint64(partitions))
	return int(hi)
}
