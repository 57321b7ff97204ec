package graph

import "unsafe"

func addressOf(b []byte) int { return int(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }
