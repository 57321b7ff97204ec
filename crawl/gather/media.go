package gather

import (
	"bytes"
	"net/http"
	"strings"
)

// media is the type and subtype of the first Content-Type in lower case, "" if there is
// none.
func media(values []string) string {
	value := first(values)
	if i := strings.IndexAny(value, ";,"); i >= 0 {
		value = value[:i]
	}
	return strings.ToLower(strings.TrimSpace(value))
}

// isHTML reports whether a media type is that of a page with links.
func isHTML(media string) bool {
	return media == "text/html" || media == "application/xhtml+xml" || media == "application/vnd.wap.xhtml+xml"
}

// MayBePage tells by the header of an answer whether its body may be a page: one whose
// type is declared to be another is none.
func MayBePage(h http.Header) bool {
	switch m := media(h["Content-Type"]); m {
	case "", "unknown/unknown", "application/unknown", "*/*", "application/xml", "text/xml":
		return true // see sniff
	default:
		return isHTML(m)
	}
}

// sniff gives the type of a body whose header says nothing (WHATWG MIME Sniffing, 7), and
// finds XHTML where the header says XML. What is declared otherwise is believed.
func sniff(declared string, body []byte) string {
	switch declared {
	case "", "unknown/unknown", "application/unknown", "*/*":
		return media([]string{http.DetectContentType(body)})
	case "application/xml", "text/xml":
		if bytes.Contains(body[:min(len(body), 1024)], []byte("<html")) {
			return "application/xhtml+xml"
		}
	}
	return declared
}
