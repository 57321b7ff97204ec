package event

import "github.com/winnow-crawler/winnow/graph"

// A Hint is what a sitemap file says about how important a page is, compared with the other
// pages of the file. Journals contain the number.
type Hint struct {
	Page  graph.Page
	Above int8 // its priority less the mean of the file, in hundredths: -MaxAbove to MaxAbove
}

// MaxAbove is the largest Hint.Above.
const MaxAbove = 100
