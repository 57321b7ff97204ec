// Command peers measures what a page costs: winnow beside a bare net/http loop, colly,
// wget2 and wget, over the same web in one run. `make bench` calls it.
//
//	cd bench/peers && go run . [-sites 1000] [-pages 12] [-rounds 3] [-only winnow,bare]
//
// The web is made from a seed: log-uniform pages of 5 to 60 KB, 30 links each on average,
// gzip made beforehand so that the server costs little. Every site is an address of its own
// in 127.0.0.0/8 and goes by that address, so that no crawler needs DNS. Server and
// crawlers are processes of their own; CPU time and memory are what the system accounts to
// each when it has ended, pages, repeats and connections are the server's count. Politeness
// is off everywhere: winnow still requests robots.txt and keeps to one connection to a
// site. It writes WARC, journal, URL table and opic as in any crawl; the others store
// nothing, except that wget and wget2 write each page and delete it.
//
// This directory is a module of its own, so that winnow does not depend on its peers. It
// needs a Unix system.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

// options holds the options of a run.
type options struct {
	sites, pages, rounds, workers int
	seed                          uint64
	only                          string
	winnow                        string // finished binaries; "": one is built
}

func main() {
	var o options
	flag.IntVar(&o.sites, "sites", 1000, "number of sites")
	flag.IntVar(&o.pages, "pages", 12, "pages of each site")
	flag.IntVar(&o.rounds, "rounds", 3, "rounds, in each of which every crawler runs once")
	flag.IntVar(&o.workers, "workers", 64, "requests at a time")
	flag.Uint64Var(&o.seed, "seed", 1, "another seed is another web")
	flag.StringVar(&o.only, "only", "", "comma-separated names of the crawlers to run")
	flag.StringVar(&o.winnow, "winnow", "", "comma-separated binaries of winnow to compare; one is built from the checkout if there is none")
	flag.Parse()
	if err := dispatch(&o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "peers: error:", err)
		os.Exit(1)
	}
}

// dispatch runs the part of the benchmark that this process is for: without arguments
// the whole of it, else one of the children that it starts.
func dispatch(o *options, args []string) error {
	switch {
	case len(args) == 0:
		return run(o)
	case args[0] == "serve":
		return serve(o)
	case args[0] == "bare" && len(args) == 2:
		bare(o, args[1])
		return nil
	case args[0] == "colly" && len(args) == 2:
		return runColly(o, args[1])
	}
	return fmt.Errorf("%s: no such part", strings.Join(args, " "))
}
