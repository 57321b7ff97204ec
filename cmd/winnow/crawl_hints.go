package main

import (
	"errors"
	"strings"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/policy"
)

// explainKey names the flag of a wrong value and proposes another value.
func explainKey(u *ui, err error) error {
	var key *config.KeyError
	if !errors.As(err, &key) {
		return err
	}
	flag := "--" + strings.ReplaceAll(key.Key, "_", "-")
	said := usagef("%s: %w", flag, key.Err)
	var unknown *policy.UnknownError
	switch right := nearPolicy(lastWord(u, flag), key.Err); {
	case right != "":
		return withHint(said, "try: %s", u.withFlag(flag, right))
	case errors.As(err, &unknown) && unknown.What == "policy":
		return withHint(said, "try: %s", u.withFlag(flag, "opic"))
	case errors.Is(err, policy.ErrOracle):
		return withHint(said, "it needs a known graph: winnow sim GRAPH --policy opic,%s", lastWord(u, flag))
	case errors.Is(err, policy.ErrPrior):
		return withHint(said, "try: %s", u.withFlag(flag, "opic"))
	case key.Hint != "":
		return withHint(said, "try: %s", u.withFlag(flag, key.Hint))
	}
	if right := wordInstead(u, flag, key.Key); right != "" {
		return withHint(said, "try: %s", u.withFlag(flag, right))
	}
	return withHint(said, "winnow crawl --help describes %s", flag)
}

// nearPolicy returns the policy that was probably meant, "" if that is unknown.
func nearPolicy(typed string, err error) string {
	var unknown *policy.UnknownError
	var value *policy.ValueError
	switch {
	case errors.As(err, &unknown):
		if near, ok := nearest(unknown.Name, unknown.Known); ok {
			return strings.Replace(typed, unknown.Name, near, 1)
		}
	case errors.As(err, &value):
		near, ok := nearest(value.Value, value.Known)
		if !ok {
			near = value.Instead
		}
		return strings.Replace(typed, value.Name+"="+value.Value, value.Name+"="+near, 1)
	}
	return ""
}

// wordInstead returns the word that was probably meant, or else the default; "" if the key
// takes any word.
func wordInstead(u *ui, flag, name string) string {
	c := config.Default()
	k, ok := c.Key(name)
	if !ok || k.Words() == nil {
		return ""
	}
	if near, ok := nearest(lastWord(u, flag), k.Words()); ok && !strings.HasSuffix(near, ":") {
		return near
	}
	return k.String()
}

// lastWord returns the value of a flag as it was typed.
func lastWord(u *ui, flag string) string {
	last := ""
	for i, word := range u.args {
		if word == flag && i+1 < len(u.args) {
			last = u.args[i+1]
		}
		if value, ok := strings.CutPrefix(word, flag+"="); ok {
			last = value
		}
	}
	return last
}
