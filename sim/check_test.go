package sim

import (
	"errors"
	"fmt"
	"math"
)

// mean returns the mean, by the midpoint rule over the quantile function. The cells become
// finer by powers of two towards u = 1, where a heavy tail has most of its mass.
func (d *Dist) mean() float64 {
	sum, from := 0.0, 0.0
	for k := 1; k <= 50; k++ {
		to := 1 - math.Ldexp(1, -k)
		const cells = 256
		for i := range cells {
			u := from + float64((to-from)*((float64(i)+0.5)/cells))
			sum += d.At(u) * ((to - from) / cells)
		}
		from = to
	}
	return sum
}

// check finds parameters that are no distribution of positive numbers.
func (d *Dist) check() error {
	if len(d.Table) > 0 {
		return checkTable(d.Table)
	}
	for _, v := range []float64{d.Median, d.Sigma, d.Tail, d.Alpha, d.Cut} {
		if !(v >= 0) || math.IsInf(v, 1) {
			return fmt.Errorf("parameter %v is negative or not finite", v)
		}
	}
	if d.Tail >= 1 || d.Cut >= 1 {
		return fmt.Errorf("tail %v and cut %v are shares below 1", d.Tail, d.Cut)
	}
	if d.Tail > 0 && d.Alpha == 0 {
		return errors.New("a tail needs an exponent alpha")
	}
	return nil
}

// check finds what cannot be simulated: parameters that are no distribution, negative
// factors, sites that send nothing.
func (m *Model) check() error {
	for _, p := range m.Parts() {
		if err := p.Dist.check(); err != nil {
			return fmt.Errorf("times %q: %s: %w", m.Name, p.Name, err)
		}
	}
	for _, f := range []float64{m.Handshake, m.Request, m.Farewell} {
		if !(f >= 0 && f < 1e9) {
			return fmt.Errorf("times %q: %v latencies for a phase", m.Name, f)
		}
	}
	if m.Speed.none() || len(m.Speed.Table) > 0 && m.Speed.Table[0].X == 0 {
		return fmt.Errorf("times %q: speed: a transfer from a site that sends nothing never ends", m.Name)
	}
	return nil
}

// checkTable finds tables that are no distribution of positive numbers.
func checkTable(t []Quantile) error {
	if t[0].U != 0 || t[len(t)-1].U != 1 {
		return fmt.Errorf("quantiles go from %v to %v instead of from 0 to 1", t[0].U, t[len(t)-1].U)
	}
	for i, q := range t {
		if !(q.X >= 0) || math.IsInf(q.X, 1) {
			return fmt.Errorf("quantile %v is %v: negative or not finite", q.U, q.X)
		}
		if i > 0 && !(q.U > t[i-1].U && q.X >= t[i-1].X) {
			return fmt.Errorf("quantiles do not ascend at %v", q.U)
		}
	}
	return nil
}
