package dashboard

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/follow"
	"github.com/winnow-crawler/winnow/internal/plot"
	"github.com/winnow-crawler/winnow/internal/show"
)

// A clusterCrawlPage shows a crawl of a cluster.
type clusterCrawlPage struct {
	Name     string
	To       string // where commands go
	Commands bool   // the crawl can be commanded here
	Known    bool   // by this user, who has given the token
	Login    string
	Paused   bool
	Ended    string
	Lost     bool // the cluster does not answer
	Last     *commanded
	Figures  []figure
	Held     string
	Cells    []cell
	Nodes    []crawlNodeRow
	Free     []freeRow
	Charts   []chartPlace
	Since    time.Time
	Course   []courseRow
	Failed   []count
	Skipped  []count
	Caps     []string
	Notes    []string
}

// A cell is a partition in the picture of all.
type cell struct{ ID, Text, Class string }

// A crawlNodeRow is a node of a crawl in a table.
type crawlNodeRow struct {
	ID, Name, Partitions, Count, Fetched, Rate, Memory, Coordinator, Class string
	Full                                                                   float64
}

// A freeRow lists the partitions that wait for a node for the same reason.
type freeRow struct{ ID, Count, Partitions, Why string }

// hues is the number of colours for nodes: see style.css.
const hues = 8

// hue returns the class of the colour of a node. It stays the same while other nodes come and go, unless
// one is new.
func (state *ClusterState) hue(node string) string {
	i := slices.IndexFunc(state.Nodes, func(n ClusterNode) bool { return n.Name == node })
	if i < 0 {
		return "hue"
	}
	return fmt.Sprintf("hue%d", i%hues)
}

// fill takes what the state of a crawl shows.
func (x *clusterCrawlPage) fill(state *ClusterState, c *ClusterCrawl) {
	x.Name, x.To, x.Paused, x.Ended, x.Lost = c.Name, clusterBase(c.Name), c.Paused, c.Ended, state.Trouble != ""
	x.fillNodes(state, c)
	s := c.Status
	if !c.counted() {
		return
	}
	x.Figures = figuresOf(s)
	x.Figures = slices.DeleteFunc(x.Figures, func(f figure) bool {
		return f.ID == "links" && c.Silent > 0 || c.Ended != "" && (f.ID == "rate" || f.ID == "active" || f.ID == "memory")
	})
	if len(c.Nodes) > 0 && !x.Lost {
		x.Held = heldBy(s)
	}
	none := func(string) (string, string) { return "", "" }
	x.Failed = counts(s.FailedBy, none)
	x.Skipped = counts(s.RefusedBy, func(name string) (string, string) { return barMeaning(name), "" })
	for id, list := range map[string][]count{"failed": x.Failed, "skipped": x.Skipped} {
		for i := range list {
			list[i].ID = id + "-" + list[i].Name
		}
	}
	x.Caps, x.Notes = capTexts(s.Caps), s.Notes
}

// fillNodes says who crawls what.
func (x *clusterCrawlPage) fillNodes(state *ClusterState, c *ClusterCrawl) {
	classes := make([]string, c.Partitions) // of the cells
	for i := range c.Nodes {
		n := &c.Nodes[i]
		row := crawlNodeRow{
			ID: "n-" + n.Name, Name: n.Name, Partitions: ranges(n.Partitions), Count: show.Grouped(len(n.Partitions)),
			Fetched: show.Grouped(n.Fetched), Rate: show.Rate(n.Rate), Class: state.hue(n.Name),
		}
		row.Memory, row.Full = memoryText(n.Memory, n.MemoryMax)
		if n.Coordinator {
			row.Coordinator = "coordinator"
		}
		x.Nodes = append(x.Nodes, row)
		for _, p := range n.Partitions {
			if p < len(classes) {
				classes[p] = row.Class
			}
		}
	}
	x.Free = freeRows(c.Free)
	if c.Ended != "" || c.Status == nil {
		return
	}
	for p, class := range classes {
		x.Cells = append(x.Cells, cell{fmt.Sprintf("p-%d", p), strconv.Itoa(p), class})
	}
}

// freeRows lists partitions without a node by reason.
func freeRows(free []FreePartition) (list []freeRow) {
	by := map[string][]int{}
	var reasons []string
	for _, f := range free {
		if by[f.Why] == nil {
			reasons = append(reasons, f.Why)
		}
		by[f.Why] = append(by[f.Why], f.Partition)
	}
	for i, r := range reasons {
		list = append(list, freeRow{fmt.Sprintf("f%d", i), show.Grouped(len(by[r])), ranges(by[r]), r})
	}
	return list
}

// ranges writes numbers that grow as "0-3, 7".
func ranges(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		switch {
		case j > i+1:
			parts = append(parts, fmt.Sprintf("%d-%d", list[i], list[j]))
		case j > i:
			parts = append(parts, strconv.Itoa(list[i]), strconv.Itoa(list[j]))
		default:
			parts = append(parts, strconv.Itoa(list[i]))
		}
		i = j + 1
	}
	return strings.Join(parts, ", ")
}

// crawlSentence says in a sentence what a crawl of a cluster does.
func crawlSentence(state *ClusterState, c *ClusterCrawl) string {
	s := c.Status
	if s == nil {
		return "It is not known yet how the crawl stands."
	}
	text := "It is " + c.State
	if state.Trouble != "" {
		text = "It was " + c.State + " when the cluster last answered"
	}
	if !c.counted() {
		return text + "."
	}
	text += fmt.Sprintf(". %s of %s fetched, %s wait", show.Grouped(s.Fetched), show.Counted(s.Known, "page"), show.Grouped(s.Waiting))
	if c.Ended == "" && !c.Paused && state.Trouble == "" {
		text += fmt.Sprintf("; %s pages a second", show.Rate(s.Rate))
	}
	return text + "."
}

// crawlNote says what is missing in the numbers of a crawl.
func crawlNote(state *ClusterState, c *ClusterCrawl) string {
	note := troubleNote(state)
	if c.Status != nil && c.Silent > 0 {
		text := fmt.Sprintf("Pages of %d of %s are not counted at the moment, because no node tells about them.", c.Silent, show.Counted(int64(c.Partitions), "partition"))
		if c.Ended != "" {
			text = fmt.Sprintf("Pages of %d of %s are not counted, because their nodes did not tell how they ended.", c.Silent, show.Counted(int64(c.Partitions), "partition"))
		}
		note = strings.TrimSpace(text + " " + note)
	}
	return note
}

// crawlShape is a short word that is another one when the page of a crawl has other parts.
func crawlShape(x *clusterCrawlPage) string {
	parts := []string{fmt.Sprint(x.Lost, x.Paused, x.Ended, len(x.Figures), len(x.Cells), len(x.Charts), x.Held == "")}
	for _, n := range x.Nodes {
		parts = append(parts, n.Name)
	}
	parts = append(parts, "")
	for _, f := range x.Free {
		parts = append(parts, f.Why)
	}
	for _, list := range [][]count{x.Failed, x.Skipped} {
		parts = append(parts, "")
		for _, c := range list {
			parts = append(parts, c.Name)
		}
	}
	return shapeOf(parts)
}

// clusterCrawl returns the state of the cluster and the crawl that a request names. If there is none,
// it answers the request itself and returns nil.
func (s *Server) clusterCrawl(w http.ResponseWriter, r *http.Request) (*ClusterState, *ClusterCrawl) {
	state := s.look(w, r)
	if state == nil {
		return nil, nil
	}
	c := state.crawl(r.PathValue("name"))
	if c == nil {
		s.fail(w, r, http.StatusNotFound, "The cluster has no such crawl.", "")
	}
	return state, c
}

// crawlPage returns what the page of a crawl shows.
func (s *Server) crawlPage(state *ClusterState, c *ClusterCrawl) *clusterCrawlPage {
	x := &clusterCrawlPage{Commands: s.commands()}
	x.fill(state, c)
	s.cluster.mu.Lock()
	defer s.cluster.mu.Unlock()
	x.Last = s.cluster.last[c.Name]
	if k := s.cluster.courses[c.Name]; k != nil && len(k.Steps) > 1 {
		x.Charts, x.Since, x.Course = charts(x.To), k.Since, courseTable(&k.Course)
	}
	return x
}

// showClusterCrawl shows a crawl of the cluster.
func (s *Server) showClusterCrawl(w http.ResponseWriter, r *http.Request) {
	state, c := s.clusterCrawl(w, r)
	if c == nil {
		return
	}
	x := s.crawlPage(state, c)
	x.Known, x.Login = s.known(r), "/login?next="+url.QueryEscape(x.To)
	f := s.clusterFrame(state, "Crawl "+c.Name)
	for i := range f.Crawls {
		f.Crawls[i].Here = f.Crawls[i].To == x.To
	}
	f.Crawl = &crawlHead{State: crawlSentence(state, c), Note: crawlNote(state, c)}
	f.Live = x.To + "events?shape=" + crawlShape(x)
	f.Body = x
	s.render(w, http.StatusOK, "clustercrawl", f)
}

// serveClusterCrawlEvents sends what moves on the page of a crawl of the cluster.
func (s *Server) serveClusterCrawlEvents(w http.ResponseWriter, r *http.Request) {
	if s.o.Cluster == nil {
		http.NotFound(w, r)
		return
	}
	p := &pusher{sent: map[string]string{}}
	s.stream(w, r, s.clusterNews, func() *message {
		state, _ := s.o.Cluster.Look()
		if state == nil {
			return nil
		}
		c := state.crawl(r.PathValue("name"))
		if c == nil {
			return nil
		}
		x := s.crawlPage(state, c)
		if crawlShape(x) != r.FormValue("shape") {
			return &message{Reload: true}
		}
		m := &message{Text: p.changed(crawlValues(state, c, x))}
		s.cluster.mu.Lock()
		defer s.cluster.mu.Unlock()
		if k := s.cluster.courses[c.Name]; k != nil && len(x.Charts) > 0 {
			m.Course = p.course(&k.Course)
		}
		if len(m.Text) == 0 && m.Course == nil {
			return nil
		}
		return m
	})
}

// crawlValues returns the texts that move, by the ids of their elements.
func crawlValues(state *ClusterState, c *ClusterCrawl, x *clusterCrawlPage) map[string]string {
	m := map[string]string{"state": crawlSentence(state, c), "note": crawlNote(state, c), "held": x.Held}
	for _, f := range x.Figures {
		m["v-"+f.ID], m["m-"+f.ID] = f.Value, f.More
	}
	for _, n := range x.Nodes {
		for id, text := range map[string]string{"partitions": n.Partitions, "count": n.Count, "fetched": n.Fetched, "rate": n.Rate, "memory": n.Memory, "coordinator": n.Coordinator} {
			m[n.ID+"-"+id] = text
		}
		m["="+n.ID+"-full"] = fmt.Sprintf("%.1f", n.Full)
	}
	for _, f := range x.Free {
		m[f.ID+"-count"], m[f.ID+"-partitions"] = f.Count, f.Partitions
	}
	for _, k := range x.Cells {
		m["."+k.ID] = k.Class
	}
	for _, k := range slices.Concat(x.Failed, x.Skipped) {
		m[k.ID] = show.Grouped(k.Pages)
	}
	return m
}

// serveClusterChart serves a chart of a crawl of the cluster as a picture.
func (s *Server) serveClusterChart(w http.ResponseWriter, r *http.Request) {
	s.cluster.mu.Lock()
	k := s.cluster.courses[r.PathValue("name")]
	out := plot.Chart{Title: "Nothing was seen yet."}
	if k != nil {
		out = chart(r.FormValue("of"), &k.Course, "since "+clock(k.Since))
	}
	s.cluster.mu.Unlock()
	writePicture(w, plot.SVG(out))
}

// commandCluster carries out a command for a crawl of the cluster, which has passed all checks: host,
// origin and token.
func (s *Server) commandCluster(w http.ResponseWriter, r *http.Request) {
	name, verb := r.PathValue("name"), r.PathValue("verb")
	if !s.commands() || !slices.Contains(ClusterVerbs, verb) {
		s.fail(w, r, http.StatusNotFound, "Nothing can be changed here.", "Crawls of a cluster are controlled by winnow serve --cluster with a token.")
		return
	}
	if state, _ := s.o.Cluster.Look(); state == nil || state.crawl(name) == nil {
		s.fail(w, r, http.StatusNotFound, "The cluster has no such crawl.", "")
		return
	}
	x := &commanded{Command: follow.Command{At: time.Now(), Text: verb}}
	err := s.o.Cluster.Do(r.Context(), name, verb)
	if err != nil {
		x.refuse(err)
	}
	s.cluster.mu.Lock()
	s.cluster.last[name] = x
	s.cluster.mu.Unlock()
	if err != nil && !strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Error(w, x.Refused, http.StatusBadRequest)
		return
	}
	http.Redirect(w, r, clusterBase(name), http.StatusSeeOther)
}
