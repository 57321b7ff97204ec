// Package topic describes what a crawl is about, and how near pages are to it.
//
// A [Topic] has terms: words of a query, or words that example pages have more often than
// others. A [Reader] finds them in a page and at its links, where the page is fetched; what it
// finds is an [event.Reading], which is all that anybody else needs. A [Collection] is fed with
// the readings of the fetched pages one by one. It counts in how many of them each term is, and
// says how similar a page is to the topic: the IS' of Cho, Garcia-Molina and Page 1998, which
// knows only what was fetched so far. The same readings in the same order give the same numbers.
//
// Reader and Collection follow one rule about words: they are those of Unicode (UAX 29), in
// lower case, and if the topic says so, their stems.
//
// For collections that are known as a whole, [Corpus] computes the IS of the paper itself.
package topic
