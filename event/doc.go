// Package event holds the words that the parts of a crawl share: the tasks that are handed
// out, the events that are recorded, how an attempt ended (Class), and why a page is not
// fetched (Bar).
//
// A Task is what a fetcher does. An Event is what happened, with everything that
// was decided about it. The frontier is a fold of events, the journal writes them down, the
// crawler and the simulator make them. The numbers of all constants stand in journals: new
// ones come last.
package event
