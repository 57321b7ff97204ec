package advise

import "github.com/winnow-crawler/winnow/score"

// A StopTerm is a number by which a crawl may stop.
type StopTerm struct{ Name, Meaning string }

// The terms, in the order of StopTerms.
const (
	stopPages = iota
	stopKnown
	stopHours
	stopBytes
	stopImportance
	stopCertain
	stopGain
	stopSinceHot
	stopTerms // their number
)

// StopTerms returns what a stop expression may be about.
func StopTerms() [stopTerms]StopTerm {
	return [stopTerms]StopTerm{
		stopPages:      {"pages", "fetched pages, not counting redirects"},
		stopKnown:      {"known", "known pages"},
		stopHours:      {"hours", "hours of crawling, over all runs"},
		stopBytes:      {"bytes", "received bytes"},
		stopImportance: {"importance", "share of the PageRank of the known pages that is fetched"},
		stopCertain:    {"certain", "share of PageRank with jumps to the seeds that is certainly fetched"},
		stopGain:       {"gain", "importance of the last tenth of the fetched pages, as a share of that of the others"},
		stopSinceHot:   {"since_hot", "pages since the last hot one; missing without a topic"},
	}
}

// CompileStop returns the condition that an expression describes: comparisons of terms, joined
// by and, or, not. An error is a *score.Error.
func CompileStop(text string) (*score.Condition, error) {
	var names []string
	for _, t := range StopTerms() {
		names = append(names, t.Name)
	}
	return score.CompileCondition(text, names)
}

// Counts are what a driver counts by itself.
type Counts struct {
	Pages, Known, Bytes int64
	Hours               float64
	SinceHot            float64 // NaN without a topic
}
