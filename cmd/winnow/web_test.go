package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// startWeb runs the verb in-process and returns where the web is. wait cancels it, as
// Ctrl-C does, and gives the exit code and the rest of standard output.
func startWeb(t *testing.T, args ...string) (at webPlace, wait func() (int, string)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	r, w := io.Pipe()
	code := make(chan int, 1)
	var messages bytes.Buffer
	go func() {
		args = append([]string{"web", "--listen", "127.0.0.1:0", "--dns", "127.0.0.1:0", "--json"}, args...)
		code <- run(ctx, args, strings.NewReader(""), w, &messages)
		w.Close()
	}()
	lines := bufio.NewReader(r)
	first, err := lines.ReadBytes('\n')
	if err != nil || json.Unmarshal(first, &at) != nil {
		t.Fatalf("%q, %v: %s", first, err, &messages)
	}
	return at, func() (int, string) {
		cancel()
		rest, err := io.ReadAll(lines)
		if err != nil {
			t.Fatal(err)
		}
		return <-code, string(rest)
	}
}

// TestWeb asks for pages by name, as a crawler would, and reads the count. Ctrl-C is how
// the verb is meant to end: exit code 0.
func TestWeb(t *testing.T) {
	report := filepath.Join(t.TempDir(), "visits.json")
	at, wait := startWeb(t, "--pages", "500", "--sites", "10", "--report", report)
	resolver := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, at.Resolver)
	}}
	dialer := &net.Dialer{Resolver: resolver}
	c := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}
	for _, path := range []string{"robots.txt", "", "d0/", "nothing"} {
		r, err := c.Get(at.Seeds[0] + path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if want := map[bool]int{true: 404, false: 200}[path == "nothing"]; r.StatusCode != want {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
	c.CloseIdleConnections()
	code, out := wait()
	if code != exitOK || !strings.Contains(out, `"requests":4,"kinds":{"page":2,"robots":1,"unknown":1}`) {
		t.Errorf("exit code %d, printed %s", code, out)
	}
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(strings.TrimSpace(string(text)), "\n"); len(lines) != 2 || lines[0]+"\n" != out ||
		!strings.HasPrefix(lines[1], `{"site":0,"name":"s0.example","address":"127.0.0.1","pages":2,"connections":1,`) {
		t.Errorf("report %s", text)
	}
}
