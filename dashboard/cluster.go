package dashboard

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/crawl/follow"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/show"
)

// A Cluster tells how a cluster is, and takes commands.
type Cluster interface {
	// Look returns how the cluster is, nil if that is not known yet, and a channel that is closed when
	// there is news.
	Look() (*ClusterState, <-chan struct{})
	// Do carries out a command for a crawl: one of ClusterVerbs. The user sees the error.
	Do(ctx context.Context, crawl, verb string) error
}

// ClusterVerbs are the commands for a crawl of a cluster.
var ClusterVerbs = []string{"pause", "resume", "stop"}

// A ClusterState is a cluster at one moment. It does not change.
type ClusterState struct {
	Place    string         // where its brokers are
	Nodes    []ClusterNode  // by name
	Crawls   []ClusterCrawl // by name
	Answered time.Time      // when brokers last answered
	Trouble  string         // why they do not answer now, and what to do; "": they do
}

// A ClusterNode is a node of a cluster, as it has told last.
type ClusterNode struct {
	Name, Address     string
	Broker, BrokerOff bool // it runs one; which has switched itself off
	Partitions        int
	Rate              float64 // pages a second
	Memory, MemoryMax int64   // MemoryMax 0: not known
	Heard             time.Time
	Notes             []string // what it cannot do, and why
}

// A ClusterCrawl is a crawl of a cluster.
type ClusterCrawl struct {
	Name       string
	Partitions int
	State      string // in words; "": it is not known yet
	Paused     bool   // by a command
	Ended      string // why; "": it has not
	Nodes      []CrawlNode
	Free       []FreePartition // that no node crawls
	Silent     int             // partitions that Status does not count
	Status     *history.Status // the sum of all nodes; nil: not known yet
}

// A CrawlNode is a node that crawls partitions of a crawl.
type CrawlNode struct {
	Name              string
	Coordinator       bool
	Partitions        []int
	Fetched           int64
	Rate              float64
	Memory, MemoryMax int64
}

// A FreePartition is a partition that no node crawls, and the reason.
type FreePartition struct {
	Partition int
	Why       string
}

// silentAfter is the time after which a node that says nothing counts as silent.
const silentAfter = 10 * time.Second

// clusters is what the server keeps of the cluster.
type clusters struct {
	mu      sync.Mutex
	courses map[string]*clusterCourse // of crawls, by name
	last    map[string]*commanded     // the last command for a crawl
}

// A clusterCourse is the course of a crawl since the dashboard watches it.
type clusterCourse struct {
	follow.Course
	Since time.Time
}

// watchCluster notes how the crawls go on, until the context ends.
func (s *Server) watchCluster(ctx context.Context) {
	for {
		state, changed := s.o.Cluster.Look()
		s.cluster.take(state, time.Now())
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// take notes the state of all crawls that have not ended.
func (x *clusters) take(state *ClusterState, now time.Time) {
	if state == nil || state.Trouble != "" {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range state.Crawls {
		c := &state.Crawls[i]
		k := x.courses[c.Name]
		if c.Status == nil || c.Ended != "" && (k == nil || k.Width == 0) {
			continue
		}
		if k == nil {
			k = &clusterCourse{Since: now}
			x.courses[c.Name] = k
		}
		if c.Ended == "" || c.Silent == 0 && k.Steps[len(k.Steps)-1].Total < c.Status.Fetched { // the last pages
			k.Take(now.Sub(k.Since), c.Status, c.Silent == 0)
		}
	}
}

// commands reports whether crawls of the cluster can be commanded: with a token only.
func (s *Server) commands() bool { return s.o.Cluster != nil && len(s.o.Token) > 0 }

// A clusterPage lists nodes and crawls.
type clusterPage struct {
	Place  string
	Nodes  []nodeRow
	Crawls []clusterRow
}

// A nodeRow is a node in the list. ID is that of its elements.
type nodeRow struct {
	ID, Name, Address, Broker, Partitions, Rate, Memory, Heard, Notes string
	Full                                                              float64 // memory, in percent of what is allowed
	Class                                                             string
}

// A clusterRow is a crawl in the list.
type clusterRow struct {
	ID, Name, To, State, Fetched, Waiting, Failed, Rate, Partitions, Free string
}

func nodeRows(state *ClusterState, now time.Time) (list []nodeRow) {
	for i := range state.Nodes {
		n := &state.Nodes[i]
		x := nodeRow{
			ID: "n-" + n.Name, Name: n.Name, Address: orNone(n.Address), Broker: brokerText(n), Heard: heardText(now.Sub(n.Heard)), Notes: strings.Join(n.Notes, "; "),
			Partitions: show.Grouped(n.Partitions), Rate: show.Rate(n.Rate),
		}
		x.Memory, x.Full = memoryText(n.Memory, n.MemoryMax)
		if now.Sub(n.Heard) > silentAfter { // what it told then is not true any more
			x.Broker, x.Partitions, x.Rate, x.Memory, x.Full, x.Class = "-", "-", "-", "-", 0, "bad"
		}
		list = append(list, x)
	}
	return list
}

func orNone(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

func brokerText(n *ClusterNode) string {
	switch {
	case n.BrokerOff:
		return "OFF: make room on its disk, and start the node again"
	case n.Broker:
		return "yes"
	}
	return "no"
}

// heardText says how long ago a node was heard of.
func heardText(d time.Duration) string {
	if d < 3*time.Second {
		return "now"
	}
	return show.Duration(d.Truncate(time.Second)) + " ago"
}

// memoryText describes memory against what is allowed.
func memoryText(memory, most int64) (text string, full float64) {
	if most == 0 {
		return "-", 0
	}
	return show.Bytes(memory) + " of " + show.Bytes(most), 100 * float64(memory) / float64(most)
}

func clusterRows(state *ClusterState) (list []clusterRow) {
	for i := range state.Crawls {
		c := &state.Crawls[i]
		x := clusterRow{ID: "c-" + c.Name, Name: c.Name, To: clusterBase(c.Name), State: crawlStateOf(c), Partitions: show.Grouped(c.Partitions)}
		if c.Status != nil {
			x.Free = show.Grouped(len(c.Free))
		}
		if s := c.Status; c.counted() {
			x.Fetched, x.Waiting, x.Failed, x.Rate = show.Grouped(s.Fetched), show.Grouped(s.Waiting), show.Grouped(s.Failed), show.Rate(s.Rate)
		}
		if c.Ended != "" {
			x.Rate = "-"
		}
		if state.Trouble != "" && c.Ended == "" {
			x.State, x.Rate = "was "+x.State, "-"
		}
		list = append(list, x)
	}
	return list
}

// counted reports whether Status counts any partition.
func (c *ClusterCrawl) counted() bool { return c.Status != nil && c.Silent < c.Partitions }

func clusterBase(crawl string) string { return "/cluster/" + crawl + "/" }

func crawlStateOf(c *ClusterCrawl) string {
	if c.State == "" {
		return "not known yet"
	}
	return c.State
}

// troubleNote says that brokers do not answer.
func troubleNote(state *ClusterState) string {
	if state.Trouble == "" {
		return ""
	}
	return "The cluster does not answer since " + clock(state.Answered) + ": " + state.Trouble + ". What is shown is as it was then."
}

// clusterSentence says in a sentence how a cluster is.
func clusterSentence(state *ClusterState, now time.Time) string {
	speak, run, ended, free := 0, 0, 0, 0
	for i := range state.Nodes {
		if now.Sub(state.Nodes[i].Heard) <= silentAfter {
			speak++
		}
	}
	for i := range state.Crawls {
		c := &state.Crawls[i]
		free += len(c.Free)
		if c.Ended != "" {
			ended++
		} else {
			run++
		}
	}
	text := fmt.Sprintf("%d of %s heard of in the last seconds; crawls: %d under way, %d ended", speak, show.Counted(int64(len(state.Nodes)), "node"), run, ended)
	if free > 0 {
		text += "; " + show.Counted(int64(free), "partition") + " without a node"
	}
	return text + "."
}

// clusterFrame returns what surrounds a page about the cluster.
func (s *Server) clusterFrame(state *ClusterState, title string) *frame {
	f := s.plain(title)
	f.InCluster, f.Reload = true, true
	for i := range state.Crawls {
		c := &state.Crawls[i]
		f.Crawls = append(f.Crawls, link{c.Name, clusterBase(c.Name), false})
	}
	return f
}

// look returns how the cluster is. If that is not known, it answers the request itself and returns nil.
func (s *Server) look(w http.ResponseWriter, r *http.Request) *ClusterState {
	if s.o.Cluster == nil {
		s.fail(w, r, http.StatusNotFound, "There is no cluster here.", "winnow serve --cluster shows one.")
		return nil
	}
	state, _ := s.o.Cluster.Look()
	if state == nil {
		f := s.plain("Cluster")
		f.Live, f.Reload = "/cluster/events?shape=none", true
		s.render(w, http.StatusOK, "connecting", f)
	}
	return state
}

// showCluster shows nodes and crawls.
func (s *Server) showCluster(w http.ResponseWriter, r *http.Request) {
	state := s.look(w, r)
	if state == nil {
		return
	}
	f := s.clusterFrame(state, "Cluster")
	now := time.Now()
	f.Crawl = &crawlHead{State: clusterSentence(state, now), Note: troubleNote(state)}
	f.Live = "/cluster/events?shape=" + clusterShape(state)
	f.Body = &clusterPage{state.Place, nodeRows(state, now), clusterRows(state)}
	s.render(w, http.StatusOK, "cluster", f)
}

// clusterShape is a short word that is another one when the page has other rows.
func clusterShape(state *ClusterState) string {
	var parts []string
	for i := range state.Nodes {
		parts = append(parts, state.Nodes[i].Name)
	}
	parts = append(parts, "")
	for i := range state.Crawls {
		parts = append(parts, state.Crawls[i].Name)
	}
	return shapeOf(parts)
}

func shapeOf(parts []string) string {
	h := fnv.New64a()
	h.Write([]byte(strings.Join(parts, "\n"))) // a hash takes all
	return fmt.Sprintf("%x", h.Sum64())
}

// serveClusterEvents sends what moves on the list of nodes and crawls.
func (s *Server) serveClusterEvents(w http.ResponseWriter, r *http.Request) {
	if s.o.Cluster == nil {
		http.NotFound(w, r)
		return
	}
	p := &pusher{sent: map[string]string{}}
	s.stream(w, r, s.clusterNews, func() *message {
		state, _ := s.o.Cluster.Look()
		switch {
		case state == nil:
			return nil
		case clusterShape(state) != r.FormValue("shape"):
			return &message{Reload: true}
		}
		if m := (&message{Text: p.changed(clusterValues(state, time.Now()))}); len(m.Text) > 0 {
			return m
		}
		return nil
	})
}

func (s *Server) clusterNews() <-chan struct{} {
	_, changed := s.o.Cluster.Look()
	return changed
}

// clusterValues returns the texts that move, by the ids of their elements.
func clusterValues(state *ClusterState, now time.Time) map[string]string {
	m := map[string]string{"state": clusterSentence(state, now), "note": troubleNote(state)}
	for _, x := range nodeRows(state, now) {
		m["."+x.ID] = x.Class
		for id, text := range map[string]string{"address": x.Address, "broker": x.Broker, "partitions": x.Partitions, "rate": x.Rate, "memory": x.Memory, "heard": x.Heard, "notes": x.Notes} {
			m[x.ID+"-"+id] = text
		}
		m["="+x.ID+"-full"] = fmt.Sprintf("%.1f", x.Full)
	}
	for _, x := range clusterRows(state) {
		for id, text := range map[string]string{"state": x.State, "fetched": x.Fetched, "waiting": x.Waiting, "failed": x.Failed, "rate": x.Rate, "free": x.Free} {
			m[x.ID+"-"+id] = text
		}
	}
	return m
}

// crawl returns the crawl of a name, or nil.
func (state *ClusterState) crawl(name string) *ClusterCrawl {
	i := slices.IndexFunc(state.Crawls, func(c ClusterCrawl) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &state.Crawls[i]
}
