package journal

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/winnow-crawler/winnow/event"
)

// anchors writes the anchors of the links of an event: their regions as runs of equal ones,
// the numbers of their words, and the words, two bytes each.
func (w *writer) anchors(e *event.Event) {
	list := e.Anchors
	if len(list) != len(e.Links) {
		panic(fmt.Sprintf("journal: %d anchors of %d links", len(list), len(e.Links)))
	}
	for i := 0; i < len(list); {
		from := i
		for i < len(list) && list[i].Region == list[from].Region {
			i++
		}
		w.uint(uint64(i-from)*regions + uint64(list[from].Region))
	}
	for i := 0; i < len(list); i += perByte {
		w.byte(countsOf(list[i:min(i+perByte, len(list))]))
	}
	for i := range list {
		for _, word := range list[i].Words[:list[i].Words.Len()] {
			w.b = binary.LittleEndian.AppendUint16(w.b, word)
		}
	}
}

// A byte has the numbers of words of three links: numbers from 0 to 4, the first in the
// lowest place.
const (
	regions = uint64(event.LastRegion) + 1
	perByte = 3
	counts  = len(event.Words{}) + 1
)

func countsOf(list []event.Anchor) (b byte) {
	for i := len(list) - 1; i >= 0; i-- {
		b = b*byte(counts) + byte(list[i].Words.Len())
	}
	return b
}

// anchors reads as many anchors as there are links.
func (d *reader) anchors(e *event.Event) {
	for last := regions; len(e.Anchors) < len(e.Links) && d.err == nil; {
		v := d.uint()
		n, region := v/regions, v%regions
		if n == 0 || n > uint64(len(e.Links)-len(e.Anchors)) || region == last {
			d.fail(fmt.Errorf("%d links in region %d after %d of %d", n, region, len(e.Anchors), len(e.Links)))
			return
		}
		last = region
		for range n {
			e.Anchors = append(e.Anchors, event.Anchor{Region: event.Region(region)})
		}
	}
	list := e.Anchors
	packed := d.take((len(list) + perByte - 1) / perByte)
	for i, b := range packed {
		for j := i * perByte; j < min((i+1)*perByte, len(list)) && d.err == nil; j++ {
			d.words(&list[j].Words, int(b)%counts)
			b /= byte(counts)
		}
		d.differ(b == 0)
	}
}

// words reads n words, which are distinct and not 0.
func (d *reader) words(words *event.Words, n int) {
	b := d.take(2 * n)
	for i := 0; i < len(b); i += 2 {
		words.Add(binary.LittleEndian.Uint16(b[i:]))
	}
	if d.err == nil && words.Len() != n {
		d.fail(errors.New("a word that is none"))
	}
}
