// Package gather processes an answer between the fetcher that got it and the loop that
// decides about it: WIRE's gatherer. It removes the content coding, detects the type,
// reads links, title, digest and the wishes of the author, brings links into their
// normal form, hashes and judges them, and makes the WARC records. Each answer is processed
// alone, so this runs on all processors. The loop only looks up hashes.
//
//	fetch.Answer -> decode -> type -> charset -> scan -> links, digest, tags -> records -> Found
//
// # Links
//
// The links of a page are those to other pages: a, area, frames, a refresh, and link
// elements with the relation canonical, next, prev or alternate; not style sheets, icons, images
// and what else a browser loads. They are distinct, in the order of the document,
// without the page itself. A redirect is a page with one link. An href that has no
// normal form (mailto, a script, no URL at all) is no link and is counted by its
// verdict.
//
// Of a target that the page has several times, the best region counts, and the first words of
// all its anchors: see event.Anchor.
//
// A link that is not to be followed is still a link, with an event.Bar as the
// reason: out-of-scope pages get numbers, so that a wider scope needs no new request,
// and the graph has the links that are in the pages. The bar of the URL comes
// first, then nofollow: so all links to a page have the same bar, except that some are
// nofollow and others are not, and among those of one page a followed one wins.
//
// # What is stored
//
// An exchange becomes a response record and a request record. A page whose author wants
// no copy (noindex, noarchive) and a body of a type that is not wanted become a request
// record and a metadata record that describes what was left out: every index would list a
// response without its body as a capture of an empty page. An answer 304 is a revisit
// record. Without an answer there is no record; the journal has the failure.
package gather
