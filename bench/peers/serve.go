package main

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// counts holds what the server has counted since the last report.
type counts struct {
	Pages    int // answers with a page
	Distinct int // different ones among them
	Robots   int // requests for robots.txt
	Bad      int // requests for anything else
	HTTP2    int // requests by HTTP/2
	Conns    int // connections
	Most     int // connections to one site at a time
}

// server serves a web and counts.
type server struct {
	w  *web
	mu sync.Mutex
	counts
	asked []bool                // by page
	open  map[string][]net.Conn // by site
}

// ready is the report of a server that is ready.
type ready struct {
	Control            string // address where it takes questions
	Hub                string // page with a link to every site, where all crawlers begin
	Plain, Wire, Links int64
}

// serveWeb makes a web and serves it until the process ends.
func serveWeb(o *options) (*server, error) {
	listeners, port, err := listen(o.sites)
	if err != nil {
		return nil, err
	}
	s := &server{w: makeWeb(o, port), open: map[string][]net.Conn{}}
	s.asked = make([]bool, len(s.w.bodies))
	// run reports a crawler that has crashed: its connections are no news.
	front := &http.Server{Handler: s, ConnState: s.connState, ErrorLog: log.New(io.Discard, "", 0)}
	start := front.Serve
	if o.ca != "" {
		if front.TLSConfig, err = serverTLS(o.sites, o.ca); err != nil {
			return nil, err
		}
		start = func(l net.Listener) error { return front.ServeTLS(l, "", "") }
	}
	for _, l := range listeners {
		go start(l)
	}
	return s, nil
}

// serve runs the server. It ends when its input does.
func serve(o *options) error {
	s, err := serveWeb(o)
	if err != nil {
		return err
	}
	back, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go http.Serve(back, http.HandlerFunc(s.report))
	r := ready{Control: back.Addr().String(), Hub: s.w.start(), Plain: s.w.plain, Wire: s.w.wire, Links: s.w.links}
	if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// listen takes one port on the addresses of all sites.
func listen(sites int) (all []net.Listener, port int, err error) {
	for range 10 {
		port = 0
		for site := range sites {
			var l net.Listener
			if l, err = net.Listen("tcp", fmt.Sprintf("%s:%d", addr(site), port)); err != nil {
				break
			}
			all, port = append(all, l), l.Addr().(*net.TCPAddr).Port
		}
		if err == nil {
			return all, port, nil
		}
		for _, l := range all {
			l.Close()
		}
		all = nil
	}
	return nil, 0, fmt.Errorf("%d addresses in 127.0.0.0/8: %w", sites, err)
}

// ServeHTTP serves a page of the site that the request names.
func (s *server) ServeHTTP(out http.ResponseWriter, q *http.Request) {
	page, ok := s.find(q.Host, q.URL.Path)
	s.count(page, ok, q)
	body, h := s.w.hub, out.Header()
	switch {
	case ok:
		body = s.w.bodies[page]
	case q.URL.Path != hub:
		http.Error(out, "not found", http.StatusNotFound)
		return
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	if !strings.Contains(q.Header.Get("Accept-Encoding"), "gzip") {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err == nil {
			io.Copy(out, z)
		}
		return
	}
	h.Set("Content-Encoding", "gzip")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	out.Write(body)
}

// find returns the number of a page by its host and path.
func (s *server) find(host, name string) (int, bool) {
	var x, a, b int
	host, _, _ = strings.Cut(host, ":") // wget2 leaves the port away
	if n, err := fmt.Sscanf(host, "127.%d.%d.%d", &x, &a, &b); n != 3 || err != nil {
		return 0, false
	}
	site, number := (x-1)*62500+a*250+b-1, 0
	if name != "/" {
		_, rest, _ := strings.Cut(name, "page-")
		number, _ = strconv.Atoi(strings.TrimSuffix(rest, ".html"))
	}
	if site < 0 || site >= s.w.sites || number < 0 || number >= s.w.pages || path(number) != name {
		return 0, false
	}
	return site*s.w.pages + number, true
}

func (s *server) count(page int, ok bool, q *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if q.ProtoMajor == 2 {
		s.HTTP2++
	}
	switch {
	case ok:
		s.Pages++
		if !s.asked[page] {
			s.asked[page] = true
			s.Distinct++
		}
	case q.URL.Path == "/robots.txt":
		s.Robots++
	case q.URL.Path != hub:
		s.Bad++
	}
}

// connState counts the connections that are open to a site. One that the crawler has
// closed, and whose end the server has not read yet, is not open.
func (s *server) connState(c net.Conn, state http.ConnState) {
	site := c.LocalAddr().String()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		alive := slices.DeleteFunc(s.open[site], gone)
		s.open[site] = append(alive, c)
		s.Conns++
		s.Most = max(s.Most, len(s.open[site]))
	case http.StateClosed, http.StateHijacked:
		s.open[site] = slices.DeleteFunc(s.open[site], func(o net.Conn) bool { return o == c })
	}
}

// report sends the counts and begins new ones.
func (s *server) report(out http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	json.NewEncoder(out).Encode(s.counts)
	s.counts = counts{}
	clear(s.asked)
}

// gone reports whether the other side has closed a connection, which the kernel knows
// before net/http does.
func gone(c net.Conn) bool {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	sc, ok := c.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return true
	}
	const established = 1 // TCP_ESTABLISHED of Linux
	closed := true
	err = raw.Control(func(fd uintptr) {
		// The first byte of what TCP_INFO gives is the state; only four are read.
		info, err := syscall.GetsockoptInet4Addr(int(fd), syscall.IPPROTO_TCP, syscall.TCP_INFO)
		closed = err != nil || info[0] != established
	})
	return closed || err != nil
}
