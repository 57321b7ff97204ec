package control

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/crawl/config"
)

func plan() Plan {
	c := config.Default()
	c.Contact, c.Seeds = "me@example.org", []string{"https://a.example/"}
	return Plan{Config: c}
}

// after returns the plan after some commands.
func after(t *testing.T, texts ...string) Plan {
	t.Helper()
	p := plan()
	for _, text := range texts {
		c, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if c.String() != text {
			t.Errorf("%q is written %q", text, c)
		}
		was := p.Config.Clone()
		next, err := c.Change(p)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if d := p.Config.Diff(&was); len(d) > 0 {
			t.Errorf("%s changed the plan before it: %q", text, d)
		}
		p = next
	}
	return p
}

func TestChange(t *testing.T) {
	was := plan()
	for _, c := range []struct {
		commands string
		want     string // how the configuration differs
	}{
		{"pause", ""},
		{"set pages 2000", "pages: 2000, was 0"},
		{"set delay 5s", "delay: 5s, was 2s"},
		{"drop https://a.example", `exclude: ^https://a\.example/, was none`},
		{"drop a.example", `exclude: ^https?://a\.example(:\d+)?/, was none`},
		{"drop https://a.example:8443/x", `exclude: ^https://a\.example:8443/, was none`},
		{"drop https://a.example; drop https://a.example", `exclude: ^https://a\.example/, was none`},
		{"drop https://a.example; retry https://a.example", ""},
		{"drop a.example; retry https://a.example", ""},
		{"delay a.example 7s", "site: 1 tables, were 0"},
		{"delay a.example 7s; delay https://a.example 9s", "site: 1 tables, were 0"},
	} {
		p := after(t, strings.Split(c.commands, "; ")...)
		if got := strings.Join(p.Config.Diff(&was.Config), "; "); got != c.want {
			t.Errorf("%s: %s, want %s", c.commands, got, c.want)
		}
	}
	if p := after(t, "pause", "set pages 5", "retry b.example", "seed b.example/x"); !p.Paused || p.Retry != "" || !slices.Equal(p.Seeds, []string{"https://b.example/x"}) {
		t.Errorf("%+v", p)
	}
	if p := after(t, "pause", "resume", "retry b.example"); p.Paused || p.Retry != "b.example" {
		t.Errorf("%+v", p)
	}
	if p := after(t, "delay https://a.example 9s"); p.Config.Site[0].Match != "a.example" || p.Config.Site[0].Delay.Duration != 9*time.Second {
		t.Errorf("%+v", p.Config.Site)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, text := range []string{"", "stop", "pause now", "set pages", "set pages 1 2", "seed", "retry", "drop a b", "delay a"} {
		if c, err := Parse(text); err == nil {
			t.Errorf("%q is %+v", text, c)
		}
	}
	for _, text := range []string{"resume", "set pages -5", "set user_agent x", "set delay -1s", "seed ftp://x/", "drop ://", "delay a.example soon"} {
		c, err := Parse(text)
		if err == nil {
			_, err = c.Change(plan())
		}
		if err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
