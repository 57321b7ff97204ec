// Package answer decides what a synthetic web answers to every request, and knows the
// truth about it.
//
// A [World] is a web of package fakeweb and [Options]: HTML with the links of the graph,
// robots.txt, sitemaps, names. Everything that is not plain is a share in the options:
// redirects, failures that pass and failures that stay, forbidden directories,
// Crawl-delays, charsets, codings, slow sites, changing pages. Each is a hash of seed,
// site and page, by rules that the answers and the truth both use, so that they cannot
// differ: [World.Truth] of a page, [World.SiteTruth], and [World.Wanted], the pages that
// a crawl has to fetch.
//
// [World.Target] finds what a request is for, and [World.Answer] the answer to it.
// Package serve sends answers; package count records what visitors did.
//
// # A hostile web
//
// [Hostile] is a web with everything that crawlers suffer from. Each part is a share like
// the others, alone or together with others. Then there are other URLs than those of the
// graph; [World.Place] describes them:
//
//   - Copies ([CopyShares]): the content of a page under another URL of its site, on
//     another site, on a mirror with a name of its own, or with a few words changed. The
//     text is the same to the letter; links lead to the same pages. Some copies link to
//     pages that nothing else links to. A page that links to a copy links to its original, too, so that a crawl needs none of them.
//   - Traps ([TrapShares]): calendars, growing paths and queries, session ids, "not found"
//     with status 200, directories of copies, link farms, sites with a host for every
//     name. What is in them is a function of the URL: they have no end and need no memory.
//     Some traps have the same text on every page and others never twice, so that neither
//     text nor URL alone gives them away.
//   - Servers ([ServerShares], [PageShares], [RobotsShares]): storms of 429 and 503, answers
//     that hang, drip, break off, never end or lie about their length, codings and
//     charsets that are not as declared, loops and chains of redirects, a robots.txt that
//     changes, sites that are down.
//
// The truth stays exact. [Wanted] lists apart, as Maybe, what some crawlers find and
// others do not, for good reasons.
//
// # A changing web
//
// [Changes] describes what a visitor meets that comes back. The version of a page is the
// number of its changes up to an instant of a clock, a function of seed, page and instant:
// [World.Version], [World.Changes], [World.Rate]. Pages vanish, return and move
// ([World.Fate], [World.Gone], [World.Moved]). What sites say about it, by validators,
// dates in sitemaps and feeds, is true or not ([SiteTruth]). Truth and Wanted describe the
// web before anything vanishes or moves; copies stay where they are.
package answer
