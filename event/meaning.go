package event

// meanings explain the reasons of refusals.
var meanings = map[Bar]string{
	BarRobots:      "robots.txt forbids it",
	BarScope:       "it is outside the scope of the crawl",
	BarDepth:       "it is too many links away from a seed",
	BarSitePages:   "its site has reached --site-pages",
	BarDomainPages: "its registered domain has reached --domain-pages",
	BarExcluded:    "a pattern or a rule excludes it",
	BarDenied:      "its host is on the deny list",
	BarType:        "its name shows that it is not HTML",
	BarNoFollow:    "only nofollow links lead to it",
	BarLength:      "its URL is too long",
	BarLost:        "the record that made it known is damaged",
	BarTrap:        "its URL looks like a trap: repeated or too many segments or parameters",
	BarNoNews:      "similar pages brought nothing new: known content, or \"not found\"",
	BarDuplicate:   "it was already fetched with another value of a parameter that changes nothing",
	BarGrows:       "every page in that place leads one level deeper, without end",
	BarHosts:       "its host is one of many below a domain, and no other site links to it",
	BarFarm:        "its domain is one of many that are linked from a single other domain only",
}

// Meaning explains the reason in a clause about the page.
func (b Bar) Meaning() string { return meanings[b] }
