package history

// A Wait is a number of sites that wait for the same reason.
type Wait struct {
	Why   string
	Sites int
}

// Waits returns why sites that have pages are not requested.
func (s *Stats) Waits() []Wait {
	n := &s.Counts
	return []Wait{
		{"politeness", n.Polite}, {"address", n.Parked}, {"slow", n.Slow},
		{"commit", n.Held}, {"twin", n.Blocked}, {"robots-elsewhere", n.Hops},
	}
}
