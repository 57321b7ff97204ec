package lab

// cho98 is the experiments of that paper.
func cho98() []Experiment { return nil }
