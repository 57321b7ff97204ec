package config

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/page"
	"golang.org/x/net/http/httpguts"
)

// A SiteKey is a key of [[site]] tables.
type SiteKey struct {
	Name    string
	Help    string // one line
	Example string // a value, as in files
}

// SiteKeys returns the keys of [[site]] tables in the order of the file.
func SiteKeys() (keys []SiteKey) {
	t := reflect.TypeFor[Override]()
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		if name != "" {
			keys = append(keys, SiteKey{name, f.Tag.Get("help"), f.Tag.Get("example")})
		}
	}
	return keys
}

// A SiteValue is a key that a [[site]] table sets.
type SiteValue struct {
	SiteKey
	Match string // of the table
	Value any    // a text, number, truth value or list, as in files
}

// SiteValues returns what the [[site]] tables set, without their matches.
func (c *Config) SiteValues() (list []SiteValue) {
	keys := SiteKeys()
	for i := range c.Site {
		v := reflect.ValueOf(c.Site[i])
		for n, k := range keys { // in the order of the fields
			if f := v.Field(n); k.Name != "match" && !f.IsZero() {
				list = append(list, SiteValue{k, c.Site[i].Match, plainValue(f.Interface())})
			}
		}
	}
	return list
}

// plainValue returns a value as files have it.
func plainValue(v any) any {
	if s, ok := v.(fmt.Stringer); ok {
		return s.String()
	}
	return v
}

// siteExample returns a [[site]] table with all keys, as a comment.
func siteExample() string {
	var b strings.Builder
	b.WriteString("\n# Exceptions for some sites: any number of [[site]] tables. The longest match counts.\n" +
		"# A key that a table leaves out is as for all sites. Of the keys for one secret a table\n" +
		"# has one. Files and variables keep a secret out of this file and of the crawl's files.\n#\n# [[site]]\n")
	for _, k := range SiteKeys() {
		fmt.Fprintf(&b, "# %s = %s\n#     # %s\n", k.Name, k.Example, strings.ReplaceAll(wrap(k.Help), "\n# ", "\n#     # "))
	}
	return b.String()
}

// checkSites looks at the [[site]] tables.
func (c *Config) checkSites() error {
	seen := map[string]bool{}
	for i := range c.Site {
		o := &c.Site[i]
		if err := o.check(); err != nil {
			return &KeyError{"site", "", fmt.Errorf("table %d: %w", i+1, err)}
		}
		if seen[o.Match] {
			return &KeyError{"site", "", fmt.Errorf("table %d: %q is matched by a table before", i+1, o.Match)}
		}
		seen[o.Match] = true
	}
	return nil
}

func (o *Override) check() error {
	if o.Match == "" {
		return errors.New("match: no host is named")
	}
	seed, err := page.ParseSeed("http://" + o.Match + "/")
	if err != nil || string(page.Host([]byte(seed))) != o.Match {
		return fmt.Errorf("match: %q: want a host or a domain in lower case, without scheme, port and path", o.Match)
	}
	for _, check := range []func() error{o.checkLimits, o.checkTimes, o.checkPatterns, o.checkHeaders, o.checkSecrets} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (o *Override) checkLimits() error {
	if o.PerConnection < 0 || o.PerConnection > MaxFetchers {
		return fmt.Errorf("per_connection: %d: it must be from 1 to %d", o.PerConnection, MaxFetchers)
	}
	if o.MaxPages < 0 || int64(o.MaxPages) > mostPages {
		return fmt.Errorf("max_pages: %d: it must be from 1 to %d", o.MaxPages, int64(mostPages))
	}
	if o.MaxBody < 0 || o.MaxBody > math.MaxInt32 {
		return fmt.Errorf("max_body: %s: it must be from 1 byte to %s", o.MaxBody, Size(math.MaxInt32))
	}
	if o.Types != "" && o.Types != TypesHTML && o.Types != TypesAll {
		return fmt.Errorf("types: %q: want html or all", o.Types)
	}
	return nil
}

func (o *Override) checkTimes() error {
	if d := o.Delay; d != nil && (d.Duration < 0 || d.Hours() > 24) {
		return fmt.Errorf("delay: %s: it can be 24h at most", d)
	}
	for _, b := range []struct {
		key   string
		value Duration
	}{{"timeout", o.Timeout}, {"timeout_connect", o.Connect}, {"timeout_first_byte", o.FirstByte}, {"timeout_stall", o.Stall}} {
		if d := b.value; d != (Duration{}) && (d.Seconds() < 0.001 || d.Hours() > 24) {
			return fmt.Errorf("%s: %s: it must be from 1ms to 24h", b.key, d)
		}
	}
	return nil
}

func (o *Override) checkPatterns() error {
	for _, text := range o.Include {
		if err := checkPattern("include", "", text); err != nil {
			return err
		}
	}
	for _, text := range o.Exclude {
		if err := checkPattern("exclude", "", text); err != nil {
			return err
		}
	}
	return nil
}

// checkHeaders looks at the header lines. Those of cookies and credentials have keys of
// their own, and cannot be given twice.
func (o *Override) checkHeaders() error {
	cookies := len(o.Cookie) > 0 || o.CookieFile != "" || o.CookieEnv != ""
	credentials := o.User != "" || o.Token != "" || o.TokenFile != "" || o.TokenEnv != ""
	for _, line := range o.Header {
		if err := checkHeader(line); err != nil {
			return fmt.Errorf("header: %w", err)
		}
		switch name := headerName(line); {
		case cookies && strings.EqualFold(name, "Cookie"):
			return errors.New("header: the table has a header Cookie and cookies; give one of them")
		case credentials && strings.EqualFold(name, "Authorization"):
			return errors.New("header: the table has a header Authorization and credentials; give one of them")
		}
	}
	return nil
}

// checkSecrets looks at cookies and credentials. No error repeats a secret.
func (o *Override) checkSecrets() error {
	password := given(o.Password, o.PasswordFile, o.PasswordEnv)
	token := given(o.Token, o.TokenFile, o.TokenEnv)
	switch {
	case given(strings.Join(o.Cookie, ""), o.CookieFile, o.CookieEnv) > 1:
		return errors.New("cookie: give one of cookie, cookie_file and cookie_env")
	case password > 1:
		return errors.New("password: give one of password, password_file and password_env")
	case token > 1:
		return errors.New("token: give one of token, token_file and token_env")
	case o.User != "" && token > 0:
		return errors.New("token: a request has a user or a token, not both")
	case o.User != "" && password == 0:
		return errors.New("user: give a password, password_file or password_env, too")
	case o.User == "" && password > 0:
		return errors.New("password: give a user, too")
	case strings.Contains(o.User, ":") || firstControl(o.User) >= 0:
		return fmt.Errorf("user: %q: a user name is printable ASCII without a colon", o.User)
	}
	if err := checkToken("token", o.Token); err != nil {
		return err
	}
	return checkCookies("cookie", o.Cookie)
}

// given returns how many of the texts are not empty.
func given(texts ...string) (n int) {
	for _, text := range texts {
		if text != "" {
			n++
		}
	}
	return n
}

func checkToken(key, token string) error {
	if firstControl(token) >= 0 {
		return fmt.Errorf("%s: a token is printable ASCII in one line", key)
	}
	return nil
}

func checkCookies(key string, cookies []string) error {
	for i, text := range cookies {
		name, value, ok := strings.Cut(text, "=")
		if !ok || !httpguts.ValidHeaderFieldName(name) || strings.ContainsAny(value, ";,\"") || firstControl(value) >= 0 {
			return fmt.Errorf("%s: cookie %d: want name=value", key, i+1)
		}
	}
	return nil
}
