package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-crawler/winnow/event"
)

// TestBrokenServers plays servers that break the rules, on one connection each.
func TestBrokenServers(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for name, test := range map[string]struct {
		say    string // after the request; then the connection is closed
		class  event.Class
		status int
		body   string
		cut    Cut
	}{
		"nothing":           {"", event.ConnectError, 0, "", CutNot},
		"half a status":     {"HTTP/1.1 2", event.ConnectError, 0, "", CutNot},
		"half a header":     {"HTTP/1.1 200 OK\r\nContent-Le", event.ConnectError, 0, "", CutNot},
		"another protocol":  {"SSH-2.0-OpenSSH\r\n", event.ConnectError, 0, "", CutNot},
		"endless header":    {"HTTP/1.1 200 OK\r\n" + strings.Repeat("A: "+long+"\r\n", 300), event.ConnectError, 0, "", CutNot},
		"endless line":      {"HTTP/1.1 200 OK\r\nA: " + strings.Repeat(long, 300), event.ConnectError, 0, "", CutNot},
		"endless 1xx":       {strings.Repeat("HTTP/1.1 102 Processing\r\nA: "+long+"\r\n\r\n", 300), event.ConnectError, 0, "", CutNot},
		"some 1xx":          {strings.Repeat("HTTP/1.1 103 Early Hints\r\n\r\n", 3) + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab", event.OK, 200, "ab", CutNot},
		"other protocol":    {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nxyz", event.HTTPError, 101, "", CutNot},
		"short body":        {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc", event.ConnectError, 200, "abc", CutDisconnect},
		"short error body":  {"HTTP/1.1 404 Gone\r\nContent-Length: 10\r\n\r\nabc", event.HTTPError, 404, "abc", CutDisconnect},
		"short chunks":      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n5\r\nab", event.ConnectError, 200, "abcdeab", CutDisconnect},
		"bad chunks":        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\nzz\r\n", event.ConnectError, 200, "abcde", CutDisconnect},
		"chunks":            {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\nX: y\r\n\r\n", event.OK, 200, "abcde", CutNot},
		"until close":       {"HTTP/1.0 200 OK\r\n\r\nabc", event.OK, 200, "abc", CutNot},
		"long by header":    {"HTTP/1.1 200 OK\r\nContent-Length: 2001\r\n\r\n" + long, event.TooLarge, 200, "", CutLength},
		"long in fact":      {"HTTP/1.1 200 OK\r\n\r\n" + long + long + "y", event.TooLarge, 200, long + long, CutLength},
		"just not too long": {"HTTP/1.1 200 OK\r\n\r\n" + long + long, event.OK, 200, long + long, CutNot},
		"long redirect":     {"HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n" + long + long + "y", event.Redirect, 302, long + long, CutLength},
		"two lengths":       {"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", event.ConnectError, 0, "", CutNot},
		"negative length":   {"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nab", event.ConnectError, 0, "", CutNot},
		"no reason":         {"HTTP/1.1 200\r\nContent-Length: 1\r\n\r\na", event.OK, 200, "a", CutNot},
		"odd reason":        {"HTTP/1.1 200 \x1b[31m\r\nContent-Length: 1\r\n\r\na", event.OK, 200, "a", CutNot},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := exchangeWith(t, Options{MaxBody: 2000}, func(p *player) {
					p.request()
					p.say(test.say)
				})
				if a.Class != test.class || a.Status != test.status || string(a.Body) != test.body || a.Cut != test.cut || a.Keep && test.cut != CutNot {
					t.Errorf("%v %d %q %q: %s", a.Class, a.Status, a.Body[:min(len(a.Body), 20)], a.Cut, a.Note)
				}
				if a.Class == event.ConnectError && (a.Note == "" || len(a.Note) > 210) {
					t.Errorf("note %q", a.Note)
				}
				if strings.Contains(test.say, "chunked") && a.Header.Get("Transfer-Encoding") != "chunked" {
					t.Errorf("header %v", a.Header)
				}
				checkPhases(t, a)
			})
		})
	}
}

// TestTimeouts plays slow servers in virtual time: each phase ends exactly at its limit.
func TestTimeouts(t *testing.T) {
	head := "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
	drip := func(p *player, s string, every time.Duration) {
		for i := range len(s) {
			time.Sleep(every)
			if _, err := p.Write([]byte(s[i : i+1])); err != nil {
				return
			}
		}
	}
	for name, test := range map[string]struct {
		play   func(p *player)
		phases [3]time.Duration
		class  event.Class
		cut    Cut
		note   string
	}{
		"silence": {func(p *player) { p.request(); p.gone() }, [3]time.Duration{0, 20 * time.Second, 0}, event.Timeout, CutNot, "no answer within 20s"},
		"stall in header": {
			func(p *player) { p.request(); time.Sleep(time.Second); p.say("HTTP/1.1 2"); p.gone() },
			[3]time.Duration{0, time.Second, 15 * time.Second}, event.Timeout, CutNot, "no byte within 15s",
		},
		"stall in body": {
			func(p *player) { p.request(); p.say(head + "abc"); p.gone() },
			[3]time.Duration{0, 0, 15 * time.Second}, event.Timeout, CutTime, "no byte within 15s",
		},
		"stall after pauses": {
			func(p *player) { p.request(); p.say(head); drip(p, "abc", 14*time.Second); p.gone() },
			[3]time.Duration{0, 0, (3*14 + 15) * time.Second}, event.Timeout, CutTime, "no byte within 15s",
		},
		"drip": {
			func(p *player) {
				p.request()
				time.Sleep(2 * time.Second)
				p.say(head)
				drip(p, strings.Repeat("x", 100), 10*time.Second)
			},
			[3]time.Duration{0, 2 * time.Second, 58 * time.Second}, event.Timeout, CutTime, "not finished within 1m0s",
		},
		"dripping header": {
			func(p *player) {
				p.request()
				drip(p, "HTTP/1.1 200 OK\r\n"+strings.Repeat("A: b\r\n", 20), time.Second)
			},
			[3]time.Duration{0, time.Second, 59 * time.Second}, event.Timeout, CutNot, "not finished within 1m0s",
		},
		"slow but in time": {
			func(p *player) {
				p.request()
				time.Sleep(19 * time.Second)
				p.say("HTTP/1.1 200 OK\r\n\r\n")
				drip(p, "ab", 14*time.Second)
			},
			[3]time.Duration{0, 19 * time.Second, 28 * time.Second}, event.OK, CutNot, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := exchangeWith(t, Options{}, test.play)
				if a.Class != test.class || a.Cut != test.cut || a.Note != test.note || a.Phases != test.phases || a.Aborted {
					t.Errorf("%v %q %q %v", a.Class, a.Cut, a.Note, a.Phases)
				}
				checkPhases(t, a)
			})
		})
	}
}

func TestConnectTimeouts(t *testing.T) {
	slow := func(ctx context.Context, _, _ string) (net.Conn, error) { <-ctx.Done(); return nil, ctx.Err() }
	silent := &script{play: func(p *player) { p.gone() }}
	for name, test := range map[string]struct {
		o     Options
		url   string
		after time.Duration
		class event.Class
	}{
		"connect":     {Options{Dial: slow}, example, 10 * time.Second, event.Timeout},
		"tls":         {Options{Dial: silent.dial}, "https://example.com/", 10 * time.Second, event.Timeout},
		"total":       {Options{Dial: slow, Total: time.Second}, example, time.Second, event.Timeout},
		"own":         {Options{Dial: slow, Connect: 3 * time.Second}, example, 3 * time.Second, event.Timeout},
		"no time-out": {Options{Dial: slow, Connect: -1, Total: time.Hour}, example, time.Hour, event.Timeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := get(client(t, test.o), test.url)
				if a.Class != test.class || a.End-a.Start != test.after || a.Phases[0] != test.after || a.Conn != 0 {
					t.Errorf("%v after %v: %s", a.Class, a.End-a.Start, a.Note)
				}
				silent.done.Wait()
			})
		})
	}
}

// TestNotSentTwice: http.Transport would send the second request again on a new
// connection. The server has seen it; whether to ask again is not for the client to say.
func TestNotSentTwice(t *testing.T) {
	for name, answer := range map[string]string{"closed": "", "half": "HTTP/1.1 2"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				requests := 0
				s := &script{play: func(p *player) {
					for i := 0; ; i++ {
						if _, ok := p.request(); !ok {
							return
						}
						if requests++; i > 0 {
							p.say(answer)
							return
						}
						p.say("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")
					}
				}}
				c := client(t, Options{Dial: s.dial})
				first, second := get(c, example), get(c, example)
				if first.Class != event.OK || second.Class != event.ConnectError || !second.Reused || second.Keep {
					t.Errorf("%+v, %+v", first, second)
				}
				if s.count() != 1 || requests != 2 {
					t.Errorf("%d connections, %d requests", s.count(), requests)
				}
				if third := get(c, example); third.Class != event.OK || third.Conn != 2 {
					t.Errorf("%+v", third)
				}
				c.Close()
				s.done.Wait()
			})
		})
	}
}

// TestDeadWhileIdle: a kept connection that the server has closed, or on which it has
// said something unasked, is replaced before the request.
func TestDeadWhileIdle(t *testing.T) {
	var logged bytes.Buffer
	defer log.SetOutput(log.Writer())
	log.SetOutput(&logged)
	for name, after := range map[string]string{"closed": "", "unasked": "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"} {
		t.Run(name, func(t *testing.T) {
			said := make(chan bool, 2)
			s := &script{pair: sockets, play: func(p *player) {
				p.request()
				p.say("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na")
				p.say(after)
				if after == "" {
					p.Conn.Close()
				}
				said <- true
				p.gone()
			}}
			c := client(t, Options{Dial: s.dial})
			get(c, example)
			<-said
			for end := time.Now().Add(time.Second); c.line != nil && c.line.Usable() && time.Now().Before(end); {
				time.Sleep(time.Millisecond) // it is on its way through the kernel
			}
			if a := get(c, example); a.Class != event.OK || a.Reused || a.Conn != 2 || string(a.Body) != "a" {
				t.Errorf("%+v", a)
			}
			c.Close()
			s.done.Wait()
		})
	}
	if logged.Len() > 0 {
		t.Errorf("net/http logs %q", logged.String())
	}
}

func TestAborted(t *testing.T) {
	for name, play := range map[string]func(*player){
		"before the answer": func(p *player) { p.request(); p.gone() },
		"in the body":       func(p *player) { p.request(); p.say("HTTP/1.1 200 OK\r\n\r\nabc"); p.gone() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &script{play: play}
				c := client(t, Options{Dial: s.dial})
				ctx, stop := context.WithTimeout(t.Context(), time.Second)
				defer stop()
				a := c.Do(ctx, &Request{URL: example, Addrs: here})
				if !a.Aborted || !a.Class.Failed() || a.End-a.Start != time.Second || a.Keep {
					t.Errorf("%+v", a)
				}
				s.done.Wait()
			})
		})
	}
}

// TestAddresses: they are tried in order, private ones are not tried at all.
func TestAddresses(t *testing.T) {
	var tried []string
	answer := &script{play: func(p *player) { p.request(); p.say("HTTP/1.1 200 OK\r\n\r\n") }}
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		if tried = append(tried, addr); !strings.HasPrefix(addr, "93.184.215.14:") {
			return nil, fmt.Errorf("dial %s: refused", addr)
		}
		return answer.dial(ctx, network, addr)
	}
	list := func(s string) (all []netip.Addr) {
		for f := range strings.FieldsSeq(s) {
			all = append(all, netip.MustParseAddr(f))
		}
		return all
	}
	for _, test := range []struct {
		addrs, url, tried string
		class             event.Class
	}{
		{"", example, "", event.DNSError},
		{"93.184.215.14", example, "93.184.215.14:80", event.OK},
		{"8.8.8.8 2606:4700::1111 93.184.215.14", "http://example.com:8080/", "8.8.8.8:8080 [2606:4700::1111]:8080 93.184.215.14:8080", event.OK},
		{"8.8.8.8 8.8.4.4", example, "8.8.8.8:80 8.8.4.4:80", event.ConnectError},
		{"10.0.0.1 93.184.215.14 127.0.0.1", example, "93.184.215.14:80", event.OK},
		{"127.0.0.1", example, "", event.ConnectError},
		{"::ffff:169.254.169.254 ::1", example, "", event.ConnectError},
		{"93.184.215.14", "http://example.com:25/", "", event.ConnectError},
		{"93.184.215.14", "gopher://example.com/", "", event.HTTPError},
	} {
		tried = nil
		c := NewClient(&Options{Dial: dial})
		a := c.Do(context.Background(), &Request{URL: test.url, Addrs: list(test.addrs), Last: true})
		if got := strings.Join(tried, " "); got != test.tried || a.Class != test.class || a.Class.Failed() == (a.Note == "") {
			t.Errorf("%q %s: tried %q, %v %s", test.addrs, test.url, got, a.Class, a.Note)
		}
		if a.Class == event.OK && a.Address != netip.MustParseAddr("93.184.215.14") {
			t.Errorf("address %v", a.Address)
		}
	}
}

// TestUntilCloseWithoutGoodbye: over TLS the end of the socket ends a body of unknown
// length, as it does without TLS; one of known length is cut by it.
func TestUntilCloseWithoutGoodbye(t *testing.T) {
	for header, want := range map[string]event.Class{"": event.OK, "Content-Length: 9\r\n": event.ConnectError, "Transfer-Encoding: chunked\r\n": event.ConnectError} {
		s := startServer(t, func(w http.ResponseWriter, r *http.Request) {
			c, _, _ := w.(http.Hijacker).Hijack()
			fmt.Fprintf(c, "HTTP/1.1 200 OK\r\n%s\r\n3\r\nabc\r\n", header)
			c.(*tls.Conn).NetConn().Close()
		}, secure)
		if a := get(client(t, Options{TLS: s.trust()}), s.at("/")); a.Class != want {
			t.Errorf("%q: %v %s", header, a.Class, a.Note)
		}
	}
}
