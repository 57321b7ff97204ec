package fetch

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/miekg/dns"
)

// TestHostileNames plays name servers that want to keep the resolver busy or fill it:
// aliases in a circle, within an answer and over several, aliases that never end, answers
// of thousands of addresses over TCP, answers for other names.
func TestHostileNames(t *testing.T) {
	for name, test := range map[string]struct {
		answer func(network string, q dns.Question, m *dns.Msg)
		addrs  int // at most
		asked  int // at most
		fails  bool
	}{
		"itself": {func(_ string, q dns.Question, m *dns.Msg) { rr(m, q.Name+" 60 IN CNAME "+q.Name) }, 0, 60, true},
		"circle": {func(_ string, q dns.Question, m *dns.Msg) {
			rr(m, "a.example. 60 IN CNAME b.example.", "b.example. 60 IN CNAME a.example.")
		}, 0, 60, true},
		"circle over answers": {func(_ string, q dns.Question, m *dns.Msg) {
			rr(m, q.Name+" 60 IN CNAME "+map[bool]string{true: "b", false: "a"}[strings.HasPrefix(q.Name, "a.")]+".example.")
		}, 0, 60, true},
		"aliases without end": {func(_ string, q dns.Question, m *dns.Msg) { rr(m, q.Name+" 60 IN CNAME x"+q.Name) }, 0, 60, true},
		"thousands": {func(network string, q dns.Question, m *dns.Msg) {
			if network == "udp" {
				m.Truncated = true
				return
			}
			for i := range 2000 {
				if q.Qtype == dns.TypeA {
					rr(m, fmt.Sprintf("a.example. 60 IN A 93.184.%d.%d", i/256, i%256))
				}
			}
		}, maxAddrs, 20, false},
		"other names": {func(_ string, q dns.Question, m *dns.Msg) { rr(m, "b.example. 60 IN A 93.184.216.34") }, 0, 60, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				z := &zone{answer: test.answer}
				n, err := resolver(t, ResolverOptions{Dial: z.dial}).Lookup(t.Context(), "a.example")
				if (err != nil) != test.fails || err != nil && !errors.Is(err, ErrNoName) && !errors.Is(err, ErrTemporary) || len(n.Addrs) > test.addrs || (err == nil) != (len(n.Addrs) > 0) || len(z.questions()) > test.asked {
					t.Errorf("%d addresses after %d questions, %v", len(n.Addrs), len(z.questions()), err)
				}
			})
		})
	}
}
