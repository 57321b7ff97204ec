package focus

import (
	"fmt"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// CheckSame returns an error if the crawl in a directory, which is resumed, names another topic than
// when it began: pages were read for that one. was is nil if there was no session.
func CheckSame(dir string, was, now *config.Config) error {
	if was == nil || was.Topic == "" && was.Focused() {
		return nil // there is no session with pages
	}
	for _, key := range []string{"topic", "query", "query_file", "examples", "like", "similarity", "idf", "idf_file", "title_weight", "stem", "hot"} {
		a, _ := was.Key(key)
		b, _ := now.Key(key)
		if !was.Focused() && !now.Focused() || a.String() == b.String() {
			continue
		}
		text := fmt.Sprintf("%s began with another --%s", dir, b.Flag())
		if !was.Focused() {
			text = dir + " began without a topic"
		}
		return &hint.Error{Text: text + ", and that cannot change: its pages were read for it", Hint: "leave --" + b.Flag() + " out to resume it, or choose another --dir for a new crawl"}
	}
	return nil
}

// FirstWords returns the first words of a topic, for people.
func FirstWords(words []string) string {
	text := ""
	for i, w := range words {
		if i == 8 {
			return text + " ..."
		}
		if i > 0 {
			text += " "
		}
		text += w
	}
	return text
}
