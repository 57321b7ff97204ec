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

	"github.com/winnow-crawler/winnow/internal/console"
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

// TestWeb requests pages by name, as a crawler would, and reads the count. Ctrl-C is how
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
	if code != console.ExitOK || !strings.Contains(out, `"requests":4,"kinds":{"page":2,"robots":1,"unknown":1}`) {
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

// TestWebHostile walks into a trap of a hostile web, and is told so at the end.
func TestWebHostile(t *testing.T) {
	at, wait := startWeb(t, "--hostile", "--pages", "300", "--sites", "10", "--trap-calendar", "1", "--trap-farm", "0")
	c := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, at.Listen)
	}}}
	next := at.Seeds[0]
	for range 4 { // the home page, then month after month
		r, err := c.Get(next)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		_, link, found := strings.Cut(string(body), `<a href="/calendar`)
		link, _, ok := strings.Cut(link, `"`)
		if err != nil || !found || !ok {
			t.Fatalf("%s: %v, no calendar in %.500s", next, err, body)
		}
		next = at.Seeds[0] + "calendar" + link
	}
	c.CloseIdleConnections()
	code, out := wait()
	if code != console.ExitOK || !strings.Contains(out, `"kinds":{"page":1,"trap":3}`) || !strings.Contains(out, `"traps":3,"trap_share":0.75,"trap_kinds":{"calendar":3}`) {
		t.Errorf("exit code %d, printed %s", code, out)
	}
}
