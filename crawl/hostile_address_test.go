package crawl

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/crawl/archive"
	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/internal/disk"
)

// inward are URLs that lead inside, by address in all spellings, by port, by scheme.
var inward = []string{
	"http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://0x7f.0.0.1/", "http://0177.1/", "http://0/", "http://0.0.0.0/", "http://localhost/", "http://a.localhost/",
	"http://[::1]/", "http://[::]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:a9fe:a9fe]/", "http://[64:ff9b::10.0.0.1]/", "http://[2002:7f00:1::]/", "http://[fe80::1]/", "http://[fd00::1]/",
	"http://10.0.0.1/", "http://172.16.0.1/", "http://192.168.1.1/admin", "http://169.254.169.254/latest/meta-data/", "http://100.64.0.1/", "http://224.0.0.1/", "http://255.255.255.255/",
	"http://inside.example/", "http://metadata.example/", "http://a.example:22/", "http://a.example:25/", "http://a.example:0/",
	"file:///etc/passwd", "ftp://a.example/", "gopher://a.example:70/x", "https://127.0.0.1/", "http://none.example/",
}

// shifty resolves names as an attacker would: one changes to loopback as soon as it was
// asked for once, and back, one has public and private addresses mixed, some are inside.
type shifty struct {
	mu    sync.Mutex
	times int
}

func (s *shifty) resolve(_ context.Context, host string) (fetch.Names, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	short := func(list ...string) (fetch.Names, error) {
		n := fetch.Names{TTL: time.Second} // asked again before every page
		for _, a := range list {
			n.Addrs = append(n.Addrs, netip.MustParseAddr(a))
		}
		return n, nil
	}
	switch host {
	case "a.example":
		return short("93.184.216.34")
	case "shifty.example":
		s.times++
		return short([]string{"93.184.216.35", "127.0.0.1", "::ffff:10.0.0.1"}[(s.times-1)%3])
	case "mixed.example":
		return short("127.0.0.1", "93.184.216.36", "10.0.0.1", "::1")
	case "inside.example":
		return short("192.168.0.1")
	case "metadata.example":
		return short("169.254.169.254")
	case "localhost", "a.localhost":
		return short("127.0.0.1", "::1")
	}
	if a, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return short(a.String())
	}
	return fetch.Names{}, fetch.ErrNoName
}

// TestNotInside crawls a page that links and redirects inside in every way: no connection
// is ever made to anything but the public addresses of the three sites that have some,
// and for each the address that is connected to is one that was checked.
func TestNotInside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := linksTo(append([]string{"http://shifty.example/", "http://mixed.example/"}, inward...)...)
		web := func(rw http.ResponseWriter, r *http.Request) {
			n := -1
			fmt.Sscanf(r.URL.Path, "/to/%d", &n)
			switch {
			case r.URL.Path == "/robots.txt" && r.Host == "mixed.example":
				http.Redirect(rw, r, inward[0]+"robots.txt", http.StatusFound) // a robots.txt inside is asked for by nobody either
			case r.URL.Path == "/robots.txt":
				fmt.Fprint(rw, "sitemap: http://127.0.0.1/sitemap.xml\nsitemap: /sitemap.xml")
			case r.URL.Path == "/sitemap.xml":
				fmt.Fprint(rw, "<urlset><url><loc>http://127.0.0.1/</loc></url></urlset>")
			case n >= 0 && n < len(inward):
				rw.Header().Set("Location", inward[n])
				rw.WriteHeader(http.StatusFound)
			default:
				page(rw, r)
				for i := range inward {
					fmt.Fprintf(rw, "<a href=/to/%d>", i)
				}
			}
		}
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": web, "shifty.example": web, "mixed.example": web}, "http://a.example/")
		s := new(shifty)
		w.o.Machine.Resolve = s.resolve
		w.o.Config.Duplicates = false
		w.o.Config.Duration = config.Duration{Duration: 24 * time.Hour}
		dial := w.o.Machine.Dial
		var mu sync.Mutex
		dialled := map[string]int{}
		w.o.Machine.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			mu.Lock()
			dialled[addr]++
			mu.Unlock()
			return dial(ctx, network, addr)
		}
		sum := w.run(t)
		for addr := range dialled {
			if ip, err := netip.ParseAddrPort(addr); err != nil || fetch.Private(ip.Addr()) || fetch.BadPort(ip.Port()) {
				t.Errorf("connected to %s, %v", addr, err)
			}
		}
		if dialled["93.184.216.34:80"] == 0 || dialled["93.184.216.35:80"] == 0 || s.times < 2 {
			t.Errorf("the test tests little: %v, %d questions", dialled, s.times)
		}
		for _, url := range w.asked {
			if !strings.HasPrefix(url, "http://a.example/") && !strings.HasPrefix(url, "http://shifty.example/") && !strings.HasPrefix(url, "http://mixed.example/") {
				t.Errorf("%s was asked for", url)
			}
		}
		t.Log(sum.Why, len(w.asked), dialled)
	})
}

// TestNoSecrets: the password in a link goes nowhere, cookies neither; what is stored of a
// request is what was sent.
func TestNoSecrets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		page := linksTo("/2", "http://me:s3cret@b.example/", "//me:s3cret@a.example/3", "http://b.example/4")
		web := func(rw http.ResponseWriter, r *http.Request) {
			for _, name := range []string{"Cookie", "Authorization", "Referer"} {
				if v := r.Header.Get(name); v != "" {
					t.Errorf("%s is sent %s: %s", r.Host, name, v)
				}
			}
			rw.Header().Set("Set-Cookie", "id=1; Domain=example")
			page(rw, r)
		}
		w := newHandWeb(t, map[string]http.HandlerFunc{"a.example": web, "b.example": web}, "http://a.example/")
		w.o.Config.Duplicates = false
		w.run(t)
		for _, url := range w.asked {
			if strings.Contains(url, "s3cret") {
				t.Errorf("%s was asked for", url)
			}
		}
		for name, dir := range w.disk {
			checkNoSecret(t, name, dir)
		}
	})
}

// checkNoSecret looks for the secret in all files: in WARC files only in what is ours,
// because a body is stored as it came.
func checkNoSecret(t *testing.T, name string, dir *disk.Memory) {
	files, err := dir.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range files {
		f, err := dir.Open(e.Name, disk.Read)
		if err != nil {
			t.Fatal(err)
		}
		data := make([]byte, e.Size)
		if _, err := f.ReadAt(data, 0); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		f.Close()
		if bytes.Contains(data, []byte("s3cret")) {
			t.Errorf("the secret is in %s/%s", name, e.Name)
		}
		if !strings.Contains(e.Name, ".warc.gz") {
			continue
		}
		z := archive.NewReader(bytes.NewReader(data), e.Name)
		for {
			r, err := z.Next()
			if err != nil {
				break
			}
			block, _ := io.ReadAll(r)
			if strings.Contains(fmt.Sprint(r.Fields), "s3cret") || r.Type == "request" && bytes.Contains(block, []byte("s3cret")) {
				t.Errorf("the secret is in the %s record of %s", r.Type, r.URL)
			}
		}
	}
}
