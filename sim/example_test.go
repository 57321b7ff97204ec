package sim_test

import (
	"fmt"
	"log"
	"time"

	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/sim"
)

// Two policies crawl the same web of six pages. Page 5 has the most links, and
// backlink-count finds it before breadth-first does.
func ExampleRun() {
	web := graph.ListsOf([][]graph.Page{
		0: {1, 2, 3, 4},
		1: {5},
		2: {5},
		3: {},
		4: {5},
		5: {0},
	})
	defer web.Free()
	for _, name := range []string{"breadth-first", "backlink-count"} {
		choice, err := policy.Choose(name)
		if err != nil {
			log.Fatal(err)
		}
		res, err := sim.Run(&sim.World{Out: web}, sim.Options{
			Policy: choice,
			Setup:  sim.Setup{Seeds: []graph.Page{0}},
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, res.Order)
	}
	// Output:
	// breadth-first [0 1 2 3 4 5]
	// backlink-count [0 1 2 5 3 4]
}

// With a model of time a virtual crawl also says how long it takes: here all pages are on one
// site, and the crawler waits two seconds between two requests.
func ExampleRun_time() {
	web := graph.ListsOf([][]graph.Page{{1, 2}, {2}, {}})
	defer web.Free()
	times, err := sim.Preset("modern", 1)
	if err != nil {
		log.Fatal(err)
	}
	choice, err := policy.Choose(policy.Default)
	if err != nil {
		log.Fatal(err)
	}
	world := &sim.World{Out: web, SiteOf: []graph.Site{0, 0, 0}, Sites: 1, Times: times}
	res, err := sim.Run(world, sim.Options{
		Policy: choice,
		Setup:  sim.Setup{Seeds: []graph.Page{0}, Fetchers: 8, Frontier: frontier.Options{Delay: 2 * time.Second}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(res.Order), "pages, longer than 4 s:", res.Took > 4*time.Second)
	// Output: 3 pages, longer than 4 s: true
}
