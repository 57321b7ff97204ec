// Package trap keeps a crawl out of places that never end: calendars, paths and queries that
// grow, directories with the same pages under ever new names, domains below which every
// name resolves, and farms of sites that link to each other.
//
// A Guard judges a page when it would be handed out, by the pages of the same place that
// were fetched before. It has no list of bad sites and requests nothing. It counts, and
// spends a small allowance on places that it does not know yet.
//
//   - NoNews: a group is a directory and a form of names, or a program and its parameters.
//     If the pages of a group bring nothing new, the rest are skipped. Only pages with a
//     single known link count, and only such pages are skipped, if the link is from within
//     the group or from a page with thousands of links. A page that several pages link to, or that a person has listed, has a reader. A page that a trap generates has one link, from the page that generated it.
//   - Duplicate: if a parameter changes nothing wherever pages with two values of it were
//     fetched, one value is enough.
//   - Grows: if every page of a place leads one level deeper and none is an end, a few pages
//     on each level are fetched and no more. Trees of real pages have leaves, and each leaf
//     adds to the allowance.
//   - Hosts: hosts below a registered domain that only the domain itself links to are fetched only if other such hosts bring new pages. Such a host counts only if another
//     domain, or the main host of its own domain, links to it.
//   - Farm: domains that can be reached through one other domain only share an allowance
//     that depends on the new pages of that domain. Links between the sites of a farm do not
//     help it.
//
// The last three are suspicions: the pages are held, and released when there is evidence
// for them. The state of a Guard follows from the calls of its methods in the order of the
// journal, so a restart knows what was known before.
package trap
