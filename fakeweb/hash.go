package fakeweb

import "math/bits"

// Each use of randomness has a stream of its own, so that two decisions about the
// same page are independent. Renumbering them changes every generated graph.
const (
	streamSite   = iota + 1 // one seed per site
	streamOrder             // which site has which size
	streamDegree            // dangling or not, number of links
	streamMenu              // decisions shared by a directory
	streamLocal             // local slots and prototypes
	streamRemote            // remote slots and prototypes
	streamFill              // where the last resort begins
)

const golden = 0x9e3779b97f4a7c15 // 2^64 / golden ratio

// mix is the output function of splitmix64 (Steele, Lea and Flood 2014): a
// bijection in which every input bit reaches every output bit.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// hash is 64 random bits for number x of a stream.
func hash(seed uint64, stream uint64, x uint64) uint64 {
	return mix((seed ^ stream<<56) + x*golden)
}

// below turns the upper bits of h into a number in [0, n). Decisions with small
// probabilities use the lower bits, so one hash serves both.
func below(h uint64, n uint64) uint64 {
	hi, _ := bits.Mul64(h, n)
	return hi
}

// pair packs a page of a site and one of its slots into one number.
func pair(j, i uint32) uint64 { return uint64(j)<<32 | uint64(i) }
