package fetch

import "strings"

// secretWords are parts of the names of headers whose values are for one server only.
var secretWords = []string{"auth", "cookie", "token", "secret", "key", "passw", "credential", "session", "signature", "jwt", "assertion"}

// SecretHeader reports whether the name of a request header shows that its value is a
// secret: Authorization, Cookie, X-Api-Key and their like.
func SecretHeader(name string) bool {
	name = strings.ToLower(name)
	for _, word := range secretWords {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}
