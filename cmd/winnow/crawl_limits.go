package main

import (
	"strconv"

	"github.com/winnow-crawler/winnow/internal/machine"
	"github.com/winnow-crawler/winnow/internal/show"
)

// filesBeside is how many files and sockets a crawl has open beside the connection that
// each fetcher may have: archive, journal, URLs, snapshots, indexes, metrics and their
// readers, standard streams. Questions to the resolver are in the place of connections.
const filesBeside = 64

// checkOpenFiles refuses more fetchers than the system has open files for: pages would
// fail for lack of a connection, through no fault of their own.
func (c *crawling) checkOpenFiles() error {
	most, known := machine.OpenFiles()
	need := c.config.Fetchers + filesBeside
	if !known || need <= most {
		return nil
	}
	err := usagef("--fetchers %d needs %s open files, and the system allows %s", c.config.Fetchers, show.Grouped(int64(need)), show.Grouped(int64(most)))
	if fewer := most - filesBeside; fewer > 0 {
		return withHint(err, "raise the limit with ulimit -Hn %d, or try: %s", need, c.u.withFlag("--fetchers", strconv.Itoa(fewer)))
	}
	return withHint(err, "raise the limit with ulimit -Hn %d", need)
}
