package sim

// Rate is what a transfer gets now, in bytes per second.
func (l *Line) Rate(id uint32) float64 { return l.transfers[l.find(id)].rate }

// Used is what all transfers get now, in bytes per second: at most B, but for rounding.
func (l *Line) Used() float64 { return l.used }

// Level is the most that any transfer gets now, in bytes per second; +Inf as long as
// the line is not full.
func (l *Line) Level() float64 { return l.level }

// Len is the number of transfers on the line.
func (l *Line) Len() int { return len(l.transfers) }
