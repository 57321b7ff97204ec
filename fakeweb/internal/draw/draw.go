// Package draw draws random numbers as functions of a seed, so that every number can be
// drawn at any time without the others.
package draw

import "math/bits"

// Golden is 2^64 divided by the golden ratio.
const Golden = 0x9e3779b97f4a7c15

// Mix computes the output function of splitmix64 (Steele, Lea and Flood 2014): a bijection in
// which every input bit reaches every output bit.
func Mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// Hash returns 64 random bits for number x of a stream. Each use of randomness has a
// stream of its own, so that two decisions about the same page are independent.
func Hash(seed, stream, x uint64) uint64 { return Mix((seed ^ stream<<56) + x*Golden) }

// Below turns the upper bits of h into a number in [0, n). Decisions with small
// probabilities use the lower bits, so that one hash serves both.
func Below(h, n uint64) uint64 {
	hi, _ := bits.Mul64(h, n)
	return hi
}

// Pair packs two numbers into one: a page of a site, and one of its slots.
func Pair(j, i uint32) uint64 { return uint64(j)<<32 | uint64(i) }
