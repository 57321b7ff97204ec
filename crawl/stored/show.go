package stored

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// An Object is a copy as winnow cat --json prints it.
type Object struct {
	URL       string      `json:"url"`
	Date      string      `json:"date"`
	Original  string      `json:"unchanged_since,omitempty"` // the visit that brought the body
	Status    int         `json:"status"`
	Headers   [][2]string `json:"headers"` // name and value, in their order
	Media     string      `json:"media,omitempty"`
	Charset   string      `json:"charset,omitempty"`
	Truncated string      `json:"truncated,omitempty"`
	Damage    string      `json:"damage,omitempty"`
	Text      *string     `json:"text,omitempty"` // in UTF-8
	Base64    []byte      `json:"base64,omitempty"`
}

// dateFormat is that of records.
const dateFormat = "2006-01-02T15:04:05.000Z"

// Object returns the copy as an object: with its text or, if it is none or raw is set, the bytes
// of its body.
func (c *Copy) Object(raw bool) *Object {
	x := &Object{
		URL: c.URL, Date: c.Time.UTC().Format(dateFormat), Status: c.Status, Headers: [][2]string{},
		Media: c.Media, Charset: c.Charset, Truncated: c.Truncated,
	}
	for _, f := range c.Head {
		x.Headers = append(x.Headers, [2]string{f.Name, f.Value})
	}
	if !c.Original.Equal(c.Time) {
		x.Original = c.Original.UTC().Format(dateFormat)
	}
	if c.Damage != nil {
		x.Damage = c.Damage.Error()
	}
	switch {
	case raw:
		x.Base64 = c.Raw
	case c.IsText():
		text := string(c.Text())
		x.Text = &text
	default:
		x.Base64 = c.Body
	}
	return x
}

// HeaderText returns status line and header as HTTP/1.1 writes them, with the empty line after
// them.
func (c *Copy) HeaderText() string {
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\n", c.Status, c.Reason)
	for _, f := range c.Head {
		fmt.Fprintf(&b, "%s: %s\n", f.Name, f.Value)
	}
	b.WriteByte('\n')
	return b.String()
}

// Kind returns what the body is, for people.
func (c *Copy) Kind() string {
	kind := c.Media
	if coding := c.Get("Content-Encoding"); coding != "" && kind != "" {
		kind += ", " + coding
	}
	if kind == "" {
		return "no text"
	}
	return kind
}

// Notes returns what a reader should know about the copy, for people.
func (c *Copy) Notes() (notes []string) {
	if c.Status < 200 || c.Status > 299 {
		notes = append(notes, strings.TrimSpace(fmt.Sprintf("the answer of %s was %d %s", c.Time.UTC().Format(time.RFC3339), c.Status, http.StatusText(c.Status))))
		if to := c.Get("Location"); to != "" {
			notes[0] += ", to " + to
		}
	}
	if c.Truncated != "" {
		notes = append(notes, "the body was cut when it was fetched: "+map[string]string{
			"length": "it is longer than max_body", "time": "it came too slowly", "disconnect": "the connection broke",
		}[c.Truncated])
	}
	if c.Damage != nil {
		notes = append(notes, "the body ends early: "+c.Damage.Error())
	}
	return notes
}
