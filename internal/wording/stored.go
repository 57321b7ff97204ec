package wording

import (
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
)

// NotStored says why fetched pages are not in the archive, "" if none asked for that or if all are
// stored.
func NotStored(s *history.Status, c *config.Config) string {
	if s.Shy == 0 || c.KeepNoArchive || !c.KeepsPages() {
		return ""
	}
	return "fetched, but noindex or noarchive: --keep-noarchive stores them"
}
