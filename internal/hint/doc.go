// Package hint has an error that says what to do about it.
package hint
