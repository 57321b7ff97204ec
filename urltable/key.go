package urltable

import (
	"encoding/binary"
	"math/bits"
)

// A Key hashes the names of sites and URLs under the secret of one crawl. It is a value
// without state: fetchers hash the links that they find, and the owner of the crawl
// only looks the hashes up.
//
// The hash is SipHash-1-3 (Aumasson and Bernstein 2012, in the form with fewer rounds
// that hash tables use). It must be keyed: with a fixed hash, such as xxh3, an author of
// pages could choose URLs that collide, and so hide pages or slow the crawler down. It
// need not be stronger: no hash leaves the program, so nobody can learn the key from
// its results. SipHash-2-4 takes nearly twice the time.
type Key struct{ k0, k1 uint64 }

// NewKey returns the key of a secret: 16 random bytes that a crawl draws once and keeps
// in its journal.
func NewKey(secret [16]byte) Key {
	return Key{binary.LittleEndian.Uint64(secret[:8]), binary.LittleEndian.Uint64(secret[8:])}
}

// Site returns the hash of the name of a site.
func (k Key) Site(name []byte) uint64 {
	v := k.start()
	return v.finish(name, len(name))
}

// Page returns the hash of a URL, given the hash of the name of its site and the rest:
// path and query. Most links stay inside their site, so that one hash of a name serves
// many of them, as the two tables of WIRE do. Two different pairs never hash the same
// bytes: the first eight are the site.
func (k Key) Page(site uint64, rest []byte) uint64 {
	v := k.start()
	v.v3 ^= site
	v = v.round()
	v.v0 ^= site
	return v.finish(rest, 8+len(rest))
}

// sip is the state of SipHash.
type sip struct{ v0, v1, v2, v3 uint64 }

func (k Key) start() sip { // the constants spell "somepseudorandomlygeneratedbytes"
	return sip{
		k.k0 ^ 0x736f6d6570736575, k.k1 ^ 0x646f72616e646f6d,
		k.k0 ^ 0x6c7967656e657261, k.k1 ^ 0x7465646279746573,
	}
}

// finish adds b, the end of a text of size bytes, and returns the hash of the text.
func (v sip) finish(b []byte, size int) uint64 {
	for ; len(b) >= 8; b = b[8:] {
		m := binary.LittleEndian.Uint64(b)
		v.v3 ^= m
		v = v.round()
		v.v0 ^= m
	}
	last := uint64(size) << 56
	for i, c := range b {
		last |= uint64(c) << (8 * i)
	}
	v.v3 ^= last
	v = v.round()
	v.v0 ^= last
	v.v2 ^= 0xff
	v = v.round().round().round()
	return v.v0 ^ v.v1 ^ v.v2 ^ v.v3
}

func (v sip) round() sip {
	v.v0 += v.v1
	v.v2 += v.v3
	v.v1 = bits.RotateLeft64(v.v1, 13) ^ v.v0
	v.v3 = bits.RotateLeft64(v.v3, 16) ^ v.v2
	v.v0 = bits.RotateLeft64(v.v0, 32) + v.v3
	v.v2 += v.v1
	v.v3 = bits.RotateLeft64(v.v3, 21) ^ v.v0
	v.v1 = bits.RotateLeft64(v.v1, 17) ^ v.v2
	v.v2 = bits.RotateLeft64(v.v2, 32)
	return v
}
