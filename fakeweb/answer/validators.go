package answer

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb"
	"github.com/winnow-crawler/winnow/fakeweb/internal/draw"
)

// Validators describes what ETag and Last-Modified of a site are worth.
type Validators uint8

const (
	Honest       Validators = iota // both change with the version, 304 to who has it
	Varying                        // an ETag that differs at each request; an honest Last-Modified
	ModifiedNow                    // a Last-Modified that is always now
	Future                         // a Last-Modified one year too late
	Always304                      // honest ones, but 304 to every conditional request
	Never304                       // honest ones, but never 304
	NoValidators                   // none
)

var validatorNames = [...]string{"honest", "varying", "now", "future", "always 304", "never 304", "none"}

func (v Validators) String() string { return validatorNames[v] }

// futureBy is how far dates in the future are.
const futureBy = 365 * 24 * time.Hour

// honesty returns what the validators of a site are worth.
func (r *dice) honesty(s *fakeweb.Site) Validators {
	if r.meets(r.opt.NoValidators, s, streamValidators, 0) {
		return NoValidators
	}
	if kind := r.kind(r.opt.Changes.Validators.list(), s, streamHonesty); kind > 0 {
		return Varying + Validators(kind-1)
	}
	return Honest
}

// kind returns which of several shares that exclude each other meets a site: 1 for the first, 0
// for none.
func (r *dice) kind(shares []float64, s *fakeweb.Site, stream uint64) int {
	return draw.Pick(draw.Cumulate(shares), r.draw(s, stream, 0))
}

// validate sets ETag and Last-Modified of the answer as the site does, and reports whether it
// answers 304.
func (a *Answer) validate(r *http.Request, version uint32, date time.Time) bool {
	kind := a.w.rules.honesty(&a.of)
	if kind == NoValidators {
		return false
	}
	a.etag, a.date = a.tagOf(version, kind == Varying), date
	switch kind {
	case ModifiedNow:
		a.etag, a.date = "", a.w.rules.date(a.At)
	case Future:
		a.etag, a.date = "", date.Add(futureBy)
	case Always304:
		return r.Header.Get("If-None-Match") != "" || r.Header.Get("If-Modified-Since") != ""
	case Never304:
		return false
	}
	return a.unchanged(r)
}

// tagOf returns the ETag of a version, one for each coding, and if it varies one for each
// request.
func (a *Answer) tagOf(version uint32, varies bool) string {
	b := append(make([]byte, 0, 32), '"')
	b = strconv.AppendUint(b, uint64(a.Page), 36)
	if a.Variant > copyQuery {
		b = strconv.AppendUint(append(b, '-'), uint64(a.Variant), 36)
	}
	b = strconv.AppendUint(append(b, '-'), uint64(version), 36)
	if varies {
		b = strconv.AppendUint(append(b, "-v"...), uint64(a.Visit), 36)
	}
	if a.coding != "" {
		b = append(append(b, '-'), a.coding...)
	}
	return string(append(b, '"'))
}

// unchanged reports whether the client has this version (RFC 9110, 13.2.2).
func (a *Answer) unchanged(r *http.Request) bool {
	if have := r.Header.Get("If-None-Match"); have != "" {
		return matches(have, a.etag)
	}
	since, err := http.ParseTime(r.Header.Get("If-Modified-Since"))
	return err == nil && !a.date.Truncate(time.Second).After(since)
}

// matches reports whether a list of entity tags has one, compared weakly.
func matches(list, tag string) bool {
	for part := range strings.SplitSeq(list, ",") {
		part = strings.TrimSpace(part)
		if part == "*" || strings.TrimPrefix(part, "W/") == tag {
			return true
		}
	}
	return false
}

// Dates describes what the lastmod of the sitemap of a site is worth.
type Dates uint8

const (
	HonestDates Dates = iota // the instant of the last change
	TodayDates               // always now
	NoDates                  // there is none
)

var dateNames = [...]string{"honest", "today", "none"}

func (d Dates) String() string { return dateNames[d] }

// dates returns what the lastmod of a site is worth.
func (r *dice) dates(s *fakeweb.Site) Dates {
	return HonestDates + Dates(r.kind(r.opt.Changes.Dates.list(), s, streamDates))
}
