package policy

import (
	"math"

	"github.com/winnow-crawler/winnow/policy/order"
)

// labelSteps is the number of steps of 1 in a label.
const labelSteps = 32

// labelOf returns the logarithm of an index, in steps, from 1 up.
func labelOf(index float64) uint16 {
	return uint16(math.Floor(max(order.Log2(index+1e-6), -8)*labelSteps)) + 1<<15
}

// steps returns a label as a number of steps, which may be negative.
func steps(label uint16) int64 { return int64(label) - 1<<15 }

// A labelScale finds what labelOf returns by a table, except within rounding of where a label ends. It
// has the numbers from 1 to 2 in cells of equal width, so narrow that a label ends in each of them at
// most once.
type labelScale [1 << scaleBits]struct {
	base  int32  // steps of the label at the beginning of the cell
	limit uint64 // bits of the number in the cell from which on it is one more
}

const scaleBits = 7

// fill makes the table.
func (t *labelScale) fill() {
	const width = 1 << (52 - scaleBits)
	for i := range t {
		low := math.Float64bits(1) + uint64(i)*width
		base, high := scaleStep(low), low+width
		for low < high && scaleStep(high-1) != base {
			if middle := (low + high) / 2; scaleStep(middle) == base {
				low = middle + 1
			} else {
				high = middle
			}
		}
		t[i].base, t[i].limit = int32(base), high
	}
}

// scaleStep returns the step of a number, by its bits.
func scaleStep(bits uint64) int {
	return int(math.Floor(order.Log2(math.Float64frombits(bits)) * labelSteps))
}

// of returns the label of an index.
func (t *labelScale) of(index float64) uint16 {
	const one = 1023 << 52 // the bits of 1
	bits := math.Float64bits(index + 1e-6)
	exp := int32(bits>>52) - 1023
	bits = bits&(1<<52-1) | one
	cell := &t[bits>>(52-scaleBits)%(1<<scaleBits)]
	label := exp*labelSteps + cell.base
	if bits >= cell.limit {
		label++
	}
	return uint16(max(label, -8*labelSteps)) + 1<<15
}
