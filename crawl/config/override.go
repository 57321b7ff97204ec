package config

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/crawl/page"
)

// An Override is a [[site]] table of the configuration: what differs for the hosts that
// it matches. What it leaves out is as for all sites. The tags have what the command line
// and the reference say about a key.
type Override struct {
	Match         string    `toml:"match" example:"'example.org'" help:"a host, or a domain with all hosts below it; all ports, http and https"`
	Delay         *Duration `toml:"delay,omitempty" example:"'10s'" help:"instead of delay and small_delay; Crawl-delay and Retry-After still apply"`
	PerConnection int       `toml:"per_connection,omitempty" example:"5" help:"instead of per_connection, if it is less"`
	MaxPages      int       `toml:"max_pages,omitempty" example:"1000" help:"instead of site_pages"`

	Include []string `toml:"include,omitempty" example:"['/docs/']" help:"regular expressions; a URL must match one of them, and the include of all sites"`
	Exclude []string `toml:"exclude,omitempty" example:"['/print/']" help:"regular expressions; URLs that match one are skipped, as are those of the exclude of all sites"`
	Types   string   `toml:"types,omitempty" example:"'all'" help:"instead of types: html or all"`
	MaxBody Size     `toml:"max_body,omitempty" example:"'50MiB'" help:"instead of max_body"`

	Timeout   Duration `toml:"timeout,omitempty" example:"'2m'" help:"instead of timeout"`
	Connect   Duration `toml:"timeout_connect,omitempty" example:"'20s'" help:"instead of timeout_connect"`
	FirstByte Duration `toml:"timeout_first_byte,omitempty" example:"'1m'" help:"instead of timeout_first_byte"`
	Stall     Duration `toml:"timeout_stall,omitempty" example:"'30s'" help:"instead of timeout_stall"`

	Header []string `toml:"header,omitempty" example:"['X-From: me']" help:"additional request headers; they replace headers of the same name for all sites"`

	Cookie       []string `toml:"cookie,omitempty" example:"['name=value']" help:"cookies to send"`
	CookieFile   string   `toml:"cookie_file,omitempty" example:"'cookies.txt'" help:"file with cookies, one name=value a line"`
	CookieEnv    string   `toml:"cookie_env,omitempty" example:"'DOCS_COOKIE'" help:"environment variable with cookies: a=b; c=d"`
	User         string   `toml:"user,omitempty" example:"'me'" help:"user name for Basic authentication"`
	Password     string   `toml:"password,omitempty" example:"'...'" help:"password of the user"`
	PasswordFile string   `toml:"password_file,omitempty" example:"'password.txt'" help:"file with the password"`
	PasswordEnv  string   `toml:"password_env,omitempty" example:"'DOCS_PASSWORD'" help:"environment variable with the password"`
	Token        string   `toml:"token,omitempty" example:"'...'" help:"token for Bearer authentication"`
	TokenFile    string   `toml:"token_file,omitempty" example:"'token.txt'" help:"file with the token"`
	TokenEnv     string   `toml:"token_env,omitempty" example:"'DOCS_TOKEN'" help:"environment variable with the token"`
	OverHTTP     bool     `toml:"secrets_over_http,omitempty" example:"true" help:"send cookies, credentials and secret headers of this table over http, too, where others can read them"`

	found found
}

// found holds the secrets of files and environment variables: see Config.ReadSecrets.
type found struct {
	password, token string
	cookies         []string
}

// clone copies o with all its lists.
func (o Override) clone() Override {
	for _, list := range []*[]string{&o.Include, &o.Exclude, &o.Header, &o.Cookie, &o.found.cookies} {
		*list = slices.Clone(*list)
	}
	if o.Delay != nil {
		delay := *o.Delay
		o.Delay = &delay
	}
	return o
}

// OverrideFor returns the override of a host: the one whose match has the most labels, of
// two with as many the first; nil if there is none. The host is in normal form, without
// port.
func (c *Config) OverrideFor(host string) *Override {
	var best *Override
	for i := range c.Site {
		o := &c.Site[i]
		if matchesHost(o.Match, host) && (best == nil || len(o.Match) > len(best.Match)) {
			best = o
		}
	}
	return best
}

// matchesHost reports whether host is the name itself or one below it. All matches of one
// host are ends of it, so that the longest has the most labels.
func matchesHost(name, host string) bool {
	above, found := strings.CutSuffix(host, name)
	return found && (above == "" || strings.HasSuffix(above, "."))
}

// tables finds the table of a site by its match.
type tables map[string]*Override

func newTables(c *Config) tables {
	t := make(tables, len(c.Site))
	for i := range c.Site {
		t[c.Site[i].Match] = &c.Site[i]
	}
	return t
}

// of returns the table of a site with the longest match, nil if there is none.
func (t tables) of(site []byte) *Override {
	if len(t) == 0 {
		return nil
	}
	for name, more := page.Host(site), true; more; _, name, more = bytes.Cut(name, []byte(".")) {
		if o := t[string(name)]; o != nil {
			return o
		}
	}
	return nil
}

// Overrides holds the exceptions of a configuration, by site. A crawl has few of them or
// none. Its methods are safe for several goroutines.
type Overrides struct {
	c       *Config
	tables  tables
	Headers *SiteHeaders // not safe for several goroutines
}

func NewOverrides(c *Config) Overrides {
	return Overrides{c: c, tables: newTables(c), Headers: NewSiteHeaders(c)}
}

// PerConnection returns how many pages one connection to a site may serve.
func (o *Overrides) PerConnection(site []byte) int {
	if x := o.tables.of(site); x != nil && x.PerConnection > 0 {
		return min(o.c.PerConnection, x.PerConnection)
	}
	return o.c.PerConnection
}

func (o *Overrides) Pages(site []byte) int {
	if x := o.tables.of(site); x != nil {
		return x.MaxPages
	}
	return 0
}

// Delay returns the delay of a site, and whether the configuration has one of its own for
// it.
func (o *Overrides) Delay(site []byte) (time.Duration, bool) {
	if x := o.tables.of(site); x != nil && x.Delay != nil {
		return x.Delay.Duration, true
	}
	return 0, false
}

// HTMLOnly reports whether only HTML pages of a site are wanted.
func (o *Overrides) HTMLOnly(site []byte) bool {
	if x := o.tables.of(site); x != nil && x.Types != "" {
		return x.Types == TypesHTML
	}
	return o.c.Types == TypesHTML
}

// MaxBody returns the largest size of a page of a site.
func (o *Overrides) MaxBody(site []byte) int64 {
	if x := o.tables.of(site); x != nil && x.MaxBody > 0 {
		return int64(x.MaxBody)
	}
	return int64(o.c.MaxBody)
}

// LargestBody returns the largest size of a page of any site.
func (o *Overrides) LargestBody() int64 {
	most := o.c.MaxBody
	for i := range o.c.Site {
		most = max(most, o.c.Site[i].MaxBody)
	}
	return int64(most)
}

// Times returns the time-outs of a site that differ from those of all sites.
func (o *Overrides) Times(site []byte) fetch.Times {
	x := o.tables.of(site)
	if x == nil {
		return fetch.Times{}
	}
	return fetch.Times{Connect: x.Connect.Duration, FirstByte: x.FirstByte.Duration, Stall: x.Stall.Duration, Total: x.Timeout.Duration}
}
