package config

import (
	"errors"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/score"
)

func TestDefaultIsValid(t *testing.T) {
	c := Default()
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	for _, p := range Presets() {
		c := Default()
		if p.Apply(&c); p.Topic {
			c.Query = "web crawler"
		}
		if err := c.Check(); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
}

// The preset for topics needs one, stops by it, and leaves another condition and scope.
func TestTopicPreset(t *testing.T) {
	p, ok := FindPreset(TopicPreset)
	c := Default()
	var missing *KeyError
	if p.Apply(&c); !ok || !errors.As(p.Check(&c), &missing) || missing.Key != "query" {
		t.Errorf("without a topic: %v", p.Check(&c))
	}
	c.Query = "web crawler"
	c.ChoosePolicy()
	if err := errors.Join(p.Check(&c), c.Check()); err != nil || c.Policy != "score" || c.Score != score.TopicExpression || c.Scope != ScopeAny || c.StopWhen == "" {
		t.Errorf("policy %s, scope %s, stop when %q: %v", c.Policy, c.Scope, c.StopWhen, err)
	}
	c = Default()
	c.StopWhen, c.Scope, c.Policy = "pages > 3", ScopeDomain, policy.TopicDefault
	if p.Apply(&c); c.StopWhen != "pages > 3" || c.Scope != ScopeDomain || c.Score != "" {
		t.Errorf("stop when %q, scope %s, score %q", c.StopWhen, c.Scope, c.Score)
	}
	for _, p := range Presets() {
		if c := Default(); !p.Topic && p.Check(&c) != nil {
			t.Errorf("%s needs a topic", p.Name)
		}
	}
}

// The two files that winnow writes mean what they were written from.
func TestFilesReadBack(t *testing.T) {
	delay, here := Seconds(10), t.TempDir()
	want := Default()
	want.Seeds = []string{"https://a.example/?x=1&y='\"\\", "http://b.example/\u00e9"}
	want.Header = []string{"X-A: 1", "X-B: \"2\""}
	want.Policy, want.SitePolicy = "opic/cash=all", "larger-sites-first"
	want.Pages, want.RandomSeed, want.MaxBody = 1<<40, 1<<62, 1500
	want.Duration, want.Robots = Duration{90 * time.Minute}, false
	want.Site = []Override{
		{Match: "a.example", Delay: &delay, Header: []string{"X-A: 2"}},
		{Match: "b.example", PerConnection: 5, MaxPages: 100},
		{
			Match: "c.example", Include: []string{"x"}, Exclude: []string{"y"}, Types: TypesAll, MaxBody: 5 << 20, Timeout: Seconds(1), Connect: Seconds(2),
			FirstByte: Seconds(3), Stall: Seconds(4), Cookie: []string{"a=b"}, User: "me", Password: "x", OverHTTP: true,
		},
		{Match: "d.example", CookieFile: filepath.Join(here, "c"), TokenFile: filepath.Join(here, "t")},
		{Match: "e.example", CookieEnv: "C", User: "me", PasswordEnv: "P"},
		{Match: "f.example", User: "me", PasswordFile: filepath.Join(here, "p")},
		{Match: "g.example", Token: "x"},
		{Match: "h.example", TokenEnv: "T"},
	}
	plain, err := want.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	commented, err := want.Commented()
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{plain, commented} {
		got, err := Parse("winnow.toml", data)
		if err != nil {
			t.Fatalf("%v in\n%s", err, data)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("read\n%+v, want\n%+v from\n%s", got, want, data)
		}
	}
}

// No limit of depth has a word of its own.
func TestNoDepth(t *testing.T) {
	for text, want := range map[string]Depth{"none": NoDepth, "-1": NoDepth, "0": 0, "15": 15, "1k": 1000} {
		c := Default()
		c.MaxDepth = 7
		k, _ := c.Key("max_depth")
		if err := k.Set(text); err != nil || c.MaxDepth != want {
			t.Errorf("%s: %d, %v", text, c.MaxDepth, err)
		}
	}
	for text, want := range map[string]Depth{"'none'": NoDepth, "-1": NoDepth, "0": 0, "15": 15} {
		c, err := Parse("w.toml", []byte("max_depth = "+text+"\n"))
		if err != nil || c.MaxDepth != want {
			t.Errorf("%s: %d, %v", text, c.MaxDepth, err)
		}
	}
	for _, text := range []string{"-2", "70000", "'deep'"} {
		if _, err := Parse("w.toml", []byte("max_depth = "+text+"\n")); err == nil {
			t.Errorf("max_depth = %s was taken", text)
		}
	}
}

func TestReadOverWhatIsThere(t *testing.T) {
	c := Default()
	if err := c.Read("/etc/winnow/first.toml", []byte("delay = 5\nheader = ['A: 1', 'B: 2']\nrules = 'r.txt'\n[[site]]\nmatch = 'a.example'\n")); err != nil {
		t.Fatal(err)
	}
	if err := c.Read("/crawl/winnow.toml", []byte("pages = 7\nheader = ['C: 3']\n[[site]]\nmatch = 'b.example'\n")); err != nil {
		t.Fatal(err)
	}
	want := Default()
	want.Delay, want.Pages, want.Header = Seconds(5), 7, []string{"C: 3"}
	want.Rules = filepath.FromSlash("/etc/winnow/r.txt")
	want.Site = []Override{{Match: "b.example"}}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got\n%+v, want\n%+v", c, want)
	}
	if err := c.Read("x", []byte("pages = 9\ndelay = '-1s'\n")); err == nil || c.Pages != 7 {
		t.Errorf("after an error (%v) there are %d pages", err, c.Pages)
	}
}

// Every mistake in a file is told with its place.
func TestFileErrors(t *testing.T) {
	for _, test := range []struct{ file, want string }{
		{"pages = ", "w.toml:1:8: .*value"},
		{"pages = 1\ndely = '2s'\n", `w.toml:2:1: unknown.*"dely"`},
		{"[[site]]\nmatch = 'a.example'\ndepth = 3\n", `w.toml:3:1: unknown.*"site.depth"`},
		{"\npages = 'many'\n", "w.toml:2:9: "},
		{"pages = 1\n  delay = 'soon'\n", `w.toml:2:11: "soon".*duration`},
		{"max_body = '10 bananas'", `w.toml:1:12: "10 bananas".*size`},
		{"pages = -1\n", "w.toml:1:1: pages: -1.* 0$"},
		{"# x\nscope = 'all'\n", `w.toml:2:1: scope: "all".*any.*seeds.*domain.*regexp:R`},
		{"scope = 'regexp:('\n", `w.toml:1:1: scope: "\(": missing closing \)`},
		{"policy = 'omniscient'\n", "w.toml:1:1: policy: .*omniscient.*importance"},
		{"policy = 'historical-pagerank'\n", "w.toml:1:1: policy: .*historical-pagerank.*earlier crawl"},
		{"policy = 'opic/cash=none'\n", `w.toml:1:1: policy: .*"opic/cash=none".*seeds, all`},
		{"\n[[site]]\nmatch = 'https://a.example/'\n", `w.toml:2:3: site: table 1: match: "https://a.example/".*host`},
		{"[[site]]\nmatch = 'a.example'\n[[site]]\nmatch = 'a.example'\n", `w.toml:1:3: site: table 2: "a.example" .*before`},
		{"header = ['nothing']\n", `w.toml:1:1: header: "nothing".*"Name: value"`},
		{"header = ['Host: a']\n", `w.toml:1:1: header: "Host: a".*Host`},
		{"header = ['User-Agent: a']\n", `w.toml:1:1: header: "User-Agent: a".*user_agent`},
		{"pages = 1\npages = 2\n", "w.toml:2:1: "},
	} {
		_, err := Parse("w.toml", []byte(test.file))
		var file *FileError
		if !errors.As(err, &file) || !regexp.MustCompile("^"+test.want).MatchString(err.Error()) {
			t.Errorf("%q: %v, want %s", test.file, err, test.want)
		}
	}
}

// The policy that default means depends on the memory, unless a policy is named. A crawl
// stores the one that is meant, so that a later version resumes with the same.
func TestChoosePolicy(t *testing.T) {
	for _, test := range []struct {
		named  string
		memory Size
		want   string
	}{
		{"default", 0, policy.Default}, {"default", 512 << 20, policy.Default}, {"default", 511 << 20, policy.Frugal},
		{policy.Default, 64 << 20, policy.Default}, {"xim", 64 << 20, "xim"},
	} {
		c := Default()
		key, _ := c.Key("policy")
		if err := key.Set(test.named); err != nil {
			t.Fatal(err)
		}
		c.MaxMemory = test.memory
		if frugal := c.ChoosePolicy(); c.Policy != test.want || frugal != (test.want == policy.Frugal) {
			t.Errorf("%s with %d bytes is %s (%v), want %s", test.named, test.memory, c.Policy, frugal, test.want)
		}
	}
	c, err := Parse("winnow.toml", []byte("policy = 'mix:default+xim'\nsite_policy = 'default'\n"))
	if err != nil {
		t.Fatal(err)
	}
	c.ChoosePolicy()
	if want := "mix:" + policy.Default + "+xim"; c.Policy != want || c.SitePolicy != policy.Default {
		t.Errorf("policies %q and %q, want %q and %q", c.Policy, c.SitePolicy, want, policy.Default)
	}
}

func TestChecks(t *testing.T) {
	for _, test := range []struct{ key, value, want string }{
		{"fetchers", "0", "fetchers: 0.* 1$"},
		{"fetchers", "2M", `fetchers: 2000000.* 1000000\b`},
		{"delay", "48h", `delay: 48h.* 24h\b`},
		{"timeout", "0", `timeout: 0s.* 1ms\b`},
		{"delay_factor", "-1", "delay_factor: -1.* 0 to 1,000,000$"},
		{"delay_factor", "NaN", "delay_factor: NaN.* 0 to 1,000,000$"},
		{"max_memory", "1M", "max_memory: 1MiB.* 64MiB$"},
		{"small_site", "100", "small_delay: 0s.* 2s$"},
		{"types", "pdf", `types: "pdf".*html.*all`},
		{"store", "all", `store: "all".*both.*links`},
		{"policy", "", "policy: no policy"},
		{"site_policy", "bfs", "site_policy: "},
		{"contact", "me", `contact: "me".*mail.*URL`},
		{"contact", "me@", `contact: "me@".*mail.*URL`},
		{"contact", "me@example.org)", `contact: "me@example.org\)".*mail.*URL`},
		{"user_agent", "1bot", `user_agent: "1bot".*letters`},
		{"user_agent", "b\u00f6t", "user_agent: \"b\u00f6t\".*ASCII"},
		{"resolver", "dns.example", `resolver: "dns.example".*IP address`},
		{"proxy", "socks4://me:s3cret@a:1", `proxy: "socks4://me:xxxxx@a:1".*socks5`},
		{"metrics", "here", `metrics: "here".*port`},
		{"metrics", "0.0.0.0:9090", `metrics: "0.0.0.0:9090".*metrics_token`},
		{"notices", "here", `notices: "here".*port`},
		{"notices", "9091", `recrawl: notices say which pages`},
		{"include", "", "include: .*empty"},
		{"exclude", "[", `exclude: "\[": missing closing \]`},
	} {
		c := Default()
		key, ok := c.Key(test.key)
		if !ok {
			t.Fatalf("no key %s", test.key)
		}
		if err := key.Set(test.value); err != nil {
			t.Fatal(err)
		}
		err := c.Check()
		var wrong *KeyError
		if !errors.As(err, &wrong) || !regexp.MustCompile("^"+test.want).MatchString(err.Error()) {
			t.Errorf("%s = %q: %v, want %s", test.key, test.value, err, test.want)
		}
	}
}

// Whatever a key holds, its text sets another configuration to the same.
func TestKeysSetWhatTheySay(t *testing.T) {
	from, to := Default(), Config{}
	thesisExp2(&from)
	texts := from.Keys()
	for i, k := range to.Keys() {
		if k.List() {
			continue
		}
		if err := k.Set(texts[i].String()); err != nil {
			t.Errorf("%s: %v", k.Name, err)
		}
		if k.Flag() != strings.ReplaceAll(k.Name, "_", "-") || k.Help == "" || k.Type() == "" {
			t.Errorf("%+v", k)
		}
	}
	if diff := to.Diff(&from); !reflect.DeepEqual(diff, []string{"exclude: none, was /cgi-bin/"}) {
		t.Errorf("these differ: %q", diff)
	}
	to.Exclude = from.Exclude
	if err := to.Keys()[0].Set("a", "b"); err != nil || !reflect.DeepEqual(to.Seeds, []string{"a", "b"}) {
		t.Errorf("seeds %q, %v", to.Seeds, err)
	}
	want := []string{"seeds: a,b, was none", "delay: 5s, was 2s"}
	was := from.Clone()
	was.Delay = Seconds(2)
	if diff := to.Diff(&was); !reflect.DeepEqual(diff, want) {
		t.Errorf("%q, want %q", diff, want)
	}
}

func TestBadKeyTexts(t *testing.T) {
	for key, texts := range map[string][]string{
		"pages":        {"many", "1.5", "", "k", "-1", "1e3", "1/2", "9e99G", "10000000000G"},
		"delay":        {"soon", "", "1x", "-2s", "d", "NaN", "1e300"},
		"bytes":        {"x", "", "-1", "1ZB", "1e3", "999999999E", "1.2.3M"},
		"robots":       {"maybe", ""},
		"delay_factor": {"ten"},
		"random_seed":  {"-1", "1.5"},
		"batch":        {"few"},
	} {
		for _, text := range texts {
			c := Default()
			k, _ := c.Key(key)
			if err := k.Set(text); err == nil {
				t.Errorf("%s %q was taken for %s", key, text, k)
			}
		}
	}
}

func TestUnits(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"2": 2 * time.Second, "0.25": 250 * time.Millisecond, "7d": 168 * time.Hour, "1.5d": 36 * time.Hour,
		"1h": time.Hour, "1h30m": 90 * time.Minute, "90s": 90 * time.Second, "250ms": 250 * time.Millisecond, "0": 0,
	} {
		var d, again Duration
		if err := d.Set(text); err != nil || d.Duration != want {
			t.Errorf("%s is %v, %v", text, d, err)
		}
		if err := again.Set(d.String()); err != nil || again != d {
			t.Errorf("%s is written %s and read as %v, %v", text, d, again, err)
		}
	}
	for text, want := range map[string]Size{
		"10MiB": 10 << 20, "10M": 10 << 20, "10MB": 10e6, "1.5GiB": 3 << 29, "1000": 1000, "0": 0, "4 GiB": 4 << 30, "2b": 2,
	} {
		var s, again Size
		if err := s.Set(text); err != nil || s != want {
			t.Errorf("%s is %d, %v", text, s, err)
		}
		if err := again.Set(s.String()); err != nil || again != s {
			t.Errorf("%s is written %s and read as %d, %v", text, s, again, err)
		}
	}
}

func TestOverrides(t *testing.T) {
	c := Default()
	c.Header = []string{"X-A: 1", "X-B: 1"}
	c.Site = []Override{{Match: "example.org"}, {Match: "docs.example.org", Header: []string{"X-A: 2"}}, {Match: "10.0.0.1"}}
	for host, want := range map[string]string{
		"example.org": "example.org", "www.example.org": "example.org", "docs.example.org": "docs.example.org",
		"a.docs.example.org": "docs.example.org", "10.0.0.1": "10.0.0.1", "myexample.org": "", "org": "", "10.0.0.10": "",
	} {
		got := ""
		if o := c.OverrideFor(host); o != nil {
			got = o.Match
		}
		if got != want {
			t.Errorf("%s: %q, want %q", host, got, want)
		}
	}
	if h := NewSiteHeaders(&c).Of([]byte("https://docs.example.org")); h.Get("X-A") != "2" || h.Get("X-B") != "1" {
		t.Errorf("headers %v", h)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}

func TestAgent(t *testing.T) {
	c := Default()
	if got := c.Agent(""); got != "winnow" {
		t.Error(got)
	}
	c.Contact = "me@example.org"
	if got := c.Agent("1.0"); got != "winnow/1.0 (+me@example.org)" || c.Product() != "winnow" {
		t.Error(got, c.Product())
	}
	c.UserAgent = "mybot/2 (me@example.org)"
	if got := c.Agent("1.0"); got != c.UserAgent || c.Product() != "mybot" {
		t.Error(got, c.Product())
	}
}

func TestAddresses(t *testing.T) {
	for text, want := range map[string]string{"9090": "127.0.0.1:9090", ":9090": "127.0.0.1:9090", "localhost:1": "localhost:1", "[::1]:9": "[::1]:9", "": ""} {
		c := Config{Metrics: text}
		if got, err := c.MetricsAddress(); err != nil || got != want {
			t.Errorf("metrics %q: %q, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{"9091": "127.0.0.1:9091", "0.0.0.0:9091": "0.0.0.0:9091", "": ""} {
		c := Config{Notices: text, Recrawl: Seconds(60), Revisit: "default"}
		if got, err := c.NoticesAddress(); err != nil || got != want {
			t.Errorf("notices %q: %q, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{"9.9.9.9": "9.9.9.9:53", "127.0.0.1:5353": "127.0.0.1:5353", "::1": "[::1]:53", "": ""} {
		c := Config{Resolver: text}
		if got, err := c.ResolverAddress(); err != nil || got != want {
			t.Errorf("resolver %q: %q, %v", text, got, err)
		}
	}
}

// No text makes Read panic, and what it accepts can be written and read again.
func FuzzRead(f *testing.F) {
	c := Default()
	sample, err := c.Commented()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(sample)
	f.Add([]byte("[[site]]\nmatch='a.example'\ndelay='1s'\n[site.x]\n"))
	f.Add([]byte("delay = 1979-05-27\npages = 0x10\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("/w.toml", data)
		if err != nil {
			return
		}
		text, err := c.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse("/w.toml", text)
		if err != nil || len(again.Diff(&c)) > 0 {
			t.Fatalf("%v, %q, from\n%s", err, again.Diff(&c), text)
		}
	})
}

// A depth of 0 is no limit in a file that a version wrote for which it was none, and
// the seeds alone in every other.
func TestEarlierDepth(t *testing.T) {
	c := Default()
	c.MaxDepth, c.MaxDepthDynamic = 0, 5
	whole, err := c.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	earlier := slices.DeleteFunc(strings.SplitAfter(string(whole), "\n"), func(line string) bool { return strings.HasPrefix(line, "max_links") })
	for _, test := range []struct {
		text string
		want Depth
	}{{string(whole), 0}, {"max_depth = 0\n", 0}, {strings.Join(earlier, ""), NoDepth}} {
		if got, err := Parse("winnow.toml", []byte(test.text)); err != nil || got.MaxDepth != test.want || got.MaxDepthDynamic > 5 {
			t.Errorf("depths %v and %v, %v, want %v of\n%s", got.MaxDepth, got.MaxDepthDynamic, err, test.want, test.text)
		}
	}
}

// Directories of before connections were kept close theirs.
func TestEarlierKeepAlive(t *testing.T) {
	c := Default()
	text, err := c.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	old := strings.Join(slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "keep_alive") }), "")
	for _, test := range []struct {
		file string
		want Duration
	}{{string(text), c.KeepAlive}, {old, Duration{}}, {"pages = 3\n", c.KeepAlive}} {
		if c, err := Parse("w.toml", []byte(test.file)); err != nil || c.KeepAlive != test.want {
			t.Errorf("keep_alive %v (%v), want %v", c.KeepAlive, err, test.want)
		}
	}
}

// Directories of earlier versions keep the scope that was their default, and so do presets.
func TestEarlierScope(t *testing.T) {
	c := Default()
	text, err := c.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	old := strings.Replace(string(text), "scope = 'seeds'\n", "", 1)
	for _, test := range []struct{ file, want string }{
		{string(text), ScopeSeeds}, {old, ScopeAny}, {"pages = 3\n", ScopeSeeds}, {"scope = 'domain'\n", ScopeDomain},
	} {
		if c, err := Parse("w.toml", []byte(test.file)); err != nil || c.Scope != test.want {
			t.Errorf("scope %s (%v), want %s", c.Scope, err, test.want)
		}
	}
	for _, p := range Presets() {
		c, narrow := Default(), Config{Scope: ScopeDomain}
		if p.Apply(&c); c.Scope != ScopeAny {
			t.Errorf("%s: scope %s", p.Name, c.Scope)
		}
		if p.Apply(&narrow); narrow.Scope != ScopeDomain {
			t.Errorf("%s on domain: scope %s", p.Name, narrow.Scope)
		}
	}
}
