package score

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Imported holds values that somebody else gave to pages and places: clicks, lists of popular
// sites, the ranks of an earlier crawl. A key is
//
//	http://a.example/b/c    this page, and what is below it: /b/c/d, /b/c?q
//	http://a.example/b/     everything below it
//	http://a.example        a site
//	a.example               a host and the hosts below it, with any scheme and port
//
// The longest key that fits a URL counts. One with a scheme precedes one without.
type Imported struct {
	text   []byte // all keys, ascending, one after the other
	ends   []uint32
	values []float64
}

// NewImported returns the values of keys. A key must not occur twice.
func NewImported(keys []string, values []float64) (*Imported, error) {
	order, size := make([]uint32, len(keys)), 0
	for i, k := range keys {
		order[i] = uint32(i)
		size += len(k)
		if k == "" || math.IsNaN(values[i]) || math.IsInf(values[i], 0) {
			return nil, fmt.Errorf("key %q has the value %v", k, values[i])
		}
	}
	if size > math.MaxUint32 {
		return nil, fmt.Errorf("the keys have %d bytes, and 4 GiB are the most", size)
	}
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Or(strings.Compare(keys[a], keys[b]), cmp.Compare(a, b)) })
	m := &Imported{text: make([]byte, 0, size)}
	for n, i := range order {
		if n > 0 && keys[order[n-1]] == keys[i] {
			return nil, fmt.Errorf("key %q has two values, %v and %v", keys[i], values[order[n-1]], values[i])
		}
		m.text = append(m.text, keys[i]...)
		m.ends = append(m.ends, uint32(len(m.text)))
		m.values = append(m.values, values[i])
	}
	return m, nil
}

// ImportedOf returns the values of keys that lie in text one after the other, ascending. ends has
// the end of each. The slices must not change.
func ImportedOf(text []byte, ends []uint32, values []float64) *Imported {
	return &Imported{text, ends, values}
}

// Parts returns what ImportedOf takes.
func (m *Imported) Parts() (text []byte, ends []uint32, values []float64) {
	return m.text, m.ends, m.values
}

// Equal reports whether both have the same keys with the same values.
func (m *Imported) Equal(n *Imported) bool {
	return slices.Equal(m.ends, n.ends) && bytes.Equal(m.text, n.text) && slices.Equal(m.values, n.values)
}

// AppendBinary appends all keys and values to b: the number of keys, then for each how many bytes
// it shares with the one before, how many others it has, these, and the bits of its value.
func (m *Imported) AppendBinary(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(m.Len()))
	var last []byte
	for i, v := range m.values {
		key, same := m.key(i), 0
		for same < min(len(key), len(last)) && key[same] == last[same] {
			same++
		}
		b = binary.AppendUvarint(binary.AppendUvarint(b, uint64(same)), uint64(len(key)-same))
		b = binary.LittleEndian.AppendUint64(append(b, key[same:]...), math.Float64bits(v))
		last = key
	}
	return b
}

// ReadImported reads what AppendBinary appended.
func ReadImported(b []byte) (*Imported, error) {
	wrong := errors.New("the imported values are damaged")
	number := func() int {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > math.MaxInt32 {
			b = nil
			return -1
		}
		b = b[n:]
		return int(v)
	}
	m, start, keys := &Imported{}, 0, number()
	for range max(0, keys) {
		same, more := number(), number()
		if same < 0 || more < 0 || same > len(m.text)-start || len(b) < more+8 {
			return nil, wrong
		}
		end := len(m.text)
		m.text = append(append(m.text, m.text[start:start+same]...), b[:more]...)
		if n := len(m.values); n > 0 && bytes.Compare(m.text[start:end], m.text[end:]) >= 0 {
			return nil, wrong
		}
		m.ends = append(m.ends, uint32(len(m.text)))
		m.values = append(m.values, math.Float64frombits(binary.LittleEndian.Uint64(b[more:])))
		b, start = b[more+8:], end
	}
	if keys < 0 || len(b) > 0 {
		return nil, wrong
	}
	return m, nil
}

// Len returns the number of keys.
func (m *Imported) Len() int { return len(m.values) }

// key returns the i-th key.
func (m *Imported) key(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = m.ends[i-1]
	}
	return m.text[start:m.ends[i]]
}

// at returns the value of a key.
func (m *Imported) at(key []byte) (float64, bool) {
	low, high := 0, len(m.values)
	for low < high {
		mid := int(uint(low+high) / 2)
		switch bytes.Compare(m.key(mid), key) {
		case 0:
			return m.values[mid], true
		case -1:
			low = mid + 1
		default:
			high = mid
		}
	}
	return 0, false
}

// Value returns the value of the longest key that fits a URL.
func (m *Imported) Value(url []byte) (float64, bool) {
	if v, ok := m.at(url); ok {
		return v, true
	}
	start := bytes.Index(url, []byte("://")) + 3 // 2 if there is no scheme, which does no harm
	for i := len(url) - 1; i >= start; i-- {
		if bytes.IndexByte([]byte("/?#"), url[i]) < 0 {
			continue
		}
		if url[i] == '/' {
			if v, ok := m.at(url[:i+1]); ok {
				return v, true
			}
		}
		if v, ok := m.at(url[:i]); ok {
			return v, true
		}
	}
	return m.host(parts(url).host)
}

// host returns the value of a host, or of the nearest one above it.
func (m *Imported) host(host []byte) (float64, bool) {
	for {
		if v, ok := m.at(host); ok {
			return v, true
		}
		i := bytes.IndexByte(host, '.')
		if i < 0 {
			return 0, false
		}
		host = host[i+1:]
	}
}
