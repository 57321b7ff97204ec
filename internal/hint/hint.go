// Package hint provides an error with advice.
package hint

// An Error is an error with a hint about what to do.
type Error struct {
	Text string // may be empty if Err is not nil
	Hint string
	Err  error // may be nil
}

func (e *Error) Error() string {
	switch {
	case e.Err == nil:
		return e.Text
	case e.Text == "":
		return e.Err.Error()
	}
	return e.Text + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
