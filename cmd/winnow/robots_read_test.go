package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What cannot be read or breaks off is no permission, here as in a crawl, and a coding that
// is none is read as text. A line that the limit of 500 KiB cuts is no rule.
func TestRobotsUnreadable(t *testing.T) {
	filler := strings.Repeat("# a long line of nothing, 32 byte\n", 20_000)
	atLimit := "User-agent: *\n" + filler[:500<<10-len("User-agent: *\n\nDisallow: /")] + "\nDisallow: /"
	for _, test := range []struct {
		name, coding, length, body string
		want                       []string
	}{
		{"broken", "gzip", "", "\x1f\x8b\x08\x00broken", []string{"allowed     no\n", "rule        none: ", "decode gzip"}},
		{"binary", "compress", "", "\x1f\x9d\x90\x00", []string{"allowed     no\n", "unknown content coding"}},
		{"cut", "", "1000", "User-agent: *\nDisallow: /x\n", []string{"allowed     no\n", "rule        none: "}},
		{"text", "ascii", "", "User-agent: *\nDisallow: /\n", []string{"allowed     no\n", "line 2: Disallow: /\n"}},
		{"at the limit", "", "", atLimit + "x\n" + filler, []string{"allowed     yes\n", "rule        none: "}},
		{"within the limit", "", "", atLimit, []string{"allowed     no\n"}},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for name, value := range map[string]string{"Content-Encoding": test.coding, "Content-Length": test.length} {
				if value != "" {
					w.Header().Set(name, value)
				}
			}
			w.Write([]byte(test.body))
		}))
		out := must(t, "robots", server.URL+"/y", "--allow-private")
		for _, want := range test.want {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", test.name, want, out)
			}
		}
		server.Close()
	}
}

// A secret goes to the site that was named, not where its robots.txt moved to.
func TestRobotsSecret(t *testing.T) {
	var there []string
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		there = append(there, r.Header.Get("Authorization")+r.Header.Get("X-Plain"))
	}))
	defer target.Close()
	var here []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		here = append(here, r.Header.Get("Authorization")+r.Header.Get("X-Plain"))
		http.Redirect(w, r, target.URL+"/robots.txt", http.StatusFound)
	}))
	defer server.Close()
	must(t, "robots", server.URL, "--allow-private", "--header", "Authorization: secret", "--header", "X-Plain: plain")
	if strings.Join(here, ",") != "secretplain" || strings.Join(there, ",") != "plain" {
		t.Errorf("the site got %q, where it leads %q", here, there)
	}
}

// No flag allows requests to addresses that give away secrets of the machine.
func TestNeverAsked(t *testing.T) {
	for _, args := range [][]string{
		{"robots", "http://169.254.169.254/latest/"}, {"crawl", "http://[fe80::1]/", "--dir", t.TempDir()}, {"crawl", "http://168.63.129.16/", "--dir", t.TempDir()},
	} {
		_, stderr := winnow(t, 2, append(args, "--allow-private")...)
		if !inOrder(stderr, "winnow: error: ", strings.Split(args[1], "/")[2], "never") {
			t.Errorf("%q: %s", args, stderr)
		}
	}
}
