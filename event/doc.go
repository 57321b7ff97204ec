// Package event holds the words that the parts of a crawl share: the tasks that are handed
// out, the events that are recorded, how an attempt ended (Class), and why a page is not
// fetched (Bar).
//
// A Task describes what a fetcher does. An Event describes what happened, with everything
// that was decided about it. The frontier is a fold of events, the journal stores them, the
// crawler and the simulator make them. Journals contain the numbers of all constants: new
// ones come last.
package event
