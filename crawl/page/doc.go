// Package page derives facts about a page: from its URL, before it is fetched, and from its
// HTML.
//
// The URL half turns a link as an author typed it into the one spelling under which we
// know a page. Resolver reads a link relative to its document as
// browsers do (the WHATWG URL standard) and writes our normal form:
//
//   - scheme and host in lower case, international names in punycode, no default
//     port, no dot at the end of the host, IP addresses in their usual notation;
//   - no dot segments, "/" for the empty path, no fragment, no "?" without a query;
//   - characters percent-encoded where the standard demands it, escapes in upper case,
//     and no escapes of letters, digits and "-._~", which never need one;
//   - no tracking parameters and no session ids (the tables are in url_drop.go):
//     they name a visit, not a page, and one of them gives a site without end.
//
// What it does not change is as deliberate. Parameters keep their order: a sorted query
// is another page wherever names repeat, wherever a script reads the raw string,
// and wherever order is the meaning; sites that write one query in two orders are rare,
// and content digests find them. Case of the path, slashes that repeat or end it,
// "index.html" and "www." stay too: servers do distinguish them.
//
// The normal form is a fixed point (the normal form of a normal form is itself), a
// WHATWG parser reads it and writes it back unchanged, and it has no credentials:
// links with a user name or a password are refused. We log in nowhere, and neither
// journal nor archive should contain a password.
//
// There are two ways through Resolver. Plain links, nearly all, take a fast path that
// allocates nothing. All others go to a full WHATWG parser (nlnwa/whatwg-url), which is
// thirty times slower. A fuzz test checks that both give the same results.
//
// Site, Domain, Shape, Dynamic and Extension read facts off a normal form for the
// limits and trap rules, and ParseSeed reads what people type.
package page
