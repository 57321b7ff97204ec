package main

import (
	"net/http/httptest"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/history"
)

// TestMetricsRefuse: metrics answer to GET and HEAD on one path and to nothing else, so
// that nothing can be changed by them.
func TestMetricsRefuse(t *testing.T) {
	h := metricsHandler(func() (history.Status, bool) { return someStats(), true }, nil)
	for _, test := range []struct {
		method, path string
		code         int
	}{
		{"GET", "/metrics", 200}, {"HEAD", "/metrics", 200}, {"POST", "/metrics", 405}, {"PUT", "/metrics", 405}, {"DELETE", "/metrics", 405},
		{"GET", "/", 404}, {"GET", "/debug/pprof/", 404}, {"POST", "/stop", 404}, {"GET", "/metrics/../../etc/passwd", 307},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(test.method, test.path, nil))
		if w.Code != test.code {
			t.Errorf("%s %s: %d, want %d", test.method, test.path, w.Code, test.code)
		}
	}
}

// TestMetricsAddress: whoever serves them beyond this machine needs a token.
func TestMetricsAddress(t *testing.T) {
	for address, open := range map[string]bool{"9090": true, ":9090": true, "127.0.0.1:9090": true, "[::1]:9090": true, "localhost:9090": true,
		"0.0.0.0:9090": false, "[::]:9090": false, "192.168.0.1:9090": false, "example.org:9090": false, "2130706433:9090": false} {
		c := config.Default()
		c.Metrics = address
		if err := c.Check(); (err == nil) != open {
			t.Errorf("%s without a token: %v", address, err)
		}
		c.MetricsToken = "token"
		if err := c.Check(); err != nil {
			t.Errorf("%s with a token: %v", address, err)
		}
	}
}
