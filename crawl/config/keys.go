package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/winnow-crawler/winnow/internal/show"
)

// A Key is one setting of a Config, by the name that files have for it.
type Key struct {
	Name    string
	Help    string // one line
	Section string // the heading above it in files, at the first key of a section
	File    bool   // its value names a file

	value any // pointer to the field
}

// Keys returns the settings of c in the order of the file, without the [[site]] tables.
// Setting a key changes c.
func (c *Config) Keys() []Key {
	v := reflect.ValueOf(c).Elem()
	var keys []Key
	for i := range v.NumField() {
		if k, ok := keyOf(v, i); ok {
			keys = append(keys, k)
		}
	}
	return keys
}

// keyOf returns the key of field i of a configuration, if it is one.
func keyOf(v reflect.Value, i int) (Key, bool) {
	tag := v.Type().Field(i).Tag
	help := tag.Get("help")
	if help == "" {
		return Key{}, false
	}
	return Key{Name: keyName(tag), Help: help, Section: tag.Get("section"),
		File: tag.Get("kind") == "file", value: v.Field(i).Addr().Interface()}, true
}

// keyName returns the name of a key in files.
func keyName(tag reflect.StructTag) string {
	name, _, _ := strings.Cut(tag.Get("toml"), ",")
	return name
}

// Key finds a setting by its name in files.
func (c *Config) Key(name string) (Key, bool) {
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		if keyName(v.Type().Field(i).Tag) == name {
			return keyOf(v, i)
		}
	}
	return Key{}, false
}

// Flag returns the name of the flag that sets the key.
func (k Key) Flag() string { return strings.ReplaceAll(k.Name, "_", "-") }

// List reports whether the flag may be given several times.
func (k Key) List() bool { _, list := k.value.(*[]string); return list }

// Switch reports whether the key is on or off.
func (k Key) Switch() bool { _, on := k.value.(*bool); return on }

// Type names the kind of value in the help of flags.
func (k Key) Type() string {
	switch k.value.(type) {
	case *Duration:
		return Duration{}.Type()
	case *Size:
		return Size(0).Type()
	case *bool:
		return "bool"
	case *string, *[]string:
		if k.File {
			return "file"
		}
		return "text"
	}
	return "number"
}

// Set sets the key to the values of a flag: all of a list, the last of anything else.
func (k Key) Set(texts ...string) error {
	if list, ok := k.value.(*[]string); ok {
		*list = slices.Clone(texts)
		return nil
	}
	for _, text := range texts {
		if err := k.setOne(text); err != nil {
			return err
		}
	}
	return nil
}

func (k Key) setOne(text string) (err error) {
	switch v := k.value.(type) {
	case *string:
		*v = text
	case *bool:
		if *v, err = strconv.ParseBool(text); err != nil {
			return fmt.Errorf("%q: want true or false", text)
		}
	case *Duration:
		return v.Set(text)
	case *Size:
		return v.Set(text)
	case *Depth:
		return v.Set(text)
	case *float64:
		if *v, err = strconv.ParseFloat(text, 64); err != nil {
			return fmt.Errorf("%q: want a number", text)
		}
	case *uint64:
		if *v, err = strconv.ParseUint(text, 10, 64); err != nil {
			return fmt.Errorf("%q: want a whole number from 0 to 2^64-1", text)
		}
	case *int:
		n, err := show.ParseCount(text)
		*v = int(n)
		return err
	case *int64:
		*v, err = show.ParseCount(text)
		return err
	default:
		panic(fmt.Sprintf("key %s: no flag can set a %T", k.Name, v)) // a mistake in Config
	}
	return nil
}

// String returns the value as a flag takes it; a list with commas.
func (k Key) String() string {
	switch v := k.value.(type) {
	case *[]string:
		return strings.Join(*v, ",")
	case fmt.Stringer:
		return v.String()
	}
	return fmt.Sprint(reflect.ValueOf(k.value).Elem().Interface())
}

// Clone copies c with all its lists.
func (c *Config) Clone() Config {
	out := *c
	for _, k := range out.Keys() {
		if list, ok := k.value.(*[]string); ok {
			*list = append([]string{}, *list...)
		}
	}
	out.Site = slices.Clone(c.Site)
	for i := range out.Site {
		out.Site[i] = out.Site[i].clone()
	}
	return out
}

// Diff lists what differs from another configuration, a line each: "delay: 2s, was 5s".
func (c *Config) Diff(was *Config) []string {
	var out []string
	old := was.Keys()
	for i, k := range c.Keys() {
		now, before := k.String(), old[i].String()
		switch {
		case now == before:
		case k.Name == "header": // secrets among them
			out = append(out, fmt.Sprintf("header: %d lines, were %d", len(c.Header), len(was.Header)))
		case k.Name == "proxy": // perhaps with a password
			out = append(out, "proxy: another")
		default:
			out = append(out, fmt.Sprintf("%s: %s, was %s", k.Name, orNone(now), orNone(before)))
		}
	}
	if !reflect.DeepEqual(c.Site, was.Site) && len(c.Site)+len(was.Site) > 0 {
		out = append(out, fmt.Sprintf("site: %d tables, were %d", len(c.Site), len(was.Site)))
	}
	return out
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
