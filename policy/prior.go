package policy

import "math"

// MeanScale returns the factor that scales n values that sum to total to the mean 1. Values
// of sum 1 are multiplied by n and values of mean 1 are taken as they are, although
// their computed sum is a little off: a factor that is as near to another as that
// could make two neighbouring values equal that the other keeps apart.
func MeanScale(n, total float64) float64 {
	const near = 1e-6
	switch {
	case math.Abs(total-1) < near:
		return n
	case math.Abs(total-n) < near*n:
		return 1
	}
	return n / total
}

// UsesPrior reports whether the policy uses the values of an earlier crawl.
func (c *Choice) UsesPrior() bool { return c.Spec.Prior }
