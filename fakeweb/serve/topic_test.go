package serve

import (
	"math"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/subject"
	"github.com/winnow-crawler/winnow/graph"
)

func topicSpec() fakeweb.Spec {
	s := smallWeb
	s.Topics = fakeweb.SomeTopics()
	s.Topics.Share = 0.1
	return s
}

// topicWords counts the words of a topic in a text, and all words.
func topicWords(text string, topic int) (some, all int) {
	for _, w := range strings.Fields(text) {
		if all++; slices.Contains(subject.Words(topic), strings.ToLower(strings.Trim(w, "."))) {
			some++
		}
	}
	return some, all
}

// A pageText is a page of a web with topics, as x/net/html reads it.
type pageText struct {
	title, text string
	anchors     []string
}

func readHTML(t testing.TB, body string) (r pageText) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for n := range doc.Descendants() {
		var b strings.Builder
		for d := range n.Descendants() {
			if d.Type == html.TextNode {
				b.WriteString(d.Data)
			}
		}
		switch n.Data {
		case "title":
			r.title = b.String()
		case "body":
			r.text = b.String()
		case "a":
			r.anchors = append(r.anchors, b.String())
		}
	}
	return r
}

// Pages of a topic have its words and others hardly any; stuffed ones have nothing but its name;
// texts of links tell more often than not where they lead, and sometimes lie.
func TestTopicText(t *testing.T) {
	s := mustServe(t, topicSpec(), answer.Options{MinSize: 3000, MaxSize: 20_000})
	var on, off, stuffed []float64
	titles, pages, told, untold, lies, truths := 0, 0, 0, 0, 0, 0
	for p := range graph.Page(smallWeb.Pages) {
		about := s.Web().Subject(p)
		body := ask(s, s.URL(p)).Body.String()
		if string(s.HTML(nil, p)) != body {
			t.Fatalf("page %d: HTML is not what is served", p)
		}
		r := readHTML(t, body)
		if r.title != s.Title(p) {
			t.Fatalf("title %q, want %q", r.title, s.Title(p))
		}
		some, all := topicWords(r.text, max(0, about.Topic, about.Stuffed))
		switch share := float64(some) / float64(all); {
		case about.Topic >= 0:
			on = append(on, share)
			pages++
			if n, _ := topicWords(r.title, about.Topic); n > 0 {
				titles++
			}
		case about.Stuffed >= 0:
			stuffed = append(stuffed, share)
		default:
			off = append(off, share)
		}
		for i, q := range s.Web().Links(nil, p) {
			to := s.Web().Subject(q)
			names := 0
			for k := range subject.Most {
				if n, _ := topicWords(r.anchors[i], k); n > 0 {
					names++
					if k != to.Topic && k != to.Stuffed {
						lies++
					}
				}
			}
			switch {
			case to.Topic >= 0 && !to.Shy && names > 0:
				told++
			case to.Topic >= 0 && !to.Shy:
				untold++
			case to.Topic < 0 && to.Stuffed < 0 && names == 0:
				truths++
			}
		}
	}
	if m := mean(on); m < 0.03 || m > 0.12 {
		t.Errorf("words of the topic are %.3f of those of %d pages of it", m, len(on))
	}
	if m := mean(off); m > 0.01 {
		t.Errorf("words of a topic are %.4f of those of %d other pages", m, len(off))
	}
	if m := mean(stuffed); len(stuffed) == 0 || m < 0.3 {
		t.Errorf("words of a topic are %.3f of those of %d stuffed pages", m, len(stuffed))
	}
	if share := float64(titles) / float64(pages); math.Abs(share-0.5) > 0.12 {
		t.Errorf("%.2f of the titles have a word of the topic", share)
	}
	if share := float64(told) / float64(told+untold); share < 0.35 || share > 0.8 {
		t.Errorf("%.2f of the links to pages of a topic have a word of it", share)
	}
	if share := float64(lies) / float64(lies+truths); share < 0.005 || share > 0.05 {
		t.Errorf("%.4f of the links to other pages lie", share)
	}
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// The counter says which share of the answered pages is on the topic, and how much of it was
// found. Pages count once.
func TestTopicCount(t *testing.T) {
	s := mustServe(t, topicSpec(), answer.Options{MinSize: 500, MaxSize: 1000})
	var on, off []graph.Page
	for p := range graph.Page(smallWeb.Pages) {
		if s.Web().Subject(p).Topic == 0 {
			on = append(on, p)
		} else {
			off = append(off, p)
		}
	}
	for _, p := range slices.Concat(on[:30], on[:10], off[:10]) {
		ask(s, s.URL(p))
	}
	got := s.Counter().Topic(0)
	if got.Name != "computer" || got.Found != 30 || got.Answers != 40 || got.Pages != len(on) || got.Harvest != 0.75 ||
		got.Recall != 30/float64(len(on)) || got.OnTopic != float64(len(on))/float64(smallWeb.Pages) {
		t.Errorf("%+v, want 30 of 40 and of %d", got, len(on))
	}
}
