package config

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// A FileError is a mistake in a configuration file.
type FileError struct {
	Name         string
	Line, Column int    // from 1; 0: nowhere in particular
	Key          string // which key it is about, "" if none
	Unknown      bool   // there is no such key
	Err          error
}

func (e *FileError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %v", e.Name, e.Err)
	}
	return fmt.Sprintf("%s:%d:%d: %v", e.Name, e.Line, e.Column, e.Err)
}

// Unwrap returns the cause.
func (e *FileError) Unwrap() error { return e.Err }

// Parse reads a configuration file over the defaults and checks it. The name is for
// errors, which are FileErrors, and for relative file names in it, which are taken from
// its directory.
func Parse(name string, data []byte) (Config, error) {
	c := Default()
	err := c.Read(name, data)
	return c, err
}

// Read does what Parse does, but on top of the values of c: only keys that the file names
// are changed, and none if there is an error.
func (c *Config) Read(name string, data []byte) error {
	out := c.Clone()
	places, err := keyPlaces(data)
	if err == nil {
		decoder := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields()
		err = decoder.Decode(&out)
	}
	if err != nil {
		return fileError(name, err)
	}
	out.translate(places)
	out.anchorFiles(filepath.Dir(name), places)
	if err := out.Check(); err != nil {
		return placeError(name, places, err)
	}
	*c = out
	return nil
}

// translate gives values the meaning that they had for the version that wrote a file.
// Marshal writes all keys, so a file that has keep_noarchive and lacks max_links was
// written before max_links was added. In that version a depth of 0 meant no limit. Before
// the default scope was that of the seeds it was the whole Web. Before keep_alive was added
// connections were closed. Before revisit was added each page was visited after the same time.
func (c *Config) translate(said map[string]place) {
	_, old := said["keep_noarchive"]
	if !old {
		return
	}
	if _, known := said["scope"]; !known {
		c.Scope = ScopeAny
	}
	if _, known := said["revisit"]; !known && c.Recrawl.Duration > 0 {
		c.Revisit = revisitEach
	}
	if _, known := said["keep_alive"]; !known {
		c.KeepAlive = Duration{}
	}
	if _, known := said["max_links"]; known {
		return
	}
	for _, d := range []*Depth{&c.MaxDepth, &c.MaxDepthDynamic} {
		if *d == 0 {
			*d = NoDepth
		}
	}
}

// anchorFiles makes file names that are relative to a directory absolute where it is,
// so that the configuration means the same wherever the next run is started.
func (c *Config) anchorFiles(dir string, said map[string]place) {
	for _, k := range c.Keys() {
		value, ok := k.value.(*string)
		if _, here := said[k.Name]; ok && here && k.File && *value != "" && !filepath.IsAbs(*value) {
			*value = filepath.Join(dir, *value)
		}
	}
	if _, here := said["site"]; !here {
		return
	}
	for i := range c.Site {
		o := &c.Site[i]
		for _, value := range []*string{&o.CookieFile, &o.PasswordFile, &o.TokenFile} {
			if *value != "" && !filepath.IsAbs(*value) {
				*value = filepath.Join(dir, *value)
			}
		}
	}
}

// place is the position of a key in a file.
type place struct{ line, column int }

// keyPlaces finds the keys of the first level in a file. A key in the header of a table,
// such as site, is one of them; keys below it are not.
func keyPlaces(data []byte) (map[string]place, error) {
	places := map[string]place{}
	var p unstable.Parser
	p.Reset(data)
	table := false
	for p.NextExpression() {
		e := p.Expression()
		header := e.Kind == unstable.Table || e.Kind == unstable.ArrayTable
		table = table || header
		if table && !header {
			continue
		}
		if keys := e.Key(); keys.Next() {
			at := p.Shape(keys.Node().Raw).Start
			if _, seen := places[string(keys.Node().Data)]; !seen {
				places[string(keys.Node().Data)] = place{at.Line, at.Column}
			}
		}
	}
	return places, parserError(&p)
}

// parserError returns the error of the parser, with the place that the decoder finds.
func parserError(p *unstable.Parser) error {
	if p.Error() == nil {
		return nil
	}
	var any map[string]any
	if err := toml.Unmarshal(p.Data(), &any); err != nil {
		return err
	}
	return p.Error()
}

// fileError adds the place in a file where the decoder stopped.
func fileError(name string, err error) error {
	var missing *toml.StrictMissingError
	var decode *toml.DecodeError
	switch {
	case errors.As(err, &missing) && len(missing.Errors) > 0:
		first := &missing.Errors[0]
		line, column := first.Position()
		key := strings.Join(first.Key(), ".")
		return &FileError{name, line, column, key, true, fmt.Errorf("unknown key %q", key)}
	case errors.As(err, &decode):
		line, column := decode.Position()
		text := strings.TrimPrefix(decode.Error(), "toml: ")
		return &FileError{name, line, column, strings.Join(decode.Key(), "."), false, errors.New(text)}
	}
	return &FileError{Name: name, Err: err}
}

// placeError adds the place of the key to the error of a check.
func placeError(name string, places map[string]place, err error) error {
	out := &FileError{Name: name, Err: err}
	if key, ok := errors.AsType[*KeyError](err); ok {
		at := places[key.Key]
		out.Line, out.Column, out.Key = at.line, at.column, key.Key
	}
	return out
}

// Marshal writes all keys of c, so that Parse reads the same configuration back.
func (c *Config) Marshal() ([]byte, error) {
	x := *c
	if x.Partitions == 1 {
		x.Partitions = 0 // left out: such a crawl is as it was before there were partitions
	}
	out, err := toml.Marshal(&x)
	if err != nil {
		return nil, fmt.Errorf("write configuration: %w", err)
	}
	return out, nil
}

// Commented writes all keys of c, each with what it means: the file of `winnow config`.
func (c *Config) Commented() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("# Configuration of a crawl. What is left out has its default. A flag of winnow crawl\n" +
		"# wins over the winnow.toml of the crawl's directory, that over --config.\n")
	for _, k := range c.Keys() {
		if k.Section != "" {
			fmt.Fprintf(&b, "\n# %s.\n", k.Section)
		}
		line, err := toml.Marshal(map[string]any{k.Name: k.value})
		if err != nil {
			return nil, fmt.Errorf("write configuration: %s: %w", k.Name, err)
		}
		fmt.Fprintf(&b, "\n# %s\n%s", wrap(k.Help), line)
	}
	b.WriteString(siteExample())
	if len(c.Site) > 0 {
		tables, err := toml.Marshal(map[string]any{"site": c.Site})
		if err != nil {
			return nil, fmt.Errorf("write configuration: site: %w", err)
		}
		b.WriteByte('\n')
		b.Write(tables)
	}
	return b.Bytes(), nil
}

// wrap breaks a comment into lines of at most 88 columns.
func wrap(text string) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		if column += len(word) + 1; i > 0 && column > 86 {
			b.WriteString("\n# ")
			column = len(word) + 1
		} else if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word)
	}
	return b.String()
}

// Loosens reports whether what decides about URLs differs from the session before: the
// configuration, or the contents of the files that it names.
func Loosens(before []byte, now *Config) bool {
	if len(before) == 0 {
		return false
	}
	if filesSum(before) != filesSum(now.AppendFilesSum(nil)) {
		return true
	}
	was := Default()
	if err := was.Read("the last session", before); err != nil {
		return true
	}
	a, b := was.limitsOnly(), now.limitsOnly()
	x, errX := a.Marshal()
	y, errY := b.Marshal()
	return errX != nil || errY != nil || !bytes.Equal(x, y)
}

// limitsOnly returns a configuration with nothing but what decides about URLs.
func (c *Config) limitsOnly() Config {
	d := Default()
	d.Seeds, d.Scope, d.Include, d.Exclude, d.Rules, d.Deny = c.Seeds, c.Scope, c.Include, c.Exclude, c.Rules, c.Deny
	d.MaxDepth, d.MaxDepthDynamic, d.SitePages, d.DomainPages, d.Types, d.Site = c.MaxDepth, c.MaxDepthDynamic, c.SitePages, c.DomainPages, c.Types, nil
	for i := range c.Site {
		o := &c.Site[i]
		d.Site = append(d.Site, Override{Match: o.Match, MaxPages: o.MaxPages, Include: o.Include, Exclude: o.Exclude, Types: o.Types})
	}
	d.Traps, d.List, d.SitemapOnly = c.Traps, c.List, c.SitemapOnly
	return d
}

// filesLine begins the line of a session's configuration that records what the files of
// rules and deny lists held. It is a comment, so that it is no key that anybody could set.
const filesLine = "# sha256 of rules and deny: "

// AppendFilesSum appends a line with the checksum of the rule files that c names, if it
// names any, to the text of the configuration.
func (c *Config) AppendFilesSum(text []byte) []byte {
	if c.Rules == "" && c.Deny == "" {
		return text
	}
	h := sha256.New()
	for _, name := range []string{c.Rules, c.Deny} {
		data := []byte(nil)
		if name != "" {
			data, _ = os.ReadFile(name) // it was read a moment ago, or the crawl does not begin
		}
		fmt.Fprintf(h, "%d ", len(data))
		h.Write(data)
	}
	return fmt.Appendf(text, "%s%x\n", filesLine, h.Sum(nil))
}

// filesSum returns the sum that the text of a configuration holds, "" if it has none.
func filesSum(text []byte) string {
	_, sum, _ := strings.Cut(string(text), filesLine)
	sum, _, _ = strings.Cut(sum, "\n")
	return sum
}
