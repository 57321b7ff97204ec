package config

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/winnow-crawler/winnow/crawl/fetch"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// Secrets holds the secrets that a configuration contains, by their places in it, such as
// "header/Cookie" or "site/example.org/password".
type Secrets map[string]string

// SecretsFile is the name of the file in a crawl directory that holds its secrets.
const SecretsFile = "secrets.toml"

// withheld stands for a secret in the journal and in winnow.toml.
const withheld = "(kept in " + SecretsFile + ")"

// Public returns a copy of c that may be stored and shown, and the secrets that it lacks.
func (c *Config) Public() (Config, Secrets) {
	out, secrets := c.Clone(), Secrets{}
	out.replaceSecrets(func(place, value string) string {
		if value != withheld {
			secrets[place] = value
		}
		return withheld
	})
	return out, secrets
}

// Restore puts secrets into a configuration that Public returned. Secrets that are not
// known stay withheld.
func (c *Config) Restore(s Secrets) {
	out := c.Clone()
	out.replaceSecrets(func(place, value string) string {
		if known, ok := s[place]; ok && value == withheld {
			return known
		}
		return value
	})
	*c = out
}

// Missing returns the places of secrets that are withheld.
func (c *Config) Missing() (places []string) {
	out := c.Clone()
	out.replaceSecrets(func(place, value string) string {
		if value == withheld {
			places = append(places, place)
		}
		return value
	})
	return places
}

// replaceSecrets replaces each secret by what f makes of it. Files and environment
// variables are no secrets: their names are stored, and what is in them never is.
func (c *Config) replaceSecrets(f func(place, value string) string) {
	p := &places{f: f, seen: map[string]int{}}
	for i := range c.Header {
		p.header("header/", &c.Header[i], c.HeaderScope == HeadersSeeds)
	}
	if u, err := url.Parse(c.Proxy); err == nil {
		if password, ok := u.User.Password(); ok {
			u.User = url.UserPassword(u.User.Username(), p.put("proxy", password))
			c.Proxy = u.String()
		}
	}
	for i := range c.Site {
		p.site(&c.Site[i])
	}
}

// places names the places of secrets while they are replaced.
type places struct {
	f    func(place, value string) string
	seen map[string]int // how often there was a place of this name
}

func (p *places) put(place, value string) string {
	p.seen[place]++
	if n := p.seen[place]; n > 1 {
		place = fmt.Sprintf("%s/%d", place, n)
	}
	return p.f(place, value)
}

// header replaces the value of a header that is a secret, by its name or in any case.
func (p *places) header(prefix string, line *string, all bool) {
	name, value, _ := strings.Cut(*line, ":")
	value = strings.TrimSpace(value)
	if all || fetch.SecretHeader(name) || value == withheld {
		*line = name + ": " + p.put(prefix+name, value)
	}
}

func (p *places) site(o *Override) {
	prefix := "site/" + o.Match + "/"
	for i := range o.Header {
		p.header(prefix+"header/", &o.Header[i], false)
	}
	for i, cookie := range o.Cookie {
		name, value, _ := strings.Cut(cookie, "=")
		o.Cookie[i] = name + "=" + p.put(prefix+"cookie/"+name, value)
	}
	if o.Password != "" {
		o.Password = p.put(prefix+"password", o.Password)
	}
	if o.Token != "" {
		o.Token = p.put(prefix+"token", o.Token)
	}
	o.found = found{}
}

// Marshal writes the secrets as a file. ParseSecrets reads it.
func (s Secrets) Marshal() ([]byte, error) {
	text, err := toml.Marshal(map[string]string(s))
	if err != nil {
		return nil, fmt.Errorf("write secrets: %w", err)
	}
	return append([]byte("# The secrets of this crawl, without which it cannot be resumed. Share the directory\n"+
		"# without this file. A file or an environment variable instead: docs/crawl.md, Secrets.\n"), text...), nil
}

// ParseSecrets reads a file of secrets. Errors do not repeat its text.
func ParseSecrets(data []byte) (s Secrets, err error) {
	if toml.Unmarshal(data, &s) != nil {
		return nil, errors.New("not a file of secrets: want lines 'place' = 'value'")
	}
	return s, nil
}

// ReadSecrets reads the secrets that tables of c name by file or environment variable. It
// refuses secrets that are withheld.
func (c *Config) ReadSecrets() error {
	if missing := c.Missing(); len(missing) > 0 {
		return &hint.Error{
			Text: fmt.Sprintf("the secret %s is missing: the configuration says %s", missing[0], withheld),
			Hint: "put " + SecretsFile + " back into the directory of the crawl, or write the secret into its winnow.toml; --header and --proxy can be given again",
		}
	}
	out := c.Clone()
	for i := range out.Site {
		o := &out.Site[i]
		if err := o.readSecrets(); err != nil {
			return fmt.Errorf("[[site]] %s: %w", o.Match, err)
		}
	}
	*c = out
	return nil
}

func (o *Override) readSecrets() (err error) {
	if o.found.password, err = readSecret("password", o.PasswordFile, o.PasswordEnv); err != nil {
		return err
	}
	if o.found.token, err = readSecret("token", o.TokenFile, o.TokenEnv); err != nil {
		return err
	}
	if err := checkToken("token", o.found.token); err != nil {
		return err
	}
	cookies, err := readSecret("cookie", o.CookieFile, o.CookieEnv)
	if err != nil {
		return err
	}
	for _, text := range strings.FieldsFunc(cookies, func(r rune) bool { return r == ';' || r == '\n' }) {
		if text = strings.TrimSpace(text); text != "" {
			o.found.cookies = append(o.found.cookies, text)
		}
	}
	return checkCookies("cookie", o.found.cookies)
}

// readSecret reads a file or an environment variable, "" if neither is named. Line ends
// after the secret are not part of it.
func readSecret(key, file, env string) (string, error) {
	value := []byte(nil)
	switch {
	case file != "":
		var err error
		if value, err = os.ReadFile(file); err != nil {
			return "", &hint.Error{Text: key + "_file", Hint: "write the " + key + " into that file, readable for you only: chmod 600 " + file, Err: err}
		}
	case env != "":
		value = []byte(os.Getenv(env))
	default:
		return "", nil
	}
	if value = bytes.TrimRight(value, "\r\n"); len(value) > 0 {
		return string(value), nil
	}
	if file != "" {
		return "", &hint.Error{Text: key + "_file: " + file + " is empty", Hint: "write the " + key + " into it"}
	}
	return "", &hint.Error{Text: fmt.Sprintf("%s_env: the environment variable %s is not set", key, env), Hint: "set it for this command: " + env + "=... winnow crawl"}
}
