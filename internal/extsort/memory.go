package extsort

import (
	"math"
	"unsafe"
)

// memory is the one stretch that all buffers are cut from. First comes the buffer
// of blocks to be written; the rest is two halves while runs are made, and a batch
// of merged keys and the buffers of the runs while they are merged.
type memory struct {
	words []uint64
	free  func()
}

const (
	maxFan   = 256      // runs merged at once
	maxOut   = 1 << 20  // bytes written at once
	minOut   = 16 << 10 // holds any block
	maxRaw   = 1 << 20  // bytes read at once from a run
	outShare = 32       // of the memory, within these bounds
)

// reserveMost reserves n bytes or, where there is a limit on address space, half of
// that, and so on: less memory only means more runs.
func reserveMost(n int64) (memory, error) {
	for {
		m, err := reserve(int(min(n, math.MaxInt/2)))
		if err == nil || n <= MinMemory {
			return m, err
		}
		n = max(n/2, MinMemory)
	}
}

func (m *memory) release() {
	if m.free != nil {
		m.free()
	}
	*m = memory{}
}

func (m *memory) outWords() int {
	return min(max(len(m.words)/outShare, minOut/8), maxOut/8)
}

// out returns the buffer for writing.
func (m *memory) out() []byte { return bytesOf(m.words[:m.outWords()]) }

// halves returns the buffer for keys and the second one that sorting needs.
func (m *memory) halves() (first, second []uint64) {
	rest := m.words[m.outWords():]
	n := int(min(int64(len(rest)/2), maxRun))
	return rest[:n:n], rest[n : 2*n : 2*n]
}

// batch returns where merged keys go.
func (m *memory) batch() []uint64 {
	rest := m.words[m.outWords():]
	return rest[:blockKeys:blockKeys]
}

// fan returns how many runs can be merged at once.
func (m *memory) fan() int {
	rest := len(m.words) - m.outWords() - blockKeys
	return min(rest/(blockKeys+maxBlock/8), maxFan)
}

// reader returns the share of run i of k: room for a block of keys, and a buffer to read
// into.
func (m *memory) reader(i, k int) (keys []uint64, raw []byte) {
	rest := m.words[m.outWords()+blockKeys:]
	n := min(len(rest)/k, blockKeys+maxRaw/8)
	share := rest[i*n : (i+1)*n]
	return share[:blockKeys:blockKeys], bytesOf(share[blockKeys:])
}

func bytesOf(words []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), 8*len(words))
}
