package live

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
	"github.com/winnow-crawler/winnow/lab"
)

// lead returns three sentences: what was gathered, what was missed, and whether the order was
// worth it.
func (r *Report) lead() []string {
	return []string{r.gatheredText(), r.missedText(), r.orderText()}
}

// gatheredText says what was gathered.
func (r *Report) gatheredText() string {
	s := r.status
	from := int64(0)
	for i := range r.w.Trail.Sites {
		if r.w.Trail.Sites[i].Fetched > 0 {
			from++
		}
	}
	what := show.Counted(s.Fetched-s.Redirects, "page")
	if s.Redirects > 0 {
		what += " and " + show.Counted(s.Redirects, "redirect")
	}
	text := fmt.Sprintf("The crawl gathered %s from %s", what, show.Counted(from, "site"))
	if s.Fetched == 0 {
		text = "The crawl gathered no page"
	}
	text += fmt.Sprintf(" in %s of work; it received %s", show.Duration(r.took()), show.Bytes(s.Bytes))
	switch s.State {
	case history.StateRunning:
		return text + " and is still running."
	case history.StateFinished:
		return text + " and is finished."
	}
	return text + " and is paused."
}

// took returns the time of the crawl without that between sessions.
func (r *Report) took() time.Duration { return r.w.Trail.Duration - r.w.Trail.Stopped }

// missedText says what was not gathered, or gathered and not stored.
func (r *Report) missedText() string {
	s := r.status
	if s.Failed+s.Refused+s.Waiting == 0 {
		return "It missed none of the pages that it knows." + r.withheldText()
	}
	var parts []string
	add := func(n int64, what string, by map[string]int64) {
		if n == 0 {
			return
		}
		if len(by) > 0 {
			what += " (" + show.Fitted(by, 60) + ")"
		}
		parts = append(parts, show.Grouped(n)+" "+what)
	}
	add(s.Failed, "failed", s.FailedBy)
	add(s.Refused, was(s.Refused)+" skipped", s.RefusedBy)
	add(s.Waiting, "still "+waits(s.Waiting)+r.downText(), nil)
	text := fmt.Sprintf("It missed %s of the %s that it knows: %s", show.Grouped(s.Failed+s.Refused+s.Waiting), show.Counted(s.Known, "page"), joined(parts))
	if s.Known == 1 {
		text = "It missed the only page that it knows: " + joined(parts)
	}
	if n := r.missedBest; n > 0 && len(r.ranked()) > topPages {
		text += fmt.Sprintf("; by the links to them, %s of these would be among the %d most important", show.Grouped(int64(n)), topPages)
	}
	return text + "." + r.withheldText()
}

// withheldText says how many fetched pages are not stored, if there are any.
func (r *Report) withheldText() string {
	switch n := r.status.Withheld; n {
	case 0:
		return ""
	case 1:
		return " One fetched page is not stored, because it asks for that (noindex or noarchive); --keep-noarchive stores such pages."
	default:
		return fmt.Sprintf(" %s fetched pages are not stored, because they ask for that (noindex or noarchive); --keep-noarchive stores such pages.", show.Grouped(n))
	}
}

// downText says how many sites cannot be reached, if there are any.
func (r *Report) downText() string {
	n, why := r.status.Down, ""
	if n == 0 {
		return ""
	}
	if n == 1 && len(r.status.Unreachable) == 1 {
		why = ": " + r.status.Unreachable[0].Why
	}
	return fmt.Sprintf(" (%s cannot be reached%s)", show.Counted(n, "site"), why)
}

func was(n int64) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

func waits(n int64) string {
	if n == 1 {
		return "waits"
	}
	return "wait"
}

// joined joins the parts of a sentence.
func joined(parts []string) string {
	if n := len(parts); n > 1 {
		return strings.Join(parts[:n-1], ", ") + " and " + parts[n-1]
	}
	return strings.Join(parts, "")
}

// Limits of what is said about an order.
const (
	fewPages   = 20   // with fewer pages the order is not judged
	sameShares = 0.01 // shares of the importance that differ by less are the same
)

// orderText says whether the order was worth it.
func (r *Report) orderText() string {
	n := len(r.w.Trail.Visits)
	switch {
	case n == 0:
		return "There is no order to judge."
	case n < fewPages:
		return fmt.Sprintf("Whether the order was worth it cannot be said of %s.", show.Counted(n, "page"))
	}
	own, what := r.averageOf(r.Real), "the importance of what it gathered"
	if hot := r.hotPages(); hot > 0 {
		what = fmt.Sprintf("the %s about the topic", show.Counted(hot, "page"))
	}
	var rivals []rival
	var others []string
	for _, run := range r.others() {
		v := r.averageOf(run)
		if run.Policy != omniscient {
			rivals = append(rivals, rival{run.Policy, v})
		}
		others = append(others, fmt.Sprintf("%s %.1f %%", orderName(run.Policy, len(others) == 0), 100*v))
	}
	had := fmt.Sprintf("on average over the crawl, it had %.1f %% of %s", 100*own, what)
	if len(rivals) == 0 {
		return "No other order was simulated: " + strings.Join(append([]string{had}, others...), "; ") + "."
	}
	text := fmt.Sprintf("The order was %s: %s, where %s.", judged(own, rivals), had, joined(others))
	if r.state.Scores != nil {
		text += " Importance is PageRank; the crawl was ordered by a score."
	}
	return text
}

// A rival is another order, and what it would have gathered on average.
type rival struct {
	policy string
	share  float64
}

// judged says how good an order was beside others: worth it if it was better than all of them.
func judged(own float64, rivals []rival) string {
	var better, same, worse []string
	for _, x := range rivals {
		switch {
		case own < x.share-sameShares:
			worse = append(worse, x.policy)
		case own <= x.share+sameShares:
			same = append(same, x.policy)
		default:
			better = append(better, x.policy)
		}
	}
	if len(worse)+len(same) == 0 {
		return "worth it"
	}
	var parts []string
	add := func(how string, names []string) {
		if len(names) > 0 {
			parts = append(parts, how+" "+joined(names))
		}
	}
	add("worse than", worse)
	add("about as good as", same)
	add("better than", better)
	return strings.Join(parts, ", ")
}

// averageOf returns what a run had gathered on average over its pages: the share of the
// importance or, if the crawl has a topic, of the pages about it.
func (r *Report) averageOf(run *lab.Run) float64 {
	if r.hotPages() == 0 {
		return run.Measures.Average
	}
	sum, y := 0.0, r.hotCurve(run).Y[1:]
	for _, v := range y {
		sum += v
	}
	return sum / float64(len(y))
}

// hotPages returns the number of pages about the topic of the crawl, 0 without one.
func (r *Report) hotPages() int64 {
	if r.status.Topic == nil {
		return 0
	}
	return r.status.Topic.Hot
}

// topicPoints is the number of steps in a curve of pages about the topic.
const topicPoints = 200

// hotCurve returns the share of the pages about the topic by the share of the pages.
func (r *Report) hotCurve(run *lab.Run) plot.Series {
	s := plot.Series{Name: run.Policy}
	found, at, n := 0, 0, len(r.Real.Result.Order)
	for i := range topicPoints + 1 {
		for ; at < min(i*n/topicPoints, len(run.Result.Order)); at++ {
			if _, hot := r.state.Frontier.Topical().Similarity(graph.Page(r.w.Graph.ID(run.Result.Order[at]))); hot {
				found++
			}
		}
		s.Add(float64(i)/topicPoints, float64(found)/float64(r.hotPages()))
	}
	return s
}

// omniscient is the policy that knows the importance of all pages.
const omniscient = "omniscient"

// orderName returns a policy as the subject of a clause. Only the first one has a verb.
func orderName(policy string, first bool) string {
	name := policy
	if policy == omniscient {
		name = "a crawler that knows all PageRank"
	}
	if first {
		name += " would have had"
	}
	return name
}

// others returns the simulations of other policies.
func (r *Report) others() (list []*lab.Run) {
	for _, run := range r.Runs {
		if !strings.HasSuffix(run.Policy, simulated) {
			list = append(list, run)
		}
	}
	return list
}

// subtitle returns the state of the crawl in a line.
func (r *Report) subtitle() string {
	parts := []string{"report on a crawl", r.status.State, "policy " + policyText(r.config.Policy, r.config.SitePolicy)}
	if list, err := r.w.Crawl.Sessions(); err == nil {
		parts = append(parts, show.Counted(len(list), "session"), "began "+list[0].Wall.Format("2 January 2006 15:04 MST"))
	}
	if n := len(r.w.Crawl.Partitions); n > 0 {
		parts = append(parts, show.Counted(n, "partition"))
	}
	return strings.Join(parts, " · ")
}

// key returns the numbers that are shown large. They are those of winnow status.
func (r *Report) key() []show.Field {
	s := r.status
	return []show.Field{
		{Name: show.Plural(s.Fetched, "page") + " fetched", Value: show.Grouped(s.Fetched)},
		{Name: "waiting", Value: show.Grouped(s.Waiting)},
		{Name: "failed", Value: show.Grouped(s.Failed)},
		{Name: "skipped", Value: show.Grouped(s.Refused)},
		{Name: "sites known", Value: show.Grouped(s.Sites)},
		{Name: "received", Value: show.Bytes(s.Bytes)},
		{Name: "of work", Value: show.Duration(r.took())},
		{Name: "pages per 100 attempts", Value: r.yieldText()},
	}
}

// yield returns the fetched pages per attempt; ok is false without attempts.
func (r *Report) yield() (share float64, ok bool) {
	n := show.Total(r.status.Outcomes)
	return float64(len(r.w.Trail.Visits)) / float64(max(1, n)), n > 0
}

func (r *Report) yieldText() string {
	if y, ok := r.yield(); ok {
		return fmt.Sprintf("%.1f", 100*y)
	}
	return "-"
}

// ownLimits are keys that may differ between sessions without another order or other times.
func ownLimits() []string {
	return []string{"pages", "duration", "bytes", "stop_when", "contact", "metrics", "metrics_token", "ui", "ui_token", "header", "proxy", "max_memory"}
}

// warnings returns what a reader must know to trust the numbers.
func (r *Report) warnings() (list []string) {
	if r.status.State == history.StateRunning {
		list = append(list, fmt.Sprintf("The crawl is running. The report has its state at record %s of the journal.", show.Grouped(int64(r.status.Record))))
	}
	sessions, err := r.w.Crawl.Sessions()
	if err != nil {
		return append(list, err.Error())
	}
	for i := 1; i < len(sessions); i++ {
		if d := changedOptions(&sessions[i], &sessions[i-1]); len(d) > 0 {
			list = append(list, fmt.Sprintf("Session %d (%s, %s after the crawl began) had other options than the one before: %s. Simulations use the options of the last session for the whole crawl.",
				i+1, sessions[i].Wall.Format("2 January 2006 15:04 MST"), show.Duration(sessions[i].At), strings.Join(d, "; ")))
		}
	}
	return list
}

// changedOptions returns the options of a session that may change the order or the times.
func changedOptions(now, before *history.Session) []string {
	return slices.DeleteFunc(now.Config.Diff(&before.Config), func(line string) bool {
		key, _, _ := strings.Cut(line, ":")
		return slices.Contains(ownLimits(), key)
	})
}
