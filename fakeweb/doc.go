// Package fakeweb generates the synthetic web: a graph that looks like a web, made
// from a seed alone, for scale tests, for users without data and for the crawler's
// own test server, package serve.
//
// # The model
//
// Pages lie in sites, sites in directories, and ids follow the URLs: the pages of
// a site are consecutive, its home page first, then directory after directory,
// each with its index page first. Sites have sizes by Zipf's law in random order.
//
// Links come from four sources, taken in this order until the page has its number
// of links:
//
//  1. The tree. The home page links to directories, a directory's index page to
//     its pages and to further directories, and the home page of site s to those
//     of sites 8s+1 to 8s+8. So everything can be reached from page 0.
//  2. Navigation: up to the home page and the index page, on to the next page.
//  3. Local slots. Link slot i of a page is the same slot of an earlier page of
//     the site, its prototype, except that with a small probability it is drawn again. This is the copying model of Kleinberg et al. (1999) and Kumar et
//     al. (2000): with prototypes chosen evenly its in-degrees follow a power
//     law with exponent (2-a)/(1-a), a the share of fresh links. Here the
//     prototype is mostly one of the last few pages of the directory, or the
//     index page further up: that makes neighbouring pages similar (a navigation template), lists compressible, and the exponent a little higher.
//  4. Remote slots, about one in nine: the same, with prototypes in the
//     directory or anywhere in sites with a smaller id, and fresh links to any
//     site, most of them to its home page.
//
// About a fifth of the pages is dangling. The number of links of a page has a
// power-law tail; it is scaled so that the total is exactly as requested.
//
// # Topics
//
// With [Topics] pages are about something: [Web.Subject] is the truth about each. Links of
// pages on a topic prefer pages on it, and URLs sometimes have a word of it; package answer
// writes their text. Without topics a web is the same as before there were any.
//
// # No state
//
// The copying model is usually run with all lists in memory. Here a slot is a function:
// follow the prototypes until a hash of (seed, site, page, slot) means "fresh", some forty
// steps; only few are taken when pages come in order. So any list can be made at any time
// without the others, memory is four bytes a site, and nothing but the seed decides. Only
// integers, square roots, products and quotients are used (no powers, no logarithms), so
// that the graph is the same on every machine.
//
// # Where it is not a web
//
// There are no self-links and no islands: every page is reachable. Traps and duplicates are
// no part of the graph: package answer adds them. With fewer links than pages - 1 the tree
// is incomplete, and pages may be unreachable; with more links than the other pages can
// hold, no page is dangling.
package fakeweb
