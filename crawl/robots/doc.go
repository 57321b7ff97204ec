// Package robots reads robots.txt and answers whether a page may be fetched (RFC
// 9309). It also reads the robots tags that pages and headers carry. It does no input or
// output and has no clock: the crawler fetches, waits and caches, this package decides.
//
// # The story of a robots.txt
//
// [Limits.Judge] returns what an answer for https://site/robots.txt means: read it,
// follow the redirect, the site has none (all is allowed), or it is unavailable (nothing
// is allowed, request it again later). [Parse] reads the body line by line; a line it does not
// understand is no error, it is skipped. [File.For] picks the groups that name our
// product token, or else the groups of "*", merges them and packs them into [Rules]: one
// string, sorted so that the first rule that matches is the one that counts. [Rules.Test]
// is then called for every page of the site, without allocating.
//
// # One spelling
//
// A rule and a path can spell the same octets in many ways. Both are normalised and then compared
// octet by octet:
//
//   - an escaped unreserved character is that character: %62 is b, %7e is ~;
//   - everything that is neither unreserved nor reserved is escaped, with capital
//     letters: the raw UTF-8 of U+00E9 is %C3%A9, as is %c3%a9; a blank is %20;
//   - reserved characters stay what they are: / and %2F are two things (RFC 3986, 2.2),
//     except that * and $ in a path become %2A and %24, because a rule that means the
//     character has to write it so (RFC 9309, 2.2.3);
//   - and except that behind a ? in a rule the characters : / @, which separate nothing
//     there, match their escapes and the other way round (second row of the table in RFC
//     9309, 2.2.2);
//   - a % that begins no escape is %25 in a path. A rule with one is read in two ways:
//     with %25, so that it matches its own path, and with a mere %, so that "/*%" matches
//     every path with an escape in it, as its author expects.
//
// # Which rule counts
//
// The matching rule with the most octets in normal form, where * and the final $ count
// as one each; of two of the same length the one that allows; of two of those the first
// in the file. No rule: allowed. /robots.txt: always allowed.
//
// # What is tolerated
//
// As in Google's published parser: "user agent" and "useragent"; "disalow", "dissallow",
// "dissalow", "diasllow" and "disallaw"; "site-map"; a blank for the colon when exactly
// two words are on the line; text behind the product token ("foobot/1.2", "foobot (x)"); a
// byte order mark, even a cut one. Also: "crawl delay", "crawl_delay" and
// "crawldelay"; a rule that begins with neither / nor * is read as if it began with
// a /. Not taken over from Google: an allowed /dir/index.html does not allow /dir/, a long
// line is not cut (a cut rule would match more than its author wrote), and %62 is b.
//
// Crawl-delay and Sitemap are no part of RFC 9309, so they neither end a group nor begin
// one; a Crawl-delay applies to the product tokens directly above it or above the rules that
// it follows.
package robots
