//go:build !unix

package extsort

func reserve(n int) (memory, error) {
	return memory{words: make([]uint64, n/8)}, nil
}
