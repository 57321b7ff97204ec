package dashboard

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/crawl/control"
	"github.com/winnow-crawler/winnow/crawl/follow"
	"github.com/winnow-crawler/winnow/crawl/history"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// controls keeps the result of the last command.
type controls struct {
	mu   sync.Mutex
	last *commanded
}

// commanded is a command that was carried out, or refused.
type commanded struct {
	follow.Command
	Refused, Hint string
}

func (x *commanded) refuse(err error) {
	x.Refused = err.Error()
	var h *hint.Error
	if errors.As(err, &h) {
		x.Hint = h.Hint
	}
}

// fields are the fields of a form that are the arguments of a command, by its verb.
var fields = map[string][]string{
	control.Set: {"key", "value"}, control.Delay: {"site", "value"}, control.Seed: {"urls"}, control.Retry: {"site"}, control.Drop: {"site"},
}

// controlView is the page that changes a crawl.
var controlView = view{"control", "Control", "control", "Control", false, showControl}

// controls reports whether a crawl can be changed here.
func (s *Server) controls(c *crawled) bool { return s.o.Control != nil && c == s.crawls[0] }

// A controlPage shows what can be changed.
type controlPage struct {
	To       string // where commands go
	Known    bool   // the user has given the token
	Login    string
	Paused   bool
	Settings []setting
	Site     string
	Last     *commanded
	Commands []follow.Command // the last ones first
}

// A setting is a key of the configuration that can be changed.
type setting struct{ Name, Help, Value string }

// commandsShown is the number of commands on the page.
const commandsShown = 50

func showControl(a *asked) (any, error) {
	if !a.s.controls(a.c) {
		return nil, &wrong{"Nothing can be changed here.", "Crawls are controlled by the dashboard of winnow crawl --ui."}
	}
	x := &controlPage{
		To: a.base + "control/", Known: a.s.known(a.Request), Site: a.FormValue("site"), Last: a.s.control.result(),
		Login: "/login?next=" + url.QueryEscape(a.URL.RequestURI()),
	}
	if g := &a.glance; g.Status != nil {
		x.Paused = g.Status.State != history.StateRunning
	}
	if c := a.glance.Config; c != nil {
		for _, name := range control.Keys() {
			k, _ := c.Key(name)
			x.Settings = append(x.Settings, setting{name, k.Help, k.String()})
		}
	}
	err := a.c.Read(func(v *follow.View) error {
		if v.Index != nil {
			list := v.Index.Commands
			x.Commands = slices.Clone(list[max(0, len(list)-commandsShown):])
			slices.Reverse(x.Commands)
		}
		return nil
	})
	if err == follow.ErrNotReady {
		err = nil
	}
	return x, err
}

func (c *controls) result() *commanded {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

func (c *controls) keep(x *commanded) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = x
}

// command carries out the command of a form that has passed all checks: host, origin and token.
func (s *Server) command(w http.ResponseWriter, r *http.Request) {
	c := s.crawl(r)
	if c == nil || !s.controls(c) {
		s.fail(w, r, http.StatusNotFound, "Nothing can be changed here.", "Crawls are controlled by the dashboard of winnow crawl --ui.")
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
	cmd := control.Command{Verb: r.PathValue("verb")}
	for _, field := range fields[cmd.Verb] {
		cmd.Args = append(cmd.Args, strings.Fields(r.PostFormValue(field))...)
	}
	x := &commanded{Command: follow.Command{At: time.Now(), Text: cmd.String()}}
	code := http.StatusSeeOther
	if err := s.o.Control.Do(r.Context(), cmd); err != nil {
		x.refuse(err)
		code = http.StatusBadRequest
	}
	s.control.keep(x)
	if code == http.StatusBadRequest && !strings.Contains(r.Header.Get("Accept"), "text/html") {
		http.Error(w, x.Refused, code)
		return
	}
	http.Redirect(w, r, "/crawl/"+c.Name+"/control", http.StatusSeeOther)
}
