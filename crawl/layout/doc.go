// Package layout names the parts of a crawl directory, and reads what the first session of
// a crawl decided once and for all.
package layout
