package fetch

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/winnow-crawler/winnow/event"
)

// judge finds the class of an answer by its status. Redirects are never followed: they
// are pages with one link.
func judge(a *Answer) (event.Class, string) {
	switch s := a.Status; {
	case s == http.StatusNotModified:
		if a.Request["If-None-Match"] == nil && a.Request["If-Modified-Since"] == nil {
			return event.HTTPError, "304 to a request without conditions"
		}
		return event.OK, ""
	case s >= 200 && s < 300:
		return event.OK, ""
	case s >= 300 && s < 400:
		if a.Location == "" {
			return event.HTTPError, "a redirect to nowhere"
		}
		return event.Redirect, ""
	case s == http.StatusTooManyRequests || s >= 500 && s < 600:
		return event.ServerError, ""
	}
	return event.HTTPError, ""
}

// retryLimit is the longest wait that a server may request: a day, as for robots.txt.
const retryLimit = 24 * time.Hour

// retryAfter reads Retry-After, a number of seconds or a date. A date is relative to that
// of the answer, so that a wrong clock of the server does not matter.
func retryAfter(h http.Header) time.Duration {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if v == "" {
		return 0
	}
	if strings.Trim(v, "0123456789") == "" {
		n, err := strconv.ParseUint(v, 10, 64)
		if err != nil || n > uint64(retryLimit/time.Second) {
			return retryLimit
		}
		return time.Duration(n) * time.Second
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(at.Sub(now), 0), retryLimit)
}

// restMargin is how much earlier than the server says its connection counts as closed: a
// request that is on its way when the server closes the connection is lost.
const restMargin = time.Second

// keepAlive reads how long a server keeps a connection open: "Keep-Alive: timeout=5,
// max=100". It returns event.Never if the server does not say.
func keepAlive(h http.Header) time.Duration {
	for _, v := range h["Keep-Alive"] {
		for part := range strings.SplitSeq(v, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
			n, err := strconv.ParseUint(strings.TrimSpace(value), 10, 31)
			if strings.EqualFold(strings.TrimSpace(name), "timeout") && err == nil {
				return max(1, time.Duration(n)*time.Second-restMargin)
			}
		}
	}
	return event.Never
}

// fail judges an exchange without an answer, or one whose body broke off.
func (x *exchange) fail(ctx context.Context, err error) {
	a := x.a
	a.Note = note(err)
	switch why := new(timeout); {
	case errors.As(x.cause(ctx), &why):
		a.Class, a.Note = event.Timeout, why.Error()
	case x.caller.Err() != nil: // before that of ctx, which hears it from there
		a.Class, a.Note, a.Aborted = event.ConnectError, "ended by the crawler", true
	default:
		a.Class, a.Cause = x.classify(err), causeOf(err)
		a.Stale = a.Reused && x.unanswered() && a.Class == event.ConnectError && !x.c.line.Usable()
	}
}

func (x *exchange) classify(err error) event.Class {
	var ne net.Error
	switch {
	case errors.Is(err, errURL):
		return event.HTTPError
	case errors.Is(err, errNoAddress):
		return event.DNSError
	case errors.As(err, &ne) && ne.Timeout():
		return event.Timeout
	case x.tls && x.wire == nil && !broken(err): // connecting went no further
		return event.TLSError
	}
	return event.ConnectError
}

// causeOf returns why no connection could be made.
func causeOf(err error) event.Cause {
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return event.CauseRefused
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return event.CauseOffline
	case errors.Is(err, errPrivate), errors.Is(err, errPort):
		return event.CausePrivate
	}
	return event.NoCause
}

// broken reports whether an error means that the peer has closed the connection, during
// TLS or later.
func broken(err error) bool {
	for _, gone := range []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE, net.ErrClosed, io.ErrClosedPipe} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}

// note returns an error as one short line for people. It may contain text from the server.
func note(err error) string {
	s := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(err.Error(), "?"))
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "..."
	}
	return s
}
