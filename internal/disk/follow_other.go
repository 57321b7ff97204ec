//go:build !unix

package disk

// noFollow changes nothing where there is no such flag.
const noFollow = 0
