package graph

import "unsafe"

// The casts between numbers and their bytes. Files and saved columns are
// little-endian; a machine with the other order is refused at build time by
// littleEndian.

func addressOf(b []byte) int { return int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// rawBytes returns numbers as they are stored: the same memory.
func rawBytes[T Value](v []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(one)))
}

// cast reads stored numbers; b is aligned for them.
func cast[T Value](b []byte) []T {
	var one T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(one)))
}

// pagesOf converts ids of the codec to pages.
func pagesOf(ids []uint32) []Page {
	return unsafe.Slice((*Page)(unsafe.Pointer(unsafe.SliceData(ids))), len(ids))
}

func idsOf(pages []Page) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(pages))), len(pages))
}
