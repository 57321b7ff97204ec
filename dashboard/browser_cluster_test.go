//go:build browser

package dashboard

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// In a browser the pages of a cluster move, fit a phone on light and dark ground, say when the cluster
// is lost and when it is back, and a crawl is paused by keyboard.
func TestBrowserCluster(t *testing.T) {
	b := newBrowser(t)
	f := newFakeCluster(threeNodes(100))
	_, h := start(t, Options{Cluster: f, Token: []byte(secret), Open: true})
	b.look(1280, "light")
	b.visit(h.URL + "/")
	b.wait("the list", `document.getElementById("c-big-fetched")?.textContent === "100"`)
	f.set(threeNodes(120))
	b.wait("the number of pages moves", `document.getElementById("c-big-fetched")?.textContent === "120"`)
	two := threeNodes(130)
	two.Nodes = two.Nodes[:2]
	f.set(two)
	b.wait("a node goes", `!document.getElementById("n-c") && document.getElementById("n-b")`)
	f.set(threeNodes(140))
	for _, where := range []string{"/cluster/", "/cluster/big/", "/cluster/old/"} {
		b.visit(h.URL + where)
		for _, scheme := range []string{"light", "dark"} {
			b.look(400, scheme)
			if w := eval[int](b, `document.scrollingElement.scrollWidth`); w > 400 {
				t.Errorf("%s: %d pixels wide on a phone", where, w)
			}
			ground := eval[string](b, `getComputedStyle(document.body).backgroundColor`)
			if light := strings.HasPrefix(ground, "rgb(25"); light != (scheme == "light") {
				t.Errorf("%s: %s ground is %s", where, scheme, ground)
			}
		}
		if hit := eval[string](b, `String(window.hit)`); hit != "undefined" {
			t.Errorf("%s: something was injected: %s", where, hit)
		}
	}
	b.look(1280, "light")
	b.visit(h.URL + "/cluster/big/")
	moved := threeNodes(150)
	moved.Crawls[0].Nodes[0].Partitions, moved.Crawls[0].Nodes[1].Partitions = []int{0, 1, 2, 4}, []int{6}
	time.Sleep(time.Second) // the page listens
	f.set(moved)
	b.wait("a partition moves", `document.getElementById("p-4")?.className === "hue0" && document.getElementById("n-b-partitions").textContent === "6"`)
	lost := threeNodes(150)
	lost.Trouble = "no node answers"
	f.set(lost)
	b.wait("the cluster is lost", `document.getElementById("note")?.textContent.includes("no node answers")`)
	f.set(threeNodes(160))
	b.wait("it is back", `document.getElementById("note")?.textContent.includes("answer") === false && document.getElementById("v-fetched")?.textContent === "160"`)
	b.visit(h.URL + "/login?next=/cluster/big/")
	if !eval[bool](b, `document.activeElement.id === "token"`) {
		b.tabbed(`document.getElementById("token")`)
	}
	b.press(secret + "\r")
	b.wait("the login", `document.getElementById("pause")`)
	b.tabbed(`document.getElementById("pause")`)
	b.press("\r")
	b.wait("the command", `document.querySelector("p.done")`)
	if got := fmt.Sprint(f.did); got != "[pause big]" {
		t.Errorf("done: %s", got)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, u := range b.asks {
		if !strings.HasPrefix(u, h.URL+"/") && !strings.HasPrefix(u, "data:") || strings.Contains(u, secret) {
			t.Errorf("requested: %s", u)
		}
	}
	for _, text := range b.said {
		if !strings.Contains(text, "/login?") { // it would like a name in the form of the token
			t.Errorf("the browser says: %s", text)
		}
	}
}
