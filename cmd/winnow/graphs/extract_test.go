package graphs

import "testing"

func TestHostOf(t *testing.T) {
	for site, want := range map[string]string{
		"http://a.example":         "a.example",
		"https://a.example:8080":   "a.example",
		"http://me:pw@a.example:1": "a.example",
		"http://[2001:db8::1]:80":  "[2001:db8::1]",
		"http://[2001:db8::1]":     "[2001:db8::1]",
		"a site of its own":        "a site of its own",
	} {
		if got := hostOf(site); got != want {
			t.Errorf("%s: %s, want %s", site, got, want)
		}
	}
}
