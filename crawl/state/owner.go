package state

import (
	"hash/fnv"
	"math/bits"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/page"
)

// Owner returns the function that tells the partition of the site with a name, nil if the crawl
// has one partition.
func Owner(c *config.Config) (func(site []byte) int, error) {
	if c.Partitions <= 1 {
		return nil, nil
	}
	return func(site []byte) int {
		h := fnv.New64a()
		h.Write([]byte(page.Domain(page.Host(site))))
		hi, _ := bits.Mul64(h.Sum64()*0x9e3779b97f4a7c15, uint64(c.Partitions))
		return int(hi)
	}, nil
}
