// Package history reads the directory of a crawl, while it runs or afterwards: its sessions,
// its status, the states of its pages, visits and times, the stored pages. [Verify] holds a
// crawl against the rules of politeness and its parts against each other.
//
// It writes nothing.
package history
