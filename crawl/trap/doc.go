// Package trap keeps a crawl out of places that never end (W27): calendars, paths and
// queries that grow, directories that hold the same pages under ever new names, names
// below a domain that all resolve, and farms of sites that link to each other.
//
// A Guard judges a page when it would be handed out, by what has come from places like
// it before. It knows no list of bad sites and asks for nothing: it counts, and spends a
// small allowance on what it cannot know yet.
//
//   - A group (a directory and a form of names, or a program and its parameters) whose
//     pages bring nothing new is left alone: NoNews. Only pages count, and only pages are
//     left alone, to which a single link is known, and that from within the group or from
//     a page with thousands of links: what several pages link to, or a person has listed,
//     is wanted by somebody; what a trap makes up is linked once, by what made it up.
//   - A parameter that changes nothing wherever pages with two values of it came needs
//     one value only: Duplicate.
//   - A place in which every page leads one level deeper, and none of them is an end, gets
//     a few pages on each level and no more: Grows. Trees of real pages have leaves, and
//     each of them adds to the allowance.
//   - Host names below a registered domain that only the domain itself links to need hosts
//     beside them that are worth something: Hosts. A host proves that only if one that
//     others know, or that of the domain itself, links to it.
//   - Domains that can be reached through one other domain only, by whatever way, share
//     allowances that depend on what that one is worth: Farm. It does not help a farm that
//     its sites link to each other.
//
// The last three are suspicions: pages are held, and released when something speaks for
// them. All of it is the fold of what it is told, in the order of the journal, so that a
// restart knows what was known before.
package trap
