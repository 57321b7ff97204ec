//go:build unix && !linux

package graph

const mapNoReserve = 0

func adviseHuge([]byte) {}

func populate([]byte) {}
