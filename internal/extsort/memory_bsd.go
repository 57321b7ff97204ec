//go:build unix && !linux

package extsort

const mapNoReserve = 0

func adviseHuge([]byte) {}
