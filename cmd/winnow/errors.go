package main

import (
	"errors"
	"fmt"

	"github.com/winnow-crawler/winnow/internal/hint"
)

// Exit codes. They are a contract with scripts (help.go shows them to users).
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitMissing     = 3
	exitInterrupted = 130
)

// A usageError reports a command line that cannot be carried out.
type usageError struct{ err error }

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// A missingError reports a command that finished without a part of its result: a
// report not written, one policy of several failed, a violation found by verify.
type missingError struct{ err error }

func (e *missingError) Error() string { return e.err.Error() }
func (e *missingError) Unwrap() error { return e.err }

// usagef returns a usage error (exit 2).
func usagef(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

// missingf returns an error for a result with something missing (exit 3).
func missingf(format string, args ...any) error {
	return &missingError{fmt.Errorf(format, args...)}
}

// withHint adds a hint to an error of any kind.
func withHint(err error, format string, args ...any) error {
	return &hint.Error{Err: err, Hint: fmt.Sprintf(format, args...)}
}

// exitCode returns the exit code of a verb that returned err.
func exitCode(err error) int {
	var usage *usageError
	var missing *missingError
	switch {
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &missing):
		return exitMissing
	}
	return exitError
}
