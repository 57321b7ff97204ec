package crawl

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

// Connections that are kept open count towards --ip-cap, by the count of the server: many
// sites at one address never have more than four connections, and they do have four.
func TestLinesAtAddress(t *testing.T) {
	t.Parallel()
	w := newSocketWeb(t, sockets{pages: 200, sites: 8, serve: mixedSockets(), addresses: 1})
	w.run(t, 0)
	m := w.server.Counter().Summary()
	if w.o.Config.IPCap != 4 || m.MostAtIP != 4 || m.MostOpen != 1 {
		t.Errorf("%d connections at once to the address, %d to a site", m.MostAtIP, m.MostOpen)
	}
	if m.Connections > m.Requests-30 {
		t.Errorf("%d connections for %d requests", m.Connections, m.Requests)
	}
	w.check(t)
}

// Memory and the system limit how many connections are kept, and the log says so: as a
// warning if the user has set the number.
func TestLinesKept(t *testing.T) {
	for _, test := range []struct {
		memory         int64
		sockets, most  int
		want           int
		message, limit string
	}{
		{4 << 30, 0, 1000, 1000, "", ""},
		{256 << 20, 0, 1000, 256, "INFO", "max_memory"},
		{256 << 20, 0, 400, 256, "WARN", "max_memory"},
		{4 << 30, 2000, 1000, 1000, "", ""},
		{4 << 30, 1100, 1000, 600, "INFO", "open files"},
		{4 << 30, 500, 2000, 1, "WARN", "open files"},
	} {
		var log bytes.Buffer
		c := config.Default()
		c.KeepMost = test.most
		s := &session{options: &RunOptions{Sockets: test.sockets}, config: &c, memory: test.memory, log: slog.New(slog.NewTextHandler(&log, nil))}
		if got := s.keepMost(); got != test.want {
			t.Errorf("%+v: %d connections", test, got)
		}
		if text := log.String(); !strings.Contains(text, test.message) || !strings.Contains(text, test.limit) || (text == "") != (test.message == "") {
			t.Errorf("%+v: %s", test, text)
		}
	}
}

// The two schemes of a host have one connection together, open or in use, over HTTP/1.1 and
// HTTP/2. Each host has an address of its own, where every connection counts.
func TestLinesOfTwins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const sites = 6
		w := newTestWeb(t, 200, sites, answer.Options{})
		for p := range graph.Page(100) {
			other := strings.Replace(w.server.URL(p), "http://", "https://", 1)
			w.o.Seeds = append(w.o.Seeds, w.server.URL(p), other)
		}
		w.o.Config.Duplicates = false
		w.o.Config.Duration = config.Seconds(1200)
		sum := w.run(t)
		m := w.server.Counter().Summary()
		if m.MostOpen != 1 || m.MostAtIP != 1 {
			t.Errorf("%d connections at once to a host, %d to an address", m.MostOpen, m.MostAtIP)
		}
		schemes := map[string]int{}
		for url := range w.fates(t) {
			scheme, _, _ := strings.Cut(url, ":")
			schemes[scheme]++
		}
		if schemes["http"] < 100 || schemes["https"] < 100 || m.Connections > m.Requests-20 || m.Connections < 3*sites {
			t.Errorf("the test tests little: %v, %d connections for %d requests, %d pages", schemes, m.Connections, m.Requests, sum.Fetched)
		}
		clean(t, w.verify(t))
	})
}
