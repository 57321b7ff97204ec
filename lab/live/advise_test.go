package live

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/fakeweb/subject"
)

// The advice on a crawl that is paused agrees with the report and the status of the crawl, and
// names the command that goes on (S22).
func TestReadAdvice(t *testing.T) {
	spec := fakeweb.Spec{Pages: 900, Sites: 12, Links: 7200, Seed: 9}
	so := answer.Options{Pages: answer.PageShares{NotFound: 0.05, Redirect: 0.05}}
	_, dir, sum := crawledAs(t, spec, spec.Sites, so, func(c *config.Config) { c.Pages, c.Commit = 400, config.Seconds(60) })
	a, err := ReadAdvice(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if a.State != "paused" || int64(a.Fetched) != sum.Fetched || int64(a.Known) != sum.Known || int64(a.Waiting) != sum.Waiting {
		t.Errorf("%+v, want the counts of %+v", a, sum.Status)
	}
	if len(a.Next) != 3 || a.Certain <= 0.1 || a.Certain >= 1 || a.Importance <= a.Certain/3 || a.Importance >= 1 {
		t.Errorf("%d forecasts, certain %v, importance %v", len(a.Next), a.Certain, a.Importance)
	}
	if more, want := a.Next[1].More, sum.Ran.Hours()/10; math.Abs(more-want) > 0.05*want {
		t.Errorf("a tenth of the time is %v h, want about %v", more, want)
	}
	if want := "winnow crawl --dir " + dir + " --pages 440"; a.Command != want {
		t.Errorf("command %q, want %q", a.Command, want)
	}
	var text bytes.Buffer
	if err := a.Print(&text); err != nil || !strings.Contains(text.String(), "a tenth more") || !strings.Contains(text.String(), a.Advice) {
		t.Errorf("error %v, text\n%s", err, text.String())
	}
	if b, err := json.Marshal(a); err != nil || !strings.Contains(string(b), `"importance":{"gain":`) {
		t.Errorf("error %v, JSON %s", err, b)
	}
}

// The advice on a crawl with a topic says how many pages about it a tenth more would bring.
func TestReadAdviceOnTopic(t *testing.T) {
	spec := fakeweb.Spec{Pages: 900, Sites: 12, Links: 7200, Seed: 9, Topics: fakeweb.SomeTopics()}
	_, dir, sum := crawledAs(t, spec, spec.Sites, answer.Options{}, func(c *config.Config) {
		c.Pages, c.Commit, c.Query, c.Policy, c.WaitForBetter = 400, config.Seconds(60), subject.Name(0), "topical", "0" // else all hot pages are found
	})
	a, err := ReadAdvice(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if a.Hot == nil || int64(*a.Hot) != sum.Topic.Hot || *a.Hot == 0 || len(a.Next) != 3 {
		t.Fatalf("%+v, want the hot pages of %+v", a, sum.Topic)
	}
	for _, n := range a.Next {
		if n.Hot == nil || n.Hot.Low > n.Hot.High || n.Hot.High == 0 || n.Hot.High > n.Pages {
			t.Errorf("%s: %+v", n.Budget, n.Hot)
		}
	}
	var text bytes.Buffer
	if err := a.Print(&text); err != nil || !strings.Contains(text.String(), "adds pages about the topic") || !strings.Contains(a.Advice, "about the topic") {
		t.Errorf("error %v, advice %q, text\n%s", err, a.Advice, text.String())
	}
}
