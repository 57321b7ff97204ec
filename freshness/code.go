package freshness

import "math"

// A code is a positive number in 16 bits: its logarithm, in steps of 1/256 of a doubling,
// so that it is exact to 0.14 %. The code 0 means the number 0.
type code uint16

// The codes reach from 2^-128 to 2^127.
const (
	codeSteps = 256
	codeZero  = 1 << 15 // the code of 1
)

// encode returns the code next to v.
func encode(v float64) code { return encodeBy(v, 0.5) }

// encodeBy returns the code below v, or the one above it if v is at least the given part of
// the step above the lower one.
func encodeBy(v, part float64) code {
	if !(v > 0) {
		return 0
	}
	return code(min(max(math.Floor(math.Log2(v)*codeSteps+1-part)+codeZero, 1), math.MaxUint16))
}

// A decoder returns the numbers that codes mean.
type decoder []float32

func newDecoder() decoder {
	d := make(decoder, 1<<16)
	for i := 1; i < len(d); i++ {
		d[i] = float32(math.Exp2(float64(i-codeZero) / codeSteps))
	}
	return d
}
