package fetch

import (
	"regexp"
	"strings"
)

// hidden stands for a secret in a command line that a hint repeats.
const hidden = "..."

// userInfo finds the user and the password of a URL.
var userInfo = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*://)[^/?#]*@`)

// MaskSecrets returns the arguments of a command line without passwords: of URLs, and of headers that are secrets.
func MaskSecrets(args []string) []string {
	out := make([]string, len(args))
	for i, word := range args {
		flag, value, isSet := strings.Cut(word, "=")
		switch {
		case i > 0 && args[i-1] == "--header":
			out[i] = maskHeader(word)
		case isSet && flag == "--header":
			out[i] = flag + "=" + maskHeader(value)
		case isSet && strings.HasPrefix(flag, "--"):
			out[i] = flag + "=" + userInfo.ReplaceAllString(value, "${1}"+hidden+"@")
		default:
			out[i] = userInfo.ReplaceAllString(word, "${1}"+hidden+"@")
		}
	}
	return out
}

// maskHeader hides the value of a header that is a secret by its name, and whatever is no
// header.
func maskHeader(line string) string {
	name, _, ok := strings.Cut(line, ":")
	switch {
	case !ok:
		name, _, _ = strings.Cut(line, " ")
		return name + " " + hidden
	case SecretHeader(name):
		return name + ": " + hidden
	}
	return line
}
