package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/config"
)

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

func TestMetricsToken(t *testing.T) {
	const token = "0123456789abcdef"
	dir := t.TempDir()
	short, long := filepath.Join(dir, "short"), filepath.Join(dir, "long")
	for name, text := range map[string]string{short: "x\n", long: token + "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := readToken("--metrics-token", short); err == nil {
		t.Error("a token of one letter")
	}
	if got, err := readToken("--metrics-token", long); err != nil || string(got) != token {
		t.Errorf("%q, %v", got, err)
	}
}
