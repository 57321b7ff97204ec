package past

import (
	"fmt"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// CheckSame returns an error if the crawl in a directory, which is resumed, names another earlier
// crawl than when it began: pages have their values since then. was is nil if there was no session.
func CheckSame(dir string, was, now *config.Config) error {
	if was == nil || was.History == now.History {
		return nil
	}
	text := fmt.Sprintf("%s began with --history %s", dir, was.History)
	if was.History == "" {
		text = dir + " began without --history"
	}
	return &hint.Error{Text: text + ", and that cannot change", Hint: "leave --history out to resume it, or choose another --dir for a new crawl"}
}
