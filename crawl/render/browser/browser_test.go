//go:build browser

package browser

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

func html(body string) Answer {
	return Answer{Status: 200, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: []byte(body)}
}

func script(body string) *Answer {
	return &Answer{Status: 200, Header: http.Header{"Content-Type": {"text/javascript"}}, Body: []byte(body)}
}

// open returns a browser, or skips the test without one.
func open(t *testing.T, o Options) *Browser {
	t.Helper()
	if Find() == "" {
		t.Skip("no chromium: scripts/browser.sh installs it")
	}
	b := New(o)
	t.Cleanup(b.Close)
	return b
}

func show(t *testing.T, b *Browser, body string, answers map[string]*Answer) (*Shown, error) {
	t.Helper()
	p := &Page{URL: "https://a.example/dir/page", Answer: html(body), Time: time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)}
	began := time.Now()
	s, err := b.Show(context.Background(), p, func(url string) *Answer { return answers[url] })
	t.Logf("%v %v asked %q leads %q denied %d late %t starts %d", time.Since(began).Round(time.Millisecond), err, s.Asked[:min(2, len(s.Asked))], s.Leads, s.Denied, s.Late, b.Starts())
	return s, err
}

func TestBrowserShow(t *testing.T) {
	b := open(t, Options{})
	answers := map[string]*Answer{}
	s, err := show(t, b, `<title>x</title><script src=/app.js></script><div id=d></div><img src=/p.png>`, answers)
	if err != nil || !slices.Equal(s.Asked, []string{"https://a.example/app.js"}) {
		t.Fatal(err, s.Asked)
	}
	answers["https://a.example/app.js"] = script(`setTimeout(async () => { const x = await (await fetch("/data.json?_=" + Date.now() + Math.random())).json(); document.getElementById("d").innerHTML = "<a href='" + x.to + "'>t</a>" }, 3000)`)
	s, err = show(t, b, `<title>x</title><script src=/app.js></script><div id=d></div><img src=/p.png>`, answers)
	if err != nil || len(s.Asked) != 1 {
		t.Fatal(err, s.Asked)
	}
	answers[s.Asked[0]] = &Answer{Status: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(`{"to":"/two"}`)}
	s, err = show(t, b, `<title>x</title><script src=/app.js></script><div id=d></div><img src=/p.png>`, answers)
	if err != nil || len(s.Asked) != 0 || !strings.Contains(string(s.HTML), `<a href="/two">`) {
		t.Fatal(err, s.Asked, string(s.HTML))
	}
	// No page is left open.
	tab := &tab{run: b.run}
	for range 100 {
		var all struct{ TargetInfos []struct{ URL string } }
		if err := tab.call(context.Background(), "", "Target.getTargets", params{}, &all); err != nil {
			t.Fatal(err)
		}
		left := slices.DeleteFunc(all.TargetInfos, func(x struct{ URL string }) bool { return !strings.HasPrefix(x.URL, "https://a.example/") })
		if len(left) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("pages are left open")
}

// What a page must not do is refused, and does not keep it from being shown.
func TestBrowserRefused(t *testing.T) {
	b := open(t, Options{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	u, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	reached := make(chan string, 100)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			reached <- "tcp"
			c.Close()
		}
	}()
	go func() {
		if _, _, err := u.ReadFrom(make([]byte, 100)); err == nil {
			reached <- "udp"
		}
	}()
	answers := map[string]*Answer{
		"https://a.example/moved.js":   {Status: 302, Header: http.Header{"Location": {"/end.js"}}},
		"https://a.example/end.js":     script(`document.body.append("redirected")`),
		"https://b.example/open.json":  {Status: 200, Header: http.Header{"Content-Type": {"application/json"}, "Access-Control-Allow-Origin": {"*"}}, Body: []byte(`"open"`)},
		"https://b.example/other.json": {Status: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: []byte(`"secret"`)},
		"https://a.example/worker.js":  script(fmt.Sprintf(`fetch("http://%s/").catch(() => postMessage("worker"))`, l.Addr())),
	}
	s, err := show(t, b, fmt.Sprintf(`<body><script src=/moved.js></script><iframe src=/frame></iframe><iframe src="data:text/html,x"></iframe>
		<div id=host></div><script>
		const say = x => document.body.append(" " + x);
		document.getElementById("host").attachShadow({mode: "open"}).innerHTML = "<a href=/shadow>s</a>";
		fetch("https://b.example/open.json").then(r => r.json()).then(say);
		fetch("https://b.example/other.json").then(r => r.json()).then(say, () => say("cors"));
		fetch("/post", {method: "POST", body: "x"}).catch(() => say("post"));
		for (const C of ["WebSocket", "RTCPeerConnection", "WebTransport", "SharedWorker"]) say(C + " " + typeof window[C]);
		say("sw " + typeof navigator.serviceWorker);
		say("open " + window.open("https://c.example/popup"));
		new Worker("/worker.js").onmessage = e => say(e.data);
		const frame = document.createElement("iframe"); document.body.append(frame);
		for (const w of [window, frame.contentWindow]) {
			try { new w.WebSocket("ws://%[1]s/") } catch (e) { say("ws") }
			try { const p = new w.RTCPeerConnection({iceServers: [{urls: "stun:%[2]s"}]}); p.createDataChannel("x"); p.createOffer().then(o => p.setLocalDescription(o)) } catch (e) { say("rtc") }
		}
		new Image().src = "http://%[1]s/img"; navigator.sendBeacon("http://%[1]s/beacon", "x");
		const a = document.createElement("a"); a.href = "data:application/zip,x"; a.download = "x.zip"; document.body.append(a); a.click();
		alert("x"); say("alert");
		history.pushState({}, "", "/elsewhere/deep");
		setTimeout(() => { location.href = "/next" }, 1000);
		</script>`, l.Addr(), u.LocalAddr()), answers)
	if err != nil {
		t.Fatal(err)
	}
	text := string(s.HTML)
	t.Log(text[max(0, len(text)-400):])
	for _, want := range []string{"redirected", " open", " cors", " post", "WebSocket undefined", "RTCPeerConnection undefined", "sw undefined", "open null", " alert",
		`<a href="/shadow">`, `<base href="https://a.example/elsewhere/deep">`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(text, "secret") {
		t.Error("another site was read")
	}
	if !slices.Equal(s.Leads, []string{"https://a.example/next"}) {
		t.Errorf("leads to %q", s.Leads)
	}
	if len(s.Asked) > 0 {
		t.Errorf("asked for %q", s.Asked)
	}
	select {
	case how := <-reached:
		t.Errorf("the network was reached by %s", how)
	case <-time.After(100 * time.Millisecond):
	}
}

// Pages without an end come to one, and the next page is shown.
func TestBrowserBounds(t *testing.T) {
	b := open(t, Options{Time: 10 * time.Second, Memory: 600 << 20, Requests: 100})
	// With more memory the bound of the heap, half of it, comes before that of all processes.
	large := open(t, Options{Time: 30 * time.Second, Memory: 900 << 20})
	for _, c := range []struct {
		name, script string
		want         error
	}{
		{"timers", `setInterval(() => { document.title += "x"; fetch("/" + Math.random()) }, 1); (function f() { Promise.resolve().then(() => setTimeout(f, 0)) })()`, nil},
		{"loop", `while (true) {}`, ErrTime},
		{"promises", `const f = () => { Promise.resolve().then(f) }; f()`, ErrTime},
		{"heap", `const all = []; while (true) all.push(new Array(1000).fill(all.length + 0.5))`, ErrCrash},
		{"buffers", `const all = []; setInterval(() => { all.push(new Uint8Array(64 << 20).fill(1)) }, 1)`, ErrMemory},
		{"sockets", `for (let i = 0; i < 1000; i++) { try { new WebSocket("wss://b.example/" + i) } catch (e) { document.title = "none" } fetch("https://b.example/" + i) }`, nil},
		{"reload", `setTimeout(() => location.reload(), 1)`, nil},
		{"dom", `const f = () => { for (let i = 0; i < 20; i++) document.body.append(document.createElement("p")); setTimeout(f, 10) }; f()`, nil},
	} {
		in := b
		if c.want == ErrCrash {
			in = large
		}
		s, err := show(t, in, `<body><script>`+c.script+`</script>`, nil)
		if err != c.want {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
		if len(s.Asked) > 100 {
			t.Errorf("%s: asked for %d", c.name, len(s.Asked))
		}
	}
	if s, err := show(t, b, `<body><script>document.body.append("shown")</script>`, nil); err != nil || !strings.Contains(string(s.HTML), "shown") {
		t.Errorf("the page after them: %v", err)
	}
}
