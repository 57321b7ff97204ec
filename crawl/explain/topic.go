package explain

// A Topic tells what a page has to do with the topic of the crawl.
type Topic struct {
	Similarity *float64 `json:"similarity,omitempty"` // of a page that was read, when it was
	Hot        bool     `json:"hot"`                  // it is about the topic
	Query      string   `json:"query,omitempty"`      // that is nearest
	Words      uint32   `json:"words,omitempty"`      // of the page
	Terms      []Term   `json:"terms,omitempty"`      // that it has
	// What promised that it is about the topic: terms in the texts of links to it, in the words
	// around these, and in its URL.
	Anchor []string `json:"anchor_terms,omitempty"`
	Around []string `json:"around_terms,omitempty"`
	URL    []string `json:"url_terms,omitempty"`
}

// A Term counts a term of the topic in a page.
type Term struct {
	Word  string  `json:"word"`
	Title uint16  `json:"title"`
	Text  uint16  `json:"text"`
	IDF   float64 `json:"idf"` // how rare it is in the pages so far
}

// addTopic adds what the page has to do with the topic.
func (x *explainer) addTopic() {
	seen := x.f.Topical().Collection()
	if seen == nil {
		return
	}
	t := seen.Topic()
	y := &Topic{Anchor: t.Words(x.story.anchor), Around: t.Words(x.story.around), URL: t.Words(t.URL([]byte(x.URL)))}
	if r := &x.story.reading; r.Words > 0 {
		near, hot := x.f.Topical().Similarity(x.p)
		_, query := seen.Nearest(r)
		y.Similarity, y.Hot, y.Words, y.Query = &near, hot, r.Words, t.Queries[query].Name
		for _, m := range r.Matches {
			y.Terms = append(y.Terms, Term{t.Words(1 << m.Term)[0], m.Title, m.Body, seen.IDF(m.Term)})
		}
	}
	x.Topic = y
}
