package score

// A Term is one of the things that are known of a page.
type Term uint8

// The terms, in the order of Table.
const (
	PageRank Term = iota
	PageRankRemote
	Backlinks
	SitesIn
	Authority
	AuthorityRemote
	Cash
	Location
	Import
	SitePages
	SiteLinks
	SitePageRank
	SiteBacklinks
	SiteSpeed
	Depth
	NearDuplicate
	Similarity
	AnchorSimilarity
	AroundSimilarity
	URLSimilarity
	ParentSimilarity
	HotDistance
	Terms // their number
)

// An Info describes a term.
type Info struct {
	Name    string // in expressions
	Meaning string
	Unit    string
	Source  string // where the value comes from, and when it changes
	// URLs reports that the term needs the URLs of pages.
	URLs bool
	// Crawl reports that the term depends on how the crawl went, so that a graph has none.
	Crawl bool
	// Scaled reports that the term has a scale of its own, from 0 to 1 or a few steps, so that a
	// bare name means its value: see Explicit.
	Scaled bool
	// Topic reports that the term needs a topic of the crawl.
	Topic bool
}

// Table returns the terms.
func Table() [Terms]Info {
	const (
		link       = "the links of fetched pages, at each link"
		checkpoint = "the links of fetched pages, at checkpoints"
		share      = "0 to 1"
	)
	return [Terms]Info{
		PageRank:        {Name: "pagerank", Meaning: "PageRank over the known pages", Unit: "mean 1", Source: checkpoint + ", with a first estimate for new pages"},
		PageRankRemote:  {Name: "pagerank_remote", Meaning: "PageRank over links from one site to another; links within a site do not count", Unit: "mean 1", Source: checkpoint + ", with a first estimate for new pages"},
		Backlinks:       {Name: "backlinks", Meaning: "fetched pages that link to it", Unit: "pages", Source: link},
		SitesIn:         {Name: "sites_in", Meaning: "sites from which some page links to it, its own among them", Unit: "sites", Source: checkpoint},
		Authority:       {Name: "authority", Meaning: "authority of HITS", Unit: "mean 1", Source: checkpoint},
		AuthorityRemote: {Name: "authority_remote", Meaning: "authority of HITS over links from one site to another", Unit: "mean 1", Source: checkpoint},
		Cash:            {Name: "cash", Meaning: "cash of OPIC: seeds share 1, a fetched page hands its cash to its links", Unit: "of 1", Source: link, Crawl: true},
		Location:        {Name: "location", Meaning: "what the rules give its URL", Unit: "points", Source: "the URL alone", URLs: true},
		Import:          {Name: "imported", Meaning: "value of the longest key that fits: URL, prefix, site or host", Unit: "as in the file", Source: "a file of the user", URLs: true},
		SitePages:       {Name: "site_pages", Meaning: "known pages of its site", Unit: "pages", Source: "discovery; pages that wait see it at checkpoints"},
		SiteLinks:       {Name: "site_links", Meaning: "links from pages of other sites to pages of its site", Unit: "links", Source: "the links of fetched pages; pages that wait see it at checkpoints"},
		SitePageRank:    {Name: "site_pagerank", Meaning: "mean PageRank of the known pages of its site", Unit: "mean 1 over all pages", Source: checkpoint},
		SiteBacklinks:   {Name: "site_backlinks", Meaning: "mean backlinks of the known pages of its site", Unit: "pages", Source: "the links of fetched pages; pages that wait see it at checkpoints"},
		SiteSpeed:       {Name: "site_speed", Meaning: "how fast its site answers: pages for each second of waiting for them", Unit: "pages/s", Source: "the times of fetched pages; missing before the first", Crawl: true},
		Depth:           {Name: "depth", Meaning: "links from a seed", Unit: "links", Source: "discovery", Crawl: true},
		NearDuplicate:   {Name: "near_duplicate", Meaning: "1 if the crawl discounts it: only near duplicates or pages that seem to be in a trap link to it, or its site is a mirror", Unit: "0 or 1", Source: "the contents of fetched pages", Crawl: true, Scaled: true},

		Similarity:       {Name: "similarity", Meaning: "how near it is to the topic; before it is fetched the largest of the next three and half of parent_similarity", Unit: share, Source: "its text; before, as those", Crawl: true, Topic: true, Scaled: true},
		AnchorSimilarity: {Name: "anchor_similarity", Meaning: "the largest share of the topic in the text of a link to it", Unit: share, Source: link, Crawl: true, Topic: true, Scaled: true},
		AroundSimilarity: {Name: "around_similarity", Meaning: "the largest share of the topic in the words around a link to it", Unit: share, Source: link, Crawl: true, Topic: true, Scaled: true},
		URLSimilarity:    {Name: "url_similarity", Meaning: "share of the topic in its URL", Unit: share, Source: "the URL alone, when it becomes known", Crawl: true, Topic: true, Scaled: true},
		ParentSimilarity: {Name: "parent_similarity", Meaning: "the largest similarity of a fetched page that links to it", Unit: share, Source: link, Crawl: true, Topic: true, Scaled: true},
		HotDistance:      {Name: "hot_distance", Meaning: "links from the nearest hot page, 0 for a hot one; missing if there are more than three", Unit: "links", Source: link, Crawl: true, Topic: true, Scaled: true},
	}
}

// String returns the name of the term in expressions.
func (t Term) String() string { return Table()[t].Name }

// names returns the names of all terms.
func names() (list []string) {
	for _, info := range Table() {
		list = append(list, info.Name)
	}
	return list
}

// termOf returns the term with a name.
func termOf(name string) (Term, bool) {
	for t, info := range Table() {
		if info.Name == name {
			return Term(t), true
		}
	}
	return 0, false
}
