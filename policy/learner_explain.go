package policy

import (
	"cmp"
	"math"
	"slices"

	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/policy/order"
)

// featureNames are what people call the features, by their index.
func featureNames() [features]string {
	return [features]string{
		featEst:       "estimated PageRank, log2",
		featLinks:     "links to it, log2",
		featExplore:   "value of xim, log2",
		featDirs:      "directories of its path",
		featIndex:     "page that stands for its directory",
		featOwnDir:    "share of links from its own directory",
		featSiteRate:  "links to it for each fetched page of the site, log2",
		featParentOut: "links of the page on which it was found, log2",
		featKnown:     "known pages of its group, log2",
		featTaken:     "pages of its group that were handed out, log2",
		featGroup:     "what its group was worth, log2",
		featGroupNew:  "new pages found on those of its group, log2",
		featLook:      "what files that look alike were worth, log2",
		featSiblings:  "what pages found beside it were worth, log2",
		featPriority:  "priority by its sitemap, less the mean of the file",
	}
}

// shown returns a feature as its name says. The model asks only which of two values is greater,
// so it does without the logarithms.
func shown(feature int, v float32) float64 {
	switch feature {
	case featEst, featExplore, featSiteRate:
		return order.Log2(float64(v) + 1e-6)
	case featLinks, featKnown, featTaken, featParentOut:
		return order.Log2(float64(v) + 1)
	}
	return float64(v)
}

// Explain returns what the model makes of each feature of p, those that decide first. Before
// the model was fitted it is the estimate of PageRank alone.
func (l *learner) Explain(p graph.Page) []Factor {
	if l.model.Fits() == 0 {
		return order.Sole("estimated PageRank; nothing is learned yet", l.est.Value(p))
	}
	x := l.features(p)
	var parts [features]float64
	rest, model := l.model.Parts(x, parts[:]), l.modelShare()
	total := l.predict(p)
	if total == 0 {
		total = 1
	}
	own := l.ownWorth(p)
	list := []Factor{
		{Name: "any page", Value: rest, Share: model * rest / total},
		{Name: "its own importance, by the estimate alone", Value: own, Share: (1 - model) * own / total},
	}
	for i, name := range featureNames() {
		if i != featPriority || l.above.Len() > 0 { // a sitemap has said something
			list = append(list, Factor{Name: name, Value: shown(i, x[i]), Share: model * parts[i] / total})
		}
	}
	slices.SortStableFunc(list[1:], func(a, b Factor) int { return cmp.Compare(math.Abs(b.Share), math.Abs(a.Share)) })
	if every := l.numbers.At(learnEvery); every > 1 {
		list = append(list, Factor{Name: "sample: the links of one fetched page of how many are kept", Value: float64(every)})
	}
	return list
}
