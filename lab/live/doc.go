// Package live compares real crawls with virtual ones.
//
// A World is the graph that a crawl recorded, which can be crawled again virtually, with
// the times that the crawl recorded. A Report compares the order of the crawl with the
// orders of other policies in its world.
package live
