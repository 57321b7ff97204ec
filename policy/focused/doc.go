// Package focused orders pages by what they have to do with the topic of a crawl: best-first,
// shark-search and topical, one file each. Leads, Hits and Distances are what such orders are
// made of: what speaks for a page before it is fetched, the terms at links, and how far a page
// is from those about the topic. Other policies use them, too.
//
// All of it is passive, and all that is known of pages is in columns: see package order.
package focused
