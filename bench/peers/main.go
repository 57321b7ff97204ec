// Command peers measures what a page costs: winnow beside a bare net/http loop, colly,
// wget2 and wget, over the same web in one run. `make bench` calls it.
//
//	cd bench/peers && go run . [-tls] [-sites 1000] [-pages 12] [-rounds 7] [-only winnow,bare]
//	cd bench/peers && go run . -tls -delay 2s -sites 500 -winnow @b25eb86,
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
// With -tls the server has a certificate for each address, and offers HTTP/2 and HTTP/1.1
// as net/http does; the table has how many requests came by HTTP/2. With -delay only
// winnow runs, as polite as it is by default, and several versions of it can be compared;
// the column groups has the number of commits, divided by the time of the crawl in units
// of --commit.
//
// This directory is a module of its own, so that winnow does not depend on its peers. It
// needs Linux.
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// options holds the options of a run.
type options struct {
	sites, pages, rounds, workers int
	seed                          uint64
	tls                           bool
	ca                            string        // file with the authority of a server with TLS
	delay                         time.Duration // of each site; 0: politeness is off
	only                          string
	winnow                        string // see the flag
}

func (o *options) scheme() string {
	if o.ca != "" {
		return "https"
	}
	return "http"
}

// part returns the arguments by which this program runs a part of itself.
func (o *options) part(args ...string) []string {
	return append([]string{"-sites", strconv.Itoa(o.sites), "-pages", strconv.Itoa(o.pages),
		"-workers", strconv.Itoa(o.workers), "-seed", strconv.FormatUint(o.seed, 10), "-ca", o.ca}, args...)
}

func main() {
	var o options
	flag.IntVar(&o.sites, "sites", 1000, "number of sites")
	flag.IntVar(&o.pages, "pages", 12, "pages of each site")
	flag.IntVar(&o.rounds, "rounds", 7, "rounds, in each of which every crawler runs once")
	flag.IntVar(&o.workers, "workers", 64, "requests at a time")
	flag.Uint64Var(&o.seed, "seed", 1, "another seed is another web")
	flag.BoolVar(&o.tls, "tls", false, "serve the pages over TLS")
	flag.StringVar(&o.ca, "ca", "", "file with the authority of the server; for the processes that this one starts")
	flag.DurationVar(&o.delay, "delay", 0, "delay of winnow between two requests to a site; 0: politeness is off")
	flag.StringVar(&o.only, "only", "", "comma-separated names of the crawlers to run; without it all, but not wget with -tls")
	flag.StringVar(&o.winnow, "winnow", "", "comma-separated binaries of winnow to compare; @REVISION is built from that revision, nothing from the checkout")
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
		return bare(o, args[1])
	case args[0] == "colly" && len(args) == 2:
		return runColly(o, args[1])
	}
	return fmt.Errorf("%s: no such part", strings.Join(args, " "))
}
