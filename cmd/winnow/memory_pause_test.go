package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// endlessLinks answers every page with 4,000 links that no other page has.
func endlessLinks(rw http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		http.NotFound(rw, r)
		return
	}
	rw.Header().Set("Content-Type", "text/html")
	fmt.Fprintf(rw, "<title>%s</title>", r.URL.Path)
	for i := range 4000 {
		fmt.Fprintf(rw, "<p>page %d of %s <a href=\"/%d-%d\">x</a>", i, r.URL.Path, len(r.URL.Path)*7919+i, i)
		if r.URL.Path != "/" {
			fmt.Fprintf(rw, "<a href=\"/%s-%d\">y</a>", strings.Trim(r.URL.Path, "/"), i)
		}
	}
}

// TestMemoryPause: a crawl whose memory is used up pauses with exit code 1, says what to
// type, and says the same when it is started again.
func TestMemoryPause(t *testing.T) {
	if testing.Short() {
		t.Skip("a hundred thousand links")
	}
	server := httptest.NewServer(http.HandlerFunc(endlessLinks))
	defer server.Close()
	dir := filepath.Join(t.TempDir(), "crawl")
	for _, seed := range []string{server.URL + "/", ""} {
		args := []string{"crawl", "--allow-private", "--dir", dir, "--max-memory", "64M", "--delay", "0", "--delay-factor", "0",
			"--ip-delay", "0", "--traps=false", "--policy", "breadth-first", "--site-pages", "0", "--domain-pages", "0", "--pages", "3000", "--quiet"}
		if seed != "" {
			args = append(args, seed)
		}
		out, err := exec.CommandContext(t.Context(), "winnow", args...).CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 {
			t.Fatalf("%v\n%s", err, out)
		}
		if !inOrder(string(out), "winnow: error: ", "--max-memory 64MiB ", "used up", "winnow: hint: ", "winnow crawl --dir "+dir+" --max-memory 128MiB") {
			t.Errorf("%s", out)
		}
		var status struct{ State, Why string }
		b, err := os.ReadFile(filepath.Join(dir, "status.json"))
		if err == nil {
			err = json.Unmarshal(b, &status)
		}
		if err != nil || status.State != "paused" || status.Why != "memory" {
			t.Errorf("its status is %+v, %v", status, err)
		}
	}
}
