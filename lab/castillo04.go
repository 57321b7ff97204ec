package lab

// castillo04 is the experiments of that paper.
func castillo04() []Experiment { return nil }
