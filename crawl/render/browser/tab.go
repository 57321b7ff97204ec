package browser

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A tab shows one page.
type tab struct {
	run     *running
	o       *Options
	page    *Page
	get     func(url string) *Answer
	session string
	target  string // of the page
	context string
	asked   map[string]bool
	count   int // requests
	begun   bool
	done    bool
	shown   *Shown
}

// show shows the page and closes the tab.
func (t *tab) show(ctx context.Context) error {
	if err := t.open(ctx); err != nil {
		return err
	}
	if err := t.load(ctx); err != nil {
		return err
	}
	if err := t.read(ctx); err != nil {
		return err
	}
	if err := t.call(ctx, "", "Target.closeTarget", params{"targetId": t.target}, nil); err != nil { // nothing else closes a hidden one
		return err
	}
	return t.call(ctx, "", "Target.disposeBrowserContext", params{"browserContextId": t.context}, nil)
}

type params = map[string]any

// open opens the tab in a context of its own: no page sees what another has left behind.
func (t *tab) open(ctx context.Context) error {
	var made struct{ BrowserContextID, TargetID, SessionID string }
	if err := t.call(ctx, "", "Target.createBrowserContext", params{"disposeOnDetach": true}, &made); err != nil {
		return err
	}
	t.context = made.BrowserContextID
	if err := t.call(ctx, "", "Browser.setDownloadBehavior", params{"behavior": "deny", "browserContextId": t.context}, nil); err != nil {
		return err
	}
	// Without a window it takes half of the processor time.
	if err := t.call(ctx, "", "Target.createTarget", params{"url": "about:blank", "browserContextId": t.context, "hidden": true}, &made); err != nil {
		return err
	}
	t.target = made.TargetID
	if err := t.call(ctx, "", "Target.attachToTarget", params{"targetId": t.target, "flatten": true}, &made); err != nil {
		return err
	}
	t.session = made.SessionID
	for _, c := range []struct {
		method string
		params params
	}{
		{"Fetch.enable", params{"patterns": []params{{"urlPattern": "*"}}}},
		{"Page.enable", params{}},
		{"Inspector.enable", params{}},
		{"Network.enable", params{"maxTotalBufferSize": 0, "maxResourceBufferSize": 0}},
		{"Network.setBypassServiceWorker", params{"bypass": true}},
		{"Page.addScriptToEvaluateOnNewDocument", params{"source": before}},
		{"Emulation.setVirtualTimePolicy", params{"policy": "pause", "initialVirtualTime": float64(t.page.Time.UnixMilli()) / 1000}},
	} {
		if err := t.call(ctx, t.session, c.method, c.params, nil); err != nil {
			return err
		}
	}
	return nil
}

// load lets the page run until its time is used up.
func (t *tab) load(ctx context.Context) error {
	if _, err := t.run.pipe.send(t.session, "Page.navigate", params{"url": t.page.URL}); err != nil {
		return err
	}
	enough := time.NewTimer(t.o.Time / 2)
	defer enough.Stop()
	for !t.done {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-enough.C:
			t.shown.Late, t.done = true, true
		case e, ok := <-t.run.pipe.events:
			if !ok {
				return errGone
			}
			if err := t.take(ctx, &e); err != nil {
				return err
			}
		}
	}
	return nil
}

// call sends a command and waits for its answer. Requests of the page are answered meanwhile.
func (t *tab) call(ctx context.Context, session, method string, p params, result any) error {
	answer, err := t.run.pipe.send(session, method, p)
	if err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case m, ok := <-answer:
			if !ok {
				return errGone
			}
			if m.Error != nil {
				return fmt.Errorf("%s: %s", method, m.Error.Message)
			}
			if result == nil {
				return nil
			}
			return json.Unmarshal(m.Result, result)
		case e, ok := <-t.run.pipe.events:
			if !ok {
				return errGone
			}
			if err := t.take(ctx, &e); err != nil {
				return err
			}
		}
	}
}

// tell sends a command whose answer does not matter.
func (t *tab) tell(method string, p params) error {
	_, err := t.run.pipe.send(t.session, method, p)
	return err
}

// take processes an event.
func (t *tab) take(ctx context.Context, e *event) error {
	if e.session != t.session || t.session == "" {
		return nil
	}
	switch e.method {
	case "Fetch.requestPaused":
		return t.request(e.params)
	case "Page.javascriptDialogOpening":
		return t.tell("Page.handleJavaScriptDialog", params{"accept": false})
	case "Emulation.virtualTimeBudgetExpired":
		t.done = true
	case "Inspector.targetCrashed":
		return ErrCrash
	}
	return nil
}

// A paused is a request that waits for its answer.
type paused struct {
	RequestID    string
	ResourceType string
	FrameID      string
	Request      struct {
		URL    string
		Method string
	}
}

// request answers a request of the page.
func (t *tab) request(text []byte) error {
	var q paused
	if err := json.Unmarshal(text, &q); err != nil {
		return err
	}
	url, _, _ := strings.Cut(q.Request.URL, "#")
	t.count++
	switch {
	case q.ResourceType == "Document" && !t.begun:
		return t.begin(&q)
	case q.ResourceType == "Document" && q.FrameID == t.target:
		if t.shown.Leads = append(t.shown.Leads, url); len(t.shown.Leads) > 16 {
			t.shown.Leads = t.shown.Leads[:16]
		}
		return t.refuse(&q, "Aborted")
	case q.Request.Method != http.MethodGet || !wanted(q.ResourceType) || !strings.HasPrefix(url, "http") || t.count > t.o.Requests:
		t.shown.Denied++
		return t.refuse(&q, "BlockedByClient")
	}
	if a := t.get(url); a != nil {
		return t.fulfill(&q, a)
	}
	if !t.asked[url] {
		t.asked[url] = true
		t.shown.Asked = append(t.shown.Asked, url)
	}
	return t.refuse(&q, "Failed")
}

// begin answers the request for the page itself, and lets its clock run.
func (t *tab) begin(q *paused) error {
	t.begun = true
	if err := t.fulfill(q, &t.page.Answer); err != nil {
		return err
	}
	return t.tell("Emulation.setVirtualTimePolicy", params{
		"policy": "pauseIfNetworkFetchesPending", "budget": t.o.Script.Milliseconds(), "maxVirtualTimeTaskStarvationCount": 10_000,
	})
}

// wanted reports whether scripts may depend on a request of a type. Pictures, films and fonts are
// not loaded, and neither are frames, which are pages of their own.
func wanted(kind string) bool {
	switch kind {
	case "Script", "XHR", "Fetch", "Stylesheet":
		return true
	}
	return false
}

func (t *tab) refuse(q *paused, reason string) error {
	return t.tell("Fetch.failRequest", params{"requestId": q.RequestID, "errorReason": reason})
}

// hopByHop are headers of answers that concern the connection, or that make the browser do more
// than show the page.
var hopByHop = []string{"Connection", "Keep-Alive", "Transfer-Encoding", "Content-Encoding", "Content-Length", "Trailer", "Upgrade", "Set-Cookie", "Set-Cookie2",
	"Strict-Transport-Security", "Public-Key-Pins", "Alt-Svc", "Link", "Refresh", "Nel", "Report-To", "Reporting-Endpoints", "Clear-Site-Data", "Service-Worker-Allowed", "Content-Disposition", "Warning"}

// fulfill answers a request with what was stored.
func (t *tab) fulfill(q *paused, a *Answer) error {
	type field struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	fields := []field{}
	for name, values := range a.Header {
		if slices.Contains(hopByHop, http.CanonicalHeaderKey(name)) {
			continue
		}
		for _, v := range values {
			fields = append(fields, field{name, v})
		}
	}
	slices.SortFunc(fields, func(a, b field) int { return strings.Compare(a.Name+a.Value, b.Name+b.Value) })
	return t.tell("Fetch.fulfillRequest", params{
		"requestId": q.RequestID, "responseCode": a.Status, "responseHeaders": fields, "body": base64.StdEncoding.EncodeToString(a.Body),
	})
}

// before runs before the scripts of a page. It takes away what leads out of the page. That is no
// protection (there is no network), but scripts find it out at once. Random numbers are the same
// in every pass: scripts add them to URLs.
const before = `(() => {
  for (const name of ["WebSocket", "WebSocketStream", "WebTransport", "RTCPeerConnection", "webkitRTCPeerConnection", "SharedWorker", "EventSource"]) {
    try { delete window[name] } catch (e) {}
  }
  try { delete Navigator.prototype.serviceWorker } catch (e) {}
  window.open = () => null;
  let n = 1;
  Math.random = () => { n = (n * 16807) % 2147483647; return n / 2147483647 };
})()`

// collect returns the DOM as text, up to a number of characters.
const collect = `(most => {
  const trees = [];
  const walk = root => { for (const e of root.querySelectorAll("*")) if (e.shadowRoot && trees.length < 1000) { trees.push(e.shadowRoot.innerHTML); walk(e.shadowRoot) } };
  walk(document);
  const root = document.documentElement;
  const all = '<base href="' + document.baseURI.replace(/&/g, "&amp;").replace(/"/g, "&quot;") + '">' + (root ? root.outerHTML : "") + trees.join("\n");
  return {text: all.slice(0, most), cut: all.length > most};
})`

// read takes the DOM.
func (t *tab) read(ctx context.Context) error {
	var got struct {
		Result struct {
			Value struct {
				Text string
				Cut  bool
			}
		}
		ExceptionDetails json.RawMessage
	}
	err := t.call(ctx, t.session, "Runtime.evaluate", params{"expression": fmt.Sprintf("%s(%d)", collect, t.o.Bytes), "returnByValue": true}, &got)
	if err != nil {
		return err
	}
	if len(got.ExceptionDetails) > 0 {
		return fmt.Errorf("read the DOM: %.200s", got.ExceptionDetails)
	}
	t.shown.HTML, t.shown.Cut = []byte(got.Result.Value.Text), got.Result.Value.Cut
	return nil
}
