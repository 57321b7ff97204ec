package robots

import (
	"testing"
	"time"
)

// TestJudge is the table of RFC 9309, 2.3.1 (W14).
func TestJudge(t *testing.T) {
	const day = 24 * time.Hour
	tests := []struct {
		name  string
		in    Response
		class Class
		again time.Duration
	}{
		{"200", Response{Status: 200}, Found, day},
		{"204, an empty body", Response{Status: 204}, Found, day},
		{"299", Response{Status: 299}, Found, day},
		{"200 after five hops", Response{Status: 200, Hops: 5}, Found, day},
		{"304", Response{Status: 304}, Unchanged, day},

		{"301", Response{Status: 301}, Moved, 0},
		{"302", Response{Status: 302}, Moved, 0},
		{"303", Response{Status: 303}, Moved, 0},
		{"307", Response{Status: 307}, Moved, 0},
		{"308", Response{Status: 308}, Moved, 0},
		{"the fifth redirect", Response{Status: 301, Hops: 4}, Moved, 0},
		{"the sixth redirect", Response{Status: 301, Hops: 5}, Unavailable, day},
		{"a redirect to nowhere", Response{Status: 301, Astray: true}, Unavailable, day},
		{"300", Response{Status: 300}, Unavailable, day},
		{"305", Response{Status: 305}, Unavailable, day},

		{"400", Response{Status: 400}, Unavailable, day},
		{"401", Response{Status: 401}, Unavailable, day},
		{"403", Response{Status: 403}, Unavailable, day},
		{"404", Response{Status: 404}, Unavailable, day},
		{"410", Response{Status: 410}, Unavailable, day},
		{"499", Response{Status: 499}, Unavailable, day},
		{"404 after two hops", Response{Status: 404, Hops: 2}, Unavailable, day},
		{"404 after a week of failures", Response{Status: 404, Failures: 9, Down: 7 * day}, Unavailable, day},

		{"429", Response{Status: 429}, Unreachable, 5 * time.Minute},
		{"500", Response{Status: 500}, Unreachable, 5 * time.Minute},
		{"503", Response{Status: 503}, Unreachable, 5 * time.Minute},
		{"599", Response{Status: 599}, Unreachable, 5 * time.Minute},
		{"no answer", Response{}, Unreachable, 5 * time.Minute},
		{"no such status", Response{Status: 600}, Unreachable, 5 * time.Minute},
		{"an interim answer", Response{Status: 103}, Unreachable, 5 * time.Minute},
		{"503 after two hops", Response{Status: 503, Hops: 2}, Unreachable, 5 * time.Minute},

		{"the second failure", Response{Status: 503, Failures: 1, Down: time.Minute}, Unreachable, 10 * time.Minute},
		{"the fifth failure", Response{Failures: 4, Down: time.Hour}, Unreachable, 80 * time.Minute},
		{"the ten-thousandth failure", Response{Failures: 9999, Down: 29 * day}, Unreachable, day},
		{"Retry-After", Response{Status: 503, RetryAfter: time.Hour}, Unreachable, time.Hour},
		{"a short Retry-After", Response{Status: 429, RetryAfter: time.Second}, Unreachable, 5 * time.Minute},
		{"a Retry-After of a year", Response{Status: 429, RetryAfter: 365 * day}, Unreachable, day},
		{"short of 30 days", Response{Status: 503, Failures: 40, Down: 30*day - 1}, Unreachable, day},
		{"30 days", Response{Status: 503, Failures: 40, Down: 30 * day}, Unavailable, day},
		{"30 days without an answer", Response{Failures: 40, Down: 30 * day}, Unavailable, day},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			class, again := Limits{}.Judge(test.in)
			if class != test.class || again != test.again {
				t.Errorf("Judge = %v, %v, want %v, %v", class, again, test.class, test.again)
			}
		})
	}
}

// TestLimits: each number can be set.
func TestLimits(t *testing.T) {
	l := Limits{Redirects: 7, Keep: time.Hour, GiveUp: -1, Retry: time.Second}
	tests := []struct {
		in    Response
		class Class
		again time.Duration
	}{
		{Response{Status: 301, Hops: 6}, Moved, 0},
		{Response{Status: 301, Hops: 7}, Unavailable, time.Hour},
		{Response{Status: 200}, Found, time.Hour},
		{Response{Down: 1000 * time.Hour}, Unreachable, time.Second},
		{Response{Failures: 3}, Unreachable, 8 * time.Second},
		{Response{Failures: 30}, Unreachable, time.Hour},
	}
	for _, test := range tests {
		if class, again := l.Judge(test.in); class != test.class || again != test.again {
			t.Errorf("Judge(%+v) = %v, %v, want %v, %v", test.in, class, again, test.class, test.again)
		}
	}
}

// TestAllOrNothing: the rules that go with the classes.
func TestAllOrNothing(t *testing.T) {
	for _, path := range []string{"/", "/x?y", "", "/%zz"} {
		if v := (Rules{}).Test(path); v != (Verdict{Allowed: true}) {
			t.Errorf("Rules{}.Test(%q) = %+v", path, v)
		}
		if v := DisallowAll().Test(path); v.Allowed {
			t.Errorf("DisallowAll().Test(%q) = %+v", path, v)
		}
	}
	if !DisallowAll().Test("/robots.txt").Allowed {
		t.Error("/robots.txt is not allowed: it could never be asked for again")
	}
}
