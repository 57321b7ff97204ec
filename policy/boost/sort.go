package boost

import "math"

// A sorter sorts numbers by their bits, eight at a time, in a time proportional to their
// number. It reuses its memory.
type sorter struct{ keys, spare []uint32 }

// add adds a number.
func (s *sorter) add(v float32) {
	b := math.Float32bits(v)
	s.keys = append(s.keys, b^(uint32(int32(b)>>31)|1<<31)) // in the order of the numbers
}

// at returns the number at a place, after sort.
func (s *sorter) at(i int) float32 {
	b := s.keys[i]
	return math.Float32frombits(b ^ (^uint32(int32(b)>>31) | 1<<31))
}

func (s *sorter) sort() {
	if len(s.keys) == 0 {
		return
	}
	s.spare = append(s.spare[:0], s.keys...)
	for shift := 0; shift < 32; shift += 8 {
		var next [1 << 8]int // where the next key of each kind belongs
		for _, k := range s.keys {
			next[uint8(k>>shift)]++
		}
		if next[uint8(s.keys[0]>>shift)] == len(s.keys) {
			continue // they do not differ here
		}
		sum := 0
		for i, n := range next {
			next[i], sum = sum, sum+n
		}
		for _, k := range s.keys {
			at := &next[uint8(k>>shift)]
			s.spare[*at] = k
			*at++
		}
		s.keys, s.spare = s.spare, s.keys
	}
}
