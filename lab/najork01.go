package lab

// najork01 is the experiments of that paper.
func najork01() []Experiment { return nil }
