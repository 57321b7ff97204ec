// Package layout names the files and parts of a crawl directory, locks it, and reads the
// identity of a crawl.
package layout
