// Package mix lets several policies order the pages of a crawl side by side. Policies that learn
// which of their parts is best are built on it.
package mix
