package draw

import "math"

// Cumulate adds shares up, as thresholds for the upper 63 bits of a hash: in units of
// 2^-63.
func Cumulate(shares []float64) []uint64 {
	top := make([]uint64, len(shares))
	sum := 0.0
	for i, v := range shares {
		sum += v
		top[i] = uint64(min(sum, 1) * (1 << 63))
	}
	return top
}

// Pick returns the number of the part that a hash falls into: 1 for the first, 0 for none.
func Pick(top []uint64, h uint64) int {
	for i, t := range top {
		if h>>1 < t {
			return i + 1
		}
	}
	return 0
}

// Powers draws log-uniform numbers: least * ratio^u, by 16 binary digits of u and square
// roots alone, which every machine rounds in the same way.
type Powers struct {
	least float64
	root  [16]float64 // ratio^(1/2), ratio^(1/4), ...
}

// NewPowers returns the roots for numbers from least to most.
func NewPowers(least, most float64) Powers {
	p := Powers{least: least}
	x := most / least
	for i := range p.root {
		x = math.Sqrt(x)
		p.root[i] = x
	}
	return p
}

// At uses the upper 16 bits of h.
func (p *Powers) At(h uint64) float64 {
	x := p.least
	for i := range p.root {
		if h>>(63-i)&1 != 0 {
			x *= p.root[i]
		}
	}
	return x
}

// Unit returns a hash as a number in (0, 1).
func Unit(h uint64) float64 { return (float64(h>>11) + 0.5) / (1 << 53) }

// Normal turns a hash into a number with standard normal distribution, nearly: the sum of
// twelve uniform numbers less 6, which every machine rounds in the same way.
func Normal(h uint64) float64 {
	sum := uint64(0)
	for i := range uint64(3) {
		x := Mix(h + i*Golden)
		sum += x&0xffff + x>>16&0xffff + x>>32&0xffff + x>>48
	}
	return (float64(sum)+6)/(1<<16) - 6
}

// Exponential computes powers of e by binary digits and square roots alone, which every
// machine rounds in the same way.
type Exponential [16]float64 // e^(1/2), e^(1/4), ...

// NewExponential returns the roots.
func NewExponential() (x Exponential) {
	root := math.E
	for i := range x {
		root = math.Sqrt(root)
		x[i] = root
	}
	return x
}

// At returns e^y, of y 16 binary digits behind the point.
func (x *Exponential) At(y float64) float64 {
	digits := uint64(math.Abs(y) * (1 << len(x)))
	v := 1.0
	for range digits >> len(x) {
		v *= math.E
	}
	for i, root := range x {
		if digits>>(len(x)-1-i)&1 != 0 {
			v *= root
		}
	}
	if y < 0 {
		return 1 / v
	}
	return v
}

// MinusLog returns -ln(u) for 0 < u < 1, from sums, products and quotients alone and none of
// them fused, so that a page changes at the same nanosecond on every machine: with
// u = m 2^e and 1/2 <= m < 1, ln m = 2 artanh((m-1)/(m+1)), whose series needs 24 terms
// at most for a relative error of 1e-15.
func MinusLog(u float64) float64 {
	m, e := math.Frexp(u)
	x := (m - 1) / (m + 1)
	x2 := float64(x * x)
	sum := 0.0
	for k := 47; k >= 1; k -= 2 {
		sum = float64(sum*x2) + 1/float64(k)
	}
	return -(float64(2*float64(x*sum)) + float64(float64(e)*math.Ln2))
}
