package event

// meanings explain the reasons of refusals.
var meanings = map[Bar]string{
	BarRobots:      "robots.txt forbids it",
	BarScope:       "it lies outside the scope of the crawl",
	BarDepth:       "it is too many links away from a seed",
	BarSitePages:   "its site has as many pages as it may",
	BarDomainPages: "its registered domain has as many pages as it may",
	BarExcluded:    "a pattern or a rule of the options excludes it",
	BarDenied:      "its host is on the deny list",
	BarType:        "its name says that it is no HTML",
	BarNoFollow:    "only nofollow links lead to it",
	BarLength:      "its URL is too long",
	BarLost:        "the record that made it known is damaged",
	BarTrap:        "its URL has the shape of a trap: segments or parameters that repeat, or too many of them",
	BarNoNews:      "pages like it brought nothing new: what others had before, or \"not found\"",
	BarDuplicate:   "it came already with another value of a parameter that changes nothing",
	BarGrows:       "every page there leads one level deeper, and none is an end",
	BarHosts:       "its host is one of many names below a domain that nobody else links to",
	BarFarm:        "its domain can be reached through one other domain only, with many more",
}

// Meaning explains the reason in a clause about the page.
func (b Bar) Meaning() string { return meanings[b] }
