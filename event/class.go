package event

import (
	"time"

	"github.com/winnow-crawler/winnow/graph"
)

// Class is how an attempt ended.
type Class uint8

// The classes. A failed page is data, never an error (W29).
const (
	OK Class = iota
	Redirect
	Duplicate
	NotHTML
	TooLarge
	HTTPError   // 4xx: the fault of the link
	ServerError // 5xx and 429: the fault of the server, which is skipped for a while
	DNSError
	ConnectError
	TLSError
	Timeout
	RobotsRefused
	Trap
	Crashed // our own fault: reading the answer made the program panic
	classes
)

// LastClass is the class with the highest number.
const LastClass = classes - 1

var classNames = [classes]string{"ok", "redirect", "duplicate", "not-html", "too-large", "http-error", "server-error", "dns", "connect", "tls", "timeout", "robots", "trap", "parser-crash"}

func (c Class) String() string { return classNames[c] }

// Failed reports whether a page of this class brought nothing.
func (c Class) Failed() bool { return c >= TooLarge }

// Outcome is what a policy learns of an attempt besides its links.
type Outcome struct {
	Class Class
	Again bool          // the page goes back to its queue and will be tried again
	Took  time.Duration // from request to the end of the answer
	Bytes int64
	// First is the first page that became known by this event: those from First on did.
	First graph.Page
}
