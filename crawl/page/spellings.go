package page

import "strings"

// Spellings returns other common spellings of a URL: the scheme, www, a slash or a file name
// at the end, a fragment, capital letters.
func Spellings(url string) []string {
	url, _, _ = strings.Cut(url, "#")
	scheme, rest, found := strings.Cut(url, "://")
	if !found {
		scheme, rest = "http", url
	}
	host, path, slash := strings.Cut(rest, "/")
	if slash {
		path = "/" + path
	}
	bare := strings.TrimPrefix(strings.ToLower(host), "www.")
	hosts := []string{host, strings.ToLower(host), bare, "www." + bare}
	trimmed := strings.TrimSuffix(path, "/")
	paths := []string{path, trimmed, trimmed + "/", trimmed + "/index.html",
		strings.TrimSuffix(path, "index.html"), strings.ToLower(path)}
	var all []string
	for _, s := range []string{scheme, "http", "https"} {
		for _, h := range hosts {
			for _, p := range paths {
				all = append(all, s+"://"+h+p)
			}
		}
	}
	return all
}
