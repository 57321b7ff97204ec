package score

import "fmt"

// A Condition is an expression that is true or false, over numbers that have names. It has the
// language of a Function without quantiles. A comparison with a number that is missing is
// false, and so is a condition in which an operation has no finite result.
type Condition struct {
	text    string
	program []op
	uses    uint32 // bits by name
}

// CompileCondition returns the condition that a text describes. There are at most as many names
// as there are terms. An error is an *Error.
func CompileCondition(text string, names []string) (*Condition, error) {
	node, err := parse(text)
	if err != nil {
		return nil, err
	}
	f := &Function{}
	c := &compiler{f: f, words: names}
	k, err := c.node(node)
	switch {
	case err != nil:
		return nil, err
	case k != truths:
		return nil, &Error{Column: 1, What: fmt.Sprintf("%s is a number, and true or false is needed: compare it, as in %s > 0", node, node)}
	case f.places != 0:
		return nil, &Error{Column: 1, What: "there is no q here: it is about pages"}
	}
	if err := c.tooLarge(node); err != nil {
		return nil, err
	}
	return &Condition{text, c.program, f.raws}, nil
}

// String returns the expression.
func (c *Condition) String() string { return c.text }

// Uses reports whether the condition uses the name with a number.
func (c *Condition) Uses(name int) bool { return c.uses>>name&1 != 0 }

// Holds reports whether the condition is true for these numbers, by name. NaN is missing.
func (c *Condition) Holds(numbers []float64) bool {
	var v Values
	copy(v[:], numbers)
	result, ok := run(c.program, &v, nil)
	return ok && result != 0
}
