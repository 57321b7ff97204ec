package notice

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// receiver returns one that wants what is at a.example, and a clock that tests set.
func receiver() (*Receiver, *time.Time) {
	now := time.Unix(0, 0)
	r := New(func(url string) bool { return strings.HasPrefix(url, "https://a.example/") })
	r.now, r.at = func() time.Time { return now }, now
	return r, &now
}

// send sends a request and returns the status and the body of the answer.
func send(r *Receiver, method, target, body string, header ...string) (int, string) {
	q := httptest.NewRequest(method, target, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		q.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	r.server.Handler.ServeHTTP(w, q)
	return w.Code, w.Body.String()
}

// list returns a body of IndexNow.
func list(n int) string {
	urls := make([]string, n)
	for i := range urls {
		urls[i] = fmt.Sprintf(`"https://a.example/%d"`, i)
	}
	return `{"host": "a.example", "key": "k", "urlList": [` + strings.Join(urls, ",") + "]}"
}

func TestRequests(t *testing.T) {
	const topic = "hub.topic=https%3A%2F%2Fa.example%2Ffeed"
	for _, test := range []struct {
		name, method, target, body, link string
		status                           int
		want                             string // URLs that are passed on, or the answer
	}{
		{"one page", "GET", "/indexnow?url=https://A.example/x%23y&key=k", "", "", 202, "https://a.example/x"},
		{"no key", "GET", "/indexnow?url=https://a.example/x", "", "", 400, ""},
		{"not wanted", "GET", "/indexnow?url=https://b.example/&key=k", "", "", 202, ""},
		{"no URL", "GET", "/indexnow?url=a.example&key=k", "", "", 202, ""},
		{"list", "POST", "/indexnow", list(2), "", 202, "https://a.example/0 https://a.example/1"},
		{"list with a port", "POST", "/indexnow", strings.ReplaceAll(list(1), "https://a.example", "https://a.example:443"), "", 202, "https://a.example/0"},
		{"another host", "POST", "/indexnow", strings.Replace(list(2), "a.example", "b.example", 1), "", 422, ""},
		{"too many", "POST", "/indexnow", list(maxURLs + 1), "", 422, ""},
		{"too large", "POST", "/indexnow", `{"host": "` + strings.Repeat("x", maxBody) + `"`, "", 400, ""},
		{"not JSON", "POST", "/indexnow", "<x>", "", 400, ""},
		{"verify", "GET", "/websub?hub.mode=subscribe&hub.challenge=abc&" + topic, "", "", 200, "abc"},
		{"verify what is not wanted", "GET", "/websub?hub.mode=subscribe&hub.challenge=abc&hub.topic=https://b.example/", "", "", 404, ""},
		{"verify the end", "GET", "/websub?hub.mode=unsubscribe&hub.challenge=abc&" + topic, "", "", 404, ""},
		{"verify nothing", "GET", "/websub?hub.mode=subscribe&" + topic, "", "", 404, ""},
		{"deliver", "POST", "/websub", "<feed/>", `<https://hub.example/>; rel=hub, <https://a.example/feed>; rel="self"`, 202, "https://a.example/feed"},
		{"deliver without a topic", "POST", "/websub", "<feed/>", "", 400, ""},
		{"deliver two topics", "POST", "/websub", "<feed/>", `<https://a.example/1>; rel=self, <https://a.example/2>; rel="self"`, 400, ""},
		{"elsewhere", "GET", "/", "", "", 404, ""},
		{"another method", "DELETE", "/indexnow", "", "", 405, ""},
	} {
		r, _ := receiver()
		status, answer := send(r, test.method, test.target, test.body, "Link", test.link)
		got := ""
		select {
		case urls := <-r.C:
			got = strings.Join(urls, " ")
		default:
			if status == 200 {
				got = answer
			}
		}
		if status != test.status || got != test.want {
			t.Errorf("%s: %d and %q, want %d and %q", test.name, status, got, test.status, test.want)
		}
	}
}

// TestRate: so many URLs a minute, and so many requests that nobody has taken.
func TestRate(t *testing.T) {
	r, now := receiver()
	for i, want := range []int{202, 202, 429} {
		if got, _ := send(r, "POST", "/indexnow", list(perMinute/2)); got != want {
			t.Errorf("list %d: %d, want %d", i+1, got, want)
		}
	}
	*now = now.Add(30 * time.Second)
	if got, _ := send(r, "POST", "/indexnow", list(perMinute/2)); got != 202 {
		t.Errorf("half a minute later: %d", got)
	}
	*now = now.Add(time.Hour)
	for i := 3; i < batches+1; i++ {
		got, _ := send(r, "GET", "/indexnow?url=https://a.example/&key=k", "")
		if want := http.StatusAccepted; got != want && i < batches {
			t.Errorf("request %d: %d, want %d", i+1, got, want)
		} else if i == batches && got != http.StatusTooManyRequests {
			t.Errorf("a request for which there is no room: %d", got)
		}
	}
}

// FuzzReceiver: whatever comes, only wanted URLs are passed on.
func FuzzReceiver(f *testing.F) {
	f.Add("POST", "/indexnow", list(2), "")
	f.Add("GET", "/websub?hub.mode=subscribe&hub.challenge=1&hub.topic=https://a.example/", "", "")
	f.Add("POST", "/websub", "", "<https://a.example/>; rel=self")
	f.Fuzz(func(t *testing.T, method, target, body, link string) {
		if method != "POST" {
			method = "GET"
		}
		q, err := http.NewRequest(method, "http://x"+target, strings.NewReader(body))
		if err != nil {
			return
		}
		q.Header.Set("Link", link)
		r, _ := receiver()
		r.server.Handler.ServeHTTP(httptest.NewRecorder(), q)
		select {
		case urls := <-r.C:
			for _, u := range urls {
				if !strings.HasPrefix(u, "https://a.example/") {
					t.Errorf("%q is passed on", u)
				}
			}
		default:
		}
	})
}
