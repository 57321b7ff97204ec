package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A name with a private address is refused at once, with the flag that allows it, also where
// a contact is given.
func TestPrivateName(t *testing.T) {
	at, _ := startWeb(t, "--pages", "10", "--sites", "1")
	for _, contact := range []string{"", "me@example.org"} {
		dir := filepath.Join(t.TempDir(), "a.crawl")
		args := []string{"crawl", "--dir", dir, "--resolver", at.Resolver, at.Seeds[0]}
		if contact != "" {
			args = append(args, "--contact", contact)
		}
		code, _, stderr := tryRun(t.Context(), args...)
		if code != 2 || !inOrder(stderr, "error: "+at.Seeds[0]+" (127.0.0.1)", "private", "\nwinnow: hint: try: winnow crawl ", " --allow-private\n") || exists(dir) {
			t.Errorf("contact %q: exit %d\n%s", contact, code, stderr)
		}
	}
}

// nginxConfig serves a directory and nothing else. It needs no other file of the system.
const nginxConfig = `daemon off; master_process off; pid %[1]s/nginx.pid; error_log %[1]s/error.log;
events { worker_connections 64; }
http {
  access_log off; types { text/html html; }
  client_body_temp_path %[1]s/b; proxy_temp_path %[1]s/p; fastcgi_temp_path %[1]s/f; uwsgi_temp_path %[1]s/u; scgi_temp_path %[1]s/s;
  server { listen %[2]s; root %[1]s/site; index index.html; }
}
`

// startNginx serves the pages of a manual and returns the URL.
func startNginx(t *testing.T) string {
	binary, err := exec.LookPath("nginx")
	if err != nil {
		t.Skip("nginx is not installed; TestScripts/first-crawl does the same with another server")
	}
	dir := t.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	files := map[string]string{
		"nginx.conf":              fmt.Sprintf(nginxConfig, dir, addr),
		"site/index.html":         `<title>Manual</title><p>The manual of a program. <a href="install">Installation</a> <a href="https://elsewhere.example/">Authors</a>`,
		"site/install/index.html": `<title>Installation</title><p>Unpack the archive and read the notes. <a href="../none.html">Notes</a>`,
	}
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(binary, "-p", dir, "-e", filepath.Join(dir, "error.log"), "-c", filepath.Join(dir, "nginx.conf"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGTERM)
		cmd.Wait()
	})
	for range 100 {
		if c, err := net.Dial("tcp", addr); err == nil {
			c.Close()
			return "http://" + addr
		}
		time.Sleep(20 * time.Millisecond)
	}
	log, _ := os.ReadFile(filepath.Join(dir, "error.log"))
	t.Skipf("nginx does not start here: %s", log)
	return ""
}

// One attempt at a site of one's own: nginx, no flag but --allow-private.
func TestFirstCrawlOfNginx(t *testing.T) {
	if testing.Short() {
		t.Skip("the default delay takes seconds")
	}
	site := startNginx(t)
	t.Chdir(t.TempDir())
	code, stdout, stderr := tryRun(t.Context(), "crawl", site, "--allow-private")
	if code != 0 || !inOrder(stdout, "127.0.0.1.crawl", "finished: ", "skipped", "scope 1") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	if !inOrder(stderr, "winnow: scope: "+strings.TrimPrefix(site, "http://")+" only", "delay 2s", "writes 127.0.0.1.crawl\n") {
		t.Errorf("the first lines: %s", stderr)
	}
	pages := must(t, "pages", "127.0.0.1.crawl")
	for _, want := range []string{site + "/\n", site + "/install/\n", site + "/none.html\n"} {
		if !strings.Contains(pages, want) {
			t.Errorf("no %s in\n%s", want, pages)
		}
	}
	must(t, "verify", "127.0.0.1.crawl")
}
