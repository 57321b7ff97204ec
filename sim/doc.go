// Package sim crawls a known graph in virtual time: the world is a graph with a model
// of time, the frontier and the policies are those of the live crawler, and the clock
// jumps from one event to the next.
//
// # The loop
//
// As long as a fetcher is idle, Next of the frontier is called for a task at the present
// instant. A task takes the time that the world gives to each of its phases: finding
// the address, connecting, the first byte, the body, closing. Bodies share the
// crawler's own line max-min fairly when it has a limit. Then the clock goes to the
// earliest end of a task, or to the instant at which the frontier wants to be called
// again. Ends at the same instant are applied in the order of site and page before Next
// is called; a connection that is kept gets its next page at its own end. Nothing is
// handed out in advance, nothing waits for a group of ends, and parsing takes no time:
// a crawler that does the same with goroutines and a real clock hands out the same
// pages at the same instants.
//
// # Ids
//
// The world has its own page ids. The crawl numbers pages and sites as it discovers
// them, as the live crawler does, so that a policy sees nothing of the world in an id.
// The links of a page are seen in ascending id of the world.
package sim
