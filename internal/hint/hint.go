package hint

// An Error is one that a person can do something about.
type Error struct {
	Text string
	Hint string
	Err  error // may be nil
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Text + ": " + e.Err.Error()
	}
	return e.Text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
