// Package advise says when a crawl may stop. It is passive: it sees the order of the fetches,
// the links of fetched pages, times and sizes, and nothing else.
//
// [Ask] returns an [Advice] on a [Course]: what a tenth more pages, hours or bytes would add to
// the importance that was fetched, with an interval, how much of personalised PageRank is
// certainly fetched, and which sites take more requests than they are worth.
//
// A [Watch] keeps the same numbers while a crawl runs, and decides by an expression whether it
// stops: see [CompileStop].
//
// docs/advise.md describes the method and how far it can be trusted.
package advise
