package terminal

import (
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/wording"
)

// ResumeCommand returns the command that resumes a crawl, "" if it runs or if nothing is
// left to fetch.
func ResumeCommand(dir string, s *history.Status, c *config.Config) string {
	if s.Why == history.WhyCluster {
		return "" // nodes continue it
	}
	if s.State != history.StatePaused && len(wording.RaiseAll(s.Caps)) == 0 || s.State == history.StateRunning {
		return ""
	}
	return Command(append([]string{"winnow", "crawl", "--dir", dir}, wording.RaiseFlags(s, c)...)...)
}
