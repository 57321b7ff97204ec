package main

import (
	"fmt"
	"math/big"
	"strings"
)

// fraction is a flag for a part of 1 that papers write as 1/7 or 0.9. It is exact
// until it is used, so that --jump 1/7 and --follow 6/7 are the same number.
type fraction struct{ v *big.Rat }

func (f *fraction) Type() string { return "fraction" }

func (f *fraction) String() string {
	if f == nil || f.v == nil {
		return ""
	}
	return f.v.RatString()
}

func (f *fraction) Set(text string) error {
	v, ok := new(big.Rat).SetString(text)
	if !ok || strings.Trim(text, "0123456789./") != "" {
		return fmt.Errorf("%q: want a number such as 0.9 or 1/7", text)
	}
	f.v = v
	return nil
}

// float is its value, 0 if it was not set.
func (f *fraction) float() float64 {
	if f.v == nil {
		return 0
	}
	v, _ := f.v.Float64()
	return v
}

// rest is 1 minus its value.
func (f *fraction) rest() float64 {
	v, _ := new(big.Rat).Sub(big.NewRat(1, 1), f.v).Float64()
	return v
}
