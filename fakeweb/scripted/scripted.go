// Package scripted makes pages of a synthetic web need JavaScript: their HTML has a title and a
// script, which asks for the rest of the page as JSON and puts it there. Three more pages of each
// site have no end: see Hostile.
package scripted

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Dir is the directory of everything in this package, on every site.
const Dir = "/scripted/"

// data is followed by path and query of a page.
const data = "data"

// app is the script of all pages. It needs two steps: a module, and the data.
const (
	app    = "const load = document.createElement('script');\nload.src = '" + Dir + "show.js';\ndocument.head.append(load);\n"
	script = "fetch('" + Dir + data + "' + location.pathname + location.search).then(r => r.json()).then(x => {\n" +
		"  setTimeout(() => { document.getElementById('app').innerHTML = x.html }, 100);\n});\n"
)

// Shell returns what is left of a page in its HTML: all of it if it needs no script.
func Shell(html []byte, script bool) []byte {
	if !script {
		return html
	}
	head, _, _ := bytes.Cut(html, []byte("<body>"))
	return append(bytes.Clone(head), "<body>\n<div id=\"app\"></div>\n<script src=\""+Dir+"app.js\"></script>\n</body>\n</html>\n"...)
}

// Page returns path and query of the page that a path asks for the data of, "" for other paths.
func Page(path string) string {
	rest, _ := strings.CutPrefix(path, Dir+data)
	if rest == path {
		return ""
	}
	return rest
}

// Data returns what the script puts into a page.
func Data(html []byte) []byte {
	_, body, _ := bytes.Cut(html, []byte("<body>"))
	body, _, _ = bytes.Cut(body, []byte("</body>"))
	out, _ := json.Marshal(map[string]string{"html": string(body)}) // it never fails
	return out
}

// Hostile returns the paths of pages without an end: one that never ends, one that allocates
// without end, and one that opens a thousand sockets. Each has a link that its HTML has.
func Hostile() []string {
	return []string{Dir + "endless.html", Dir + "hog.html", Dir + "sockets.html"}
}

var hostile = map[string]string{
	"endless.html": "setInterval(() => fetch('/scripted/none?' + Math.random()), 1);\nfor (;;) {}",
	"hog.html":     "const all = [];\nsetInterval(() => all.push(new Uint8Array(32 << 20).fill(1)), 1);",
	"sockets.html": "for (let i = 0; i < 1000; i++) {\n  try { new WebSocket('ws://' + location.host + '/scripted/socket' + i) } catch (e) {}\n  fetch('/scripted/socket' + i).catch(() => {});\n}",
}

// Answer returns the type and the body of a script or of a hostile page; ok is false if there is
// nothing at the path.
func Answer(path string) (media, body string, ok bool) {
	name := strings.TrimPrefix(path, Dir)
	switch code, bad := hostile[name]; {
	case bad:
		return "text/html", "<!DOCTYPE html>\n<title>" + name + "</title>\n<a href=\"/\">home</a>\n<script>\n" + code + "\n</script>\n", true
	case name == "app.js":
		return "text/javascript", app, true
	case name == "show.js":
		return "text/javascript", script, true
	}
	return "", "", false
}
