package order

import "math"

// Log2 returns the binary logarithm of a positive number that is not tiny, to 2^-22. It adds and
// multiplies in a fixed order: math.Log2 may differ between machines.
func Log2(x float64) float64 {
	const least = 0x3fe6a09e667f3bcd // the bits of the root of 1/2
	bits := int64(math.Float64bits(x))
	exp := (bits - least) >> 52
	frac := math.Float64frombits(uint64(bits - exp<<52)) // from the root of 1/2 to that of 2
	// The series of the inverse hyperbolic tangent; t is at most 0.172.
	t := (frac - 1) / (frac + 1)
	u := t * t
	sum := float64(u*(1.0/9)) + 1.0/7
	sum = float64(u*sum) + 1.0/5
	sum = float64(u*sum) + 1.0/3
	sum = float64(u*sum) + 1
	return float64(exp) + float64(float64(2/math.Ln2*t)*sum)
}

// Exp2 returns 2^x for x that is not positive, to 16 binary places of x, and 0 if it is tiny.
// math.Exp2 may differ between machines.
func Exp2(x float64) float64 {
	whole := math.Floor(x)
	if whole < -1000 {
		return 0
	}
	v, root := 1.0, 2.0
	for frac, i := x-whole, 0; i < 16; i++ {
		root = math.Sqrt(root)
		if frac *= 2; frac >= 1 {
			frac--
			v *= root
		}
	}
	return math.Ldexp(v, int(whole))
}
