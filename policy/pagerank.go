package policy

// PageRank: Cho, Garcia-Molina, Page 1998, figure 2(3), IR'.
//
//	value(p) = PageRank of p over all known pages, solved before each hand-out
//
// It is batch-pagerank with K = 1, for webs of up to 10,000 pages. It knows the links of
// fetched pages. Cost per page: one refinement of the ranks and two passes over all pages.
//
// Where it fails: PageRank of a part of the web favours what was crawled first. Ranks near
// the start pages are high, because all known links come from there.

func pagerankSpec() *Spec {
	return &Spec{
		Name:     "pagerank",
		Source:   "Cho 1998",
		What:     "highest PageRank first, solved before each page",
		Links:    true,
		MaxPages: 10_000,
		New: func(e *Env, _ Params) (Policy, error) {
			return newRanked(e, Params{"k": "1"}, exactBound)
		},
	}
}

// exactBound replaces batchBound if ranks must equal an exact solution.
const exactBound = 1e-9
