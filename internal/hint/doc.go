// Package hint has an error that comes with advice.
package hint
