// Package padded writes numbers with leading zeros, so that the names which they are part
// of are in byte order where the numbers are in order.
package padded

import "strconv"

// Append appends n with as many digits as the largest number of its kind has.
func Append(b []byte, n, largest uint64) []byte {
	for range Digits(largest) - Digits(n) {
		b = append(b, '0')
	}
	return strconv.AppendUint(b, n, 10)
}

// Parse reads what Append wrote.
func Parse(text string, largest uint64) (n uint64, ok bool) {
	if len(text) != Digits(largest) {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 64)
	return n, err == nil && n <= largest && text[0] != '+'
}

// Digits returns the number of decimal digits of n.
func Digits(n uint64) int {
	d := 1
	for ; n >= 10; n /= 10 {
		d++
	}
	return d
}
