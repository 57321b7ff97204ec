package score

import "math"

// A code is what an operation does.
type code uint8

const (
	push      code = iota // a constant
	raw                   // a term, or 0 if it is missing
	bare                  // a term, or NaN if it is missing
	quantile              // the quantile of a term, or 0 if it is missing
	jumpKnown             // jump if a term is not missing; it pops nothing
	jump                  // always
	jumpFalse             // pop, and jump if it is 0
	negate                // the others replace their operands by the result
	not
	add
	subtract
	multiply
	divide
	less
	lessEqual
	equal
	notEqual
	least
	most
	absolute
	root
	logarithm
)

// An op is one operation. arg is a constant, a term or the place to which it jumps.
type op struct {
	code code
	term Term
	to   uint16
	arg  float64
}

// deepest is the most numbers on the stack of a program.
const deepest = 32

// run evaluates a program. ok is false if an operation has no finite result.
func run(program []op, v *Values, q *Quantiles) (result float64, ok bool) {
	var stack [deepest]float64
	top := -1 // of the stack
	for i := 0; i < len(program); i++ {
		o := &program[i]
		switch o.code {
		case push:
			top++
			stack[top] = o.arg
		case raw:
			top++
			stack[top] = known(v[o.term], v[o.term])
		case bare:
			top++
			stack[top] = v[o.term]
		case quantile:
			top++
			stack[top] = 0
			if x := v[o.term]; x == x {
				stack[top] = q.Of(o.term, x)
			}
		case jumpKnown:
			if x := v[o.term]; x == x {
				i = int(o.to) - 1
			}
		case jump:
			i = int(o.to) - 1
		case jumpFalse:
			top--
			if stack[top+1] == 0 {
				i = int(o.to) - 1
			}
		case negate, not, absolute, root, logarithm:
			if stack[top], ok = unary(o.code, stack[top]); !ok {
				return 0, false
			}
		default:
			top--
			if stack[top], ok = combine(o.code, stack[top], stack[top+1]); !ok {
				return 0, false
			}
		}
	}
	return stack[0], true
}

// known returns y, or 0 if x is missing.
func known(x, y float64) float64 {
	if x != x {
		return 0
	}
	return y
}

// unary returns the result of an operation on one number, and whether it is finite.
func unary(c code, x float64) (y float64, finite bool) {
	switch c {
	case negate:
		y = -x
	case not:
		y = truth(x == 0)
	case absolute:
		y = math.Abs(x)
	case root:
		y = math.Sqrt(x)
	case logarithm:
		y = ln(x)
	}
	return y, y-y == 0
}

// combine returns the result of an operation on two numbers, and whether it is finite.
func combine(c code, a, b float64) (y float64, finite bool) {
	switch c {
	case add:
		y = a + b
	case subtract:
		y = a - b
	case multiply:
		y = a * b
	case divide:
		y = a / b
	case less:
		y = truth(a < b)
	case lessEqual:
		y = truth(a <= b)
	case equal:
		y = truth(a == b)
	case notEqual:
		y = truth(a != b)
	case least:
		y = min(a, b)
	case most:
		y = max(a, b)
	}
	return y, y-y == 0
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// ln returns the natural logarithm. It adds and multiplies in a fixed order: math.Log may differ
// between machines.
func ln(x float64) float64 {
	if !(x > 0) {
		return math.NaN()
	}
	frac, exp := math.Frexp(x) // from 1/2 to 1
	if frac < math.Sqrt2/2 {
		frac, exp = 2*frac, exp-1
	}
	// The series of the inverse hyperbolic tangent; t is at most 0.172.
	t := (frac - 1) / (frac + 1)
	u, sum := float64(t*t), 0.0
	for k := 12; k >= 0; k-- {
		sum = float64(u*sum) + 1/float64(2*k+1)
	}
	return float64(float64(exp)*math.Ln2) + float64(2*float64(t*sum))
}
