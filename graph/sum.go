package graph

// Sum sets sum[i] to the sum of z over list lo+i, as Gather.Sum does, but straight
// from the compressed lists: several times slower, without the four bytes a link
// that raw lists take.
func (l *Links) Sum(sum, z []float64, lo Page) {
	for c := l.scan(lo, lo+Page(len(sum))); c.Next(); {
		sum[c.Page()-lo] = sumOf(c.List(), z)
	}
}

// sumOf adds in four partial sums, which do not wait for each other.
func sumOf(list []Page, z []float64) float64 {
	var a, b, c, d float64
	for len(list) >= 4 {
		a += z[list[0]]
		b += z[list[1]]
		c += z[list[2]]
		d += z[list[3]]
		list = list[4:]
	}
	for _, q := range list {
		a += z[q]
	}
	return (a + b) + (c + d)
}
