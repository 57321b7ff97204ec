package count

import (
	"net/http"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/subject"
	"github.com/winnow-crawler/winnow/graph"
)

// A TopicSummary says how well visitors found the pages of a topic, by the truth and not by the
// words of pages. Pages count once, when they were answered in full with 200.
type TopicSummary struct {
	Name    string  `json:"name"`
	Pages   int     `json:"pages"`    // of the topic that can be fetched
	Found   int     `json:"found"`    // of them, different ones
	Answers int     `json:"answers"`  // different pages, of the topic or not
	Stuffed int     `json:"stuffed"`  // of them, those stuffed with the name of the topic
	Harvest float64 `json:"harvest"`  // Found as a share of Answers
	Recall  float64 `json:"recall"`   // Found as a share of Pages
	OnTopic float64 `json:"on_topic"` // share of the fetchable pages of the web that are on the topic
}

// Topic returns how well visitors found the pages of a topic of the web.
func (c *Counter) Topic(topic int) TopicSummary {
	m, all := TopicSummary{Name: subject.Name(topic)}, 0
	web := c.world.Web()
	for p := range graph.Page(web.Spec().Pages) {
		if e := c.world.Truth(p); !e.Fetched() {
			continue
		}
		if all++; web.Subject(p).Topic == topic {
			m.Pages++
		}
	}
	for id := range graph.Site(web.Sites()) {
		seen := map[graph.Page]bool{}
		for _, q := range c.Requests(id) {
			if q.Kind != answer.KindPage || q.Status != http.StatusOK || !q.Full || seen[q.Page] {
				continue
			}
			seen[q.Page] = true
			m.add(web.Subject(q.Page), topic)
		}
	}
	m.Harvest, m.Recall, m.OnTopic = share(m.Found, m.Answers), share(m.Found, m.Pages), share(m.Pages, all)
	return m
}

// add counts a page that was answered.
func (m *TopicSummary) add(about fakeweb.Subject, topic int) {
	m.Answers++
	switch topic {
	case about.Topic:
		m.Found++
	case about.Stuffed:
		m.Stuffed++
	}
}

// share returns a/b, 0 for 0/0.
func share(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
