package dashboard

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/control"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// A scribe writes commands down, and refuses those to retry something.
type scribe struct{ did []string }

func (s *scribe) Do(_ context.Context, c control.Command) error {
	s.did = append(s.did, c.String())
	if c.Verb == control.Retry {
		return &hint.Error{Text: "not <b>today</b>", Hint: "tomorrow"}
	}
	return nil
}

const secret = "0123456789abcdef"

// A crawl is changed by a POST that brings the token and comes from the dashboard itself. The
// token is in no address. To read needs none.
func TestControl(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a.crawl")
	crawlHostile(t, dir, 60)
	s := &scribe{}
	_, h := start(t, Options{Dirs: []string{dir}, Token: []byte(secret), Open: true, Control: s})
	base := h.URL + "/crawl/a.crawl/"
	code, text := get(t, base+"control")
	if check(t, "control", text); code != http.StatusOK || !strings.Contains(text, "log in") || strings.Contains(text, "<button>set") {
		t.Errorf("without the token: %d %s", code, text)
	}
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	post := func(path, origin string, form url.Values) (int, string) {
		t.Helper()
		r, _ := http.NewRequest("POST", h.URL+path, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Accept", "text/html")
		if origin != "" {
			r.Header.Set("Origin", origin)
		}
		a, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		b, _ := io.ReadAll(a.Body)
		return a.StatusCode, a.Header.Get("Location") + string(b)
	}
	pause := "/crawl/a.crawl/control/pause"
	if code, _ := post(pause, h.URL, nil); code != http.StatusUnauthorized {
		t.Errorf("a command without the token: %d", code)
	}
	if code, _ := post(pause+"?token="+secret, h.URL, nil); code != http.StatusUnauthorized {
		t.Errorf("a command with the token in its address: %d", code)
	}
	if code, _ := post("/login", h.URL, url.Values{"token": {"wrong"}}); code != http.StatusForbidden {
		t.Errorf("a login with another token: %d", code)
	}
	if code, to := post("/login", h.URL, url.Values{"token": {secret}, "next": {"/crawl/a.crawl/control"}}); code != http.StatusSeeOther || !strings.HasPrefix(to, "/crawl/a.crawl/control") {
		t.Errorf("a login: %d %s", code, to)
	}
	if code, _ := post(pause, "https://evil.example", nil); code != http.StatusForbidden {
		t.Errorf("a command from another site: %d", code)
	}
	if r, _ := client.Get(h.URL + pause); r.StatusCode < 400 {
		t.Errorf("a command by GET: %d", r.StatusCode)
	}
	if len(s.did) > 0 {
		t.Errorf("done: %q", s.did)
	}
	for _, c := range []struct {
		verb string
		form url.Values
	}{
		{"pause", nil},
		{"set", url.Values{"key": {"pages"}, "value": {"2000"}}},
		{"delay", url.Values{"site": {"https://a.example"}, "value": {"9s"}}},
		{"drop", url.Values{"site": {"https://a.example"}, "value": {"9s"}}},
		{"seed", url.Values{"urls": {"https://a.example/\r\nhttps://b.example/\r\n"}}},
		{"retry", url.Values{"site": {"https://a.example"}}},
	} {
		if code, _ := post("/crawl/a.crawl/control/"+c.verb, h.URL, c.form); code != http.StatusSeeOther {
			t.Errorf("%s: %d", c.verb, code)
		}
	}
	want := []string{"pause", "set pages 2000", "delay https://a.example 9s", "drop https://a.example", "seed https://a.example/ https://b.example/", "retry https://a.example"}
	if !slices.Equal(s.did, want) {
		t.Errorf("done: %q\nwant %q", s.did, want)
	}
	r, err := client.Get(base + "control?site=https://b.example")
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(r.Body)
	r.Body.Close()
	check(t, "control", string(b))
	for _, part := range []string{"was refused: not &lt;b&gt;today&lt;/b&gt; (tomorrow)", `value="https://b.example"`, `id="resume"`, `id="set-pages"`} {
		if !strings.Contains(string(b), part) {
			t.Errorf("the page lacks %s", part)
		}
	}
	if strings.Contains(string(b), secret) {
		t.Error("the page has the token")
	}
}

func TestControlNeedsToken(t *testing.T) {
	if _, err := New(t.Context(), Options{Dirs: []string{t.TempDir()}, Control: &scribe{}}); err == nil {
		t.Error("a crawl can be controlled without a token")
	}
}
