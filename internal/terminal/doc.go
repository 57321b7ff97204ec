// Package terminal holds what a terminal shows of a crawl: the live view, the status, the
// tables of the verbs that read a crawl, and why a crawl has no page. It prints numbers of
// other packages and computes none.
package terminal
