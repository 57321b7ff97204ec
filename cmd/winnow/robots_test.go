package main

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/gather"
)

// TestRobots asks servers: rules are found where robots.txt moved to, and what cannot be
// had allows nothing (W14).
func TestRobots(t *testing.T) {
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, "User-agent: *\nDisallow: /no\nCrawl-delay: 7\n")
		z.Close()
	}))
	defer target.Close()
	var agents []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agents = append(agents, r.UserAgent())
		http.Redirect(w, r, target.URL+"/elsewhere/robots.txt", http.StatusFound)
	}))
	defer server.Close()
	out := must(t, "robots", server.URL+"/no/1", server.URL+"/yes", "--allow-private", "--json", "--contact", "a@b.example")
	var verdicts []gather.RobotsVerdict
	for line := range strings.Lines(out) {
		var v gather.RobotsVerdict
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		verdicts = append(verdicts, v)
	}
	if len(verdicts) != 2 || verdicts[0].Allowed || !verdicts[1].Allowed || verdicts[0].Line != 2 || verdicts[0].Delay != 7 ||
		verdicts[0].Hops != 1 || verdicts[0].Status != 200 || verdicts[0].From != target.URL+"/elsewhere/robots.txt" {
		t.Errorf("%s", out)
	}
	if len(agents) != 1 || !strings.HasPrefix(agents[0], "winnow") || !strings.HasSuffix(agents[0], " (+a@b.example)") {
		t.Errorf("asked by %q", agents)
	}
}

func TestRobotsWithoutFile(t *testing.T) {
	for _, test := range []struct {
		status int
		want   []string
	}{
		{404, []string{"allowed     yes\n", "rule        none: ", ", status 404\n"}},
		{503, []string{"allowed     no\n", "rule        none: ", ", status 503"}},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(test.status) }))
		out := must(t, "robots", server.URL, "--allow-private")
		for _, want := range test.want {
			if !strings.Contains(out, want) {
				t.Errorf("%d: no %q in\n%s", test.status, want, out)
			}
		}
		server.Close()
	}
	loop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Path+"x", http.StatusFound)
	}))
	defer loop.Close()
	if out := must(t, "robots", loop.URL, "--allow-private"); !strings.Contains(out, " 5 redirects") || !strings.Contains(out, "allowed     yes\n") {
		t.Errorf("a robots.txt that moves on and on:\n%s", out)
	}
}
