package input

import (
	"fmt"
	"strconv"
)

// Error is what is wrong with a file that a user gave us, and where.
type Error struct {
	File string
	Line int    // from 1; 0 when no line is meant
	Msg  string // the whole message, without file and line
	Err  error  // the cause, if there is one; Msg already tells it
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", printable(e.File), e.Msg)
	}
	return fmt.Sprintf("%s:%d: %s", printable(e.File), e.Line, e.Msg)
}

func (e *Error) Unwrap() error { return e.Err }

// printable is name as it stands, or quoted when it holds bytes that a terminal
// might obey.
func printable(name string) string {
	if q := strconv.Quote(name); q[1:len(q)-1] != name {
		return q
	}
	return name
}

// shownBytes is how much of a bad field an error shows.
const shownBytes = 40

// Quote shows text of a file in an error: shortened, and with everything but
// printable characters escaped.
func Quote(text []byte) string {
	if len(text) > shownBytes {
		return strconv.Quote(string(text[:shownBytes])) + "..."
	}
	return strconv.Quote(string(text))
}
