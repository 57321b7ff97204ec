// Package machine reports what the machine allows a process, and holds the Go heap within
// it.
package machine
