package graph

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/zeebo/xxh3"
)

// formatVersion is the format of a graph file.
//
//	1: header of 4096 bytes (magic, version, counts, table of sections, xxh3-64 of
//	   the header), sections at multiples of 64 bytes, then one xxh3-64 per block of
//	   1 MiB of all that lies between header and checksums, then the xxh3-64 of
//	   these. Numbers are little-endian; link lists are WebGraph's bits.
//	2: a compact file: as 1, but link lists are fitted ones of package bv, their codes
//	   are in sections of their own, and the index has every k-th list, where k is what
//	   was the k of the zeta code.
const (
	formatVersion  = 1
	compactVersion = 2
)

const _ = littleEndian

const (
	headerSize   = 4096
	blockSize    = 1 << 20
	sectionAlign = 64
	entrySize    = 16 + 3*8
)

var formatMagic = [16]byte{'w', 'i', 'n', 'n', 'o', 'w', ' ', 'g', 'r', 'a', 'p', 'h', '\n'}

// Names of sections. Which of them a file has depends on what it was made from.
const (
	secForward       = "forward"        // out-links of every page; extra: length in bits
	secForwardIndex  = "forward.index"  // where each list begins
	secForwardCodes  = "forward.codes"  // lengths of the codes of fitted lists
	secBackward      = "backward"       // in-links; extra: length in bits
	secBackwardIndex = "backward.index" //
	secBackwardCodes = "backward.codes" //
	secIDs           = "ids"            // original id of each page (uint32), ascending
	secFetched       = "fetched"        // one bit a page: fetched, not only known
	secSizes         = "sizes"          // bytes of each page (uint32), 0: not known
	secSiteOf        = "site.of"        // site of each page (uint32)
	secSiteStarts    = "site.starts"    // per site where its pages begin in site.pages (uint32), and the end
	secSitePages     = "site.pages"     // pages by site (uint32), ascending in each
	secSiteNames     = "site.names"     // text table; extra: number of names
	secSiteIndex     = "site.index"     // where its blocks begin
	secURLs          = "urls"           // text table; extra: number of URLs
	secURLIndex      = "urls.index"     //
	secURLTable      = "urls.table"     // open addressing: page per slot (uint32), then one byte of hash per slot
	secCard          = "card"           // JSON: where the graph comes from
)

// header is the first block of a graph file.
type header struct {
	compact                        bool // format 2
	pages, links, sites, selfLinks uint64
	window, maxRef, minInterval, k uint8  // parameters of the link lists
	sums                           uint64 // where the checksums begin
	size                           uint64 // of the file
	sections                       []section
}

type section struct {
	name           string
	offset, length uint64
	extra          uint64
}

func (h *header) encode() []byte {
	b := append(make([]byte, 0, headerSize), formatMagic[:]...)
	version := uint32(formatVersion)
	if h.compact {
		version = compactVersion
	}
	b = binary.LittleEndian.AppendUint32(b, version)
	b = append(b, h.window, h.maxRef, h.minInterval, h.k)
	for _, v := range []uint64{h.pages, h.links, h.sites, h.selfLinks, h.sums, h.size, uint64(len(h.sections))} {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	for _, s := range h.sections {
		var name [16]byte
		copy(name[:], s.name)
		b = append(b, name[:]...)
		for _, v := range []uint64{s.offset, s.length, s.extra} {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
	}
	b = b[:headerSize-8]
	return binary.LittleEndian.AppendUint64(b, xxh3.Hash(b))
}

// decodeHeader reads a header and checks that every section lies inside the file.
func decodeHeader(b []byte, size uint64) (*header, error) {
	if len(b) < headerSize {
		if len(b) < len(formatMagic) || !bytes.Equal(b[:16], formatMagic[:]) {
			return nil, fmt.Errorf("not a winnow graph")
		}
		return nil, fmt.Errorf("the file ends at byte %d, inside its header", len(b))
	}
	if !bytes.Equal(b[:16], formatMagic[:]) {
		return nil, fmt.Errorf("not a winnow graph (offset 0: %q)", b[:16])
	}
	version := binary.LittleEndian.Uint32(b[16:])
	if version != formatVersion && version != compactVersion {
		return nil, fmt.Errorf("graph format %d (offset 16); this program reads formats %d and %d", version, formatVersion, compactVersion)
	}
	if binary.LittleEndian.Uint64(b[headerSize-8:]) != xxh3.Hash(b[:headerSize-8]) {
		return nil, fmt.Errorf("damaged: the checksum of the header (offset 0 to %d) does not match", headerSize)
	}
	h := &header{compact: version == compactVersion, window: b[20], maxRef: b[21], minInterval: b[22], k: b[23]}
	r := words{b[24:]}
	h.pages, h.links, h.sites, h.selfLinks = r.next(), r.next(), r.next(), r.next()
	h.sums, h.size = r.next(), r.next()
	if h.size != size {
		return nil, fmt.Errorf("the file ends at byte %d and should end at byte %d", size, h.size)
	}
	return h, h.readSections(r.next(), r)
}

func (h *header) readSections(n uint64, r words) error {
	if n > uint64(len(r.b)-8)/entrySize || !h.possible() {
		return fmt.Errorf("damaged: the header (offset 0) has counts that cannot be")
	}
	for range n {
		s := section{name: string(bytes.TrimRight(r.b[:16], "\x00"))}
		r.b = r.b[16:]
		s.offset, s.length, s.extra = r.next(), r.next(), r.next()
		if s.offset < headerSize || s.offset%sectionAlign != 0 || s.offset > h.sums || s.length > h.sums-s.offset {
			return fmt.Errorf("damaged: by the header (offset 0) section %q lies outside the file", s.name)
		}
		h.sections = append(h.sections, s)
	}
	return nil
}

// possible reports whether the counts fit each other and the file.
func (h *header) possible() bool {
	if h.sums < headerSize || h.sums > h.size {
		return false
	}
	blocks := (h.sums - headerSize + blockSize - 1) / blockSize
	return h.size-h.sums == (blocks+1)*8 && h.pages <= MaxPages && h.sites <= h.pages &&
		h.links <= min(h.pages*h.pages, math.MaxInt64) && h.selfLinks <= min(h.pages, h.links)
}

// section returns the section of that name, or ok = false.
func (h *header) section(name string) (s section, ok bool) {
	for _, s := range h.sections {
		if s.name == name {
			return s, true
		}
	}
	return section{}, false
}

// words reads little-endian numbers one after the other.
type words struct{ b []byte }

func (w *words) next() uint64 {
	v := binary.LittleEndian.Uint64(w.b)
	w.b = w.b[8:]
	return v
}

// Sum sets sum[i] to the sum of z over list lo+i. It reads the compressed lists: that is
// several times slower than a kernel.Gather over raw lists, which take four bytes a link.
func (l *Links) Sum(sum, z []float64, lo Page) {
	if len(z) < l.Pages() || int(lo)+len(sum) > l.Pages() {
		panic(fmt.Sprintf("graph: sum over lists %d to %d of %d from a vector of %d", lo, int(lo)+len(sum), l.Pages(), len(z)))
	}
	s, ok := l.scans.Get().(listScan)
	if !ok {
		s = l.decoder(0, 0)
	}
	defer l.scans.Put(s)
	s.Restart(uint32(lo), uint32(lo)+uint32(len(sum)))
	for i := range sum {
		if !s.Next() {
			panic(&CorruptError{l.path, s.Err()})
		}
		sum[i] = sumOf(s.List(), z)
	}
}

// sumOf adds in four partial sums, which do not wait for each other. It adds the last
// one to three elements without a branch, which would be mispredicted for most lists:
// beyond the end the first element stands in, with all bits cleared.
func sumOf(list []uint32, z []float64) float64 {
	if len(list) == 0 {
		return 0
	}
	var a, b, c, d float64
	rest := list
	for len(rest) >= 4 {
		a += z[rest[0]]
		b += z[rest[1]]
		c += z[rest[2]]
		d += z[rest[3]]
		rest = rest[4:]
	}
	at := len(list) - len(rest)
	a += valueWithin(list, z, at)
	b += valueWithin(list, z, at+1)
	c += valueWithin(list, z, at+2)
	return (a + b) + (c + d)
}

// valueWithin returns z[list[i]], or 0 if i is beyond the end of the list.
func valueWithin(list []uint32, z []float64, i int) float64 {
	inside := (i - len(list)) >> 63 // -1 or 0
	return math.Float64frombits(math.Float64bits(z[list[i&inside]]) & uint64(inside))
}
