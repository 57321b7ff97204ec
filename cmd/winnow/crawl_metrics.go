package main

import (
	"bytes"
	"fmt"
	"os"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/metrics"
)

// serveMetrics serves metrics at the address of the configuration until close is called.
func serveMetrics(u *ui, c *config.Config, last metrics.Source) (close func(), err error) {
	addr, err := c.MetricsAddress()
	if addr == "" || err != nil {
		return func() {}, explainKey(u, err)
	}
	token, err := readToken(c.MetricsToken)
	if err != nil {
		return nil, err
	}
	at, close, err := metrics.Serve(addr, last, token)
	if err != nil {
		return nil, withHint(fmt.Errorf("--metrics: %w", err), "port 0 is any free port; try: %s", u.withFlag("--metrics", "127.0.0.1:0"))
	}
	u.notef("metrics at http://%s/metrics", at)
	return close, nil
}

// readToken reads a token from a file. Without a name it returns nil.
func readToken(name string) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("--metrics-token: open %s: %w", name, cause(err))
	}
	token := bytes.TrimSpace(text)
	if len(token) < 16 {
		return nil, withHint(fmt.Errorf("--metrics-token: %s: a token has at least 16 characters", name), "to make one: openssl rand -hex 16 > %s", quoteArgs([]string{name}))
	}
	return token, nil
}
