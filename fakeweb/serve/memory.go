package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb/answer"
	"github.com/winnow-crawler/winnow/graph"
)

// memory is a network without sockets: connections are pairs of net.Pipe ends, which
// testing/synctest can follow.
type memory struct {
	plain, secure *memoryListener
	close         func() error
}

// Dial connects to a site in memory, as net.Dialer.DialContext does over the network. The
// address is a host name of the web, or an IP address that one site alone has (Addresses at
// least Sites) or that is taken for any of them. Port 443 uses TLS. The servers behind it
// start at the first call and end with Close; inside a synctest bubble both, and New,
// belong into the bubble.
func (s *Server) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("dial %s in memory: %w", addr, err)
	}
	s.setMemory.Do(s.startMemory)
	if f := s.Options().Times.Connect; f != nil {
		if id, ok := s.SiteAt(host); ok {
			s.Options().Sleep(ctx, f(ctx, id, s.memory.plain.next(id)))
		}
	}
	switch s.DownAt(host) {
	case answer.Refused:
		return nil, fmt.Errorf("dial %s in memory: %w", addr, syscall.ECONNREFUSED)
	case answer.Silent:
		<-ctx.Done()
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("dial %s in memory: %w", addr, err)
	}
	l := s.memory.plain
	if port == "443" {
		l = s.memory.secure
	}
	return l.dial(ctx, addr)
}

func (s *Server) startMemory() {
	m := &memory{plain: newMemoryListener(), secure: newMemoryListener()}
	plain, secure := s.httpServer(), s.httpServer()
	m.close = func() error { return errors.Join(plain.Close(), secure.Close()) }
	go plain.Serve(m.plain)
	go secure.ServeTLS(m.secure, "", "")
	s.memory = m
}

// memoryListener hands the far ends of new connections to a server.
type memoryListener struct {
	accept chan net.Conn
	done   chan struct{}
	once   sync.Once
	mu     sync.Mutex
	dialed map[graph.Site]uint32
	ports  atomic.Uint32
}

func newMemoryListener() *memoryListener {
	return &memoryListener{accept: make(chan net.Conn), done: make(chan struct{}), dialed: map[graph.Site]uint32{}}
}

// next counts the connections to a site.
func (l *memoryListener) next(id graph.Site) uint32 {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.dialed[id]
	l.dialed[id]++
	return n
}

func (l *memoryListener) dial(ctx context.Context, addr string) (net.Conn, error) {
	a, b := net.Pipe()
	near, far := &memoryConn{Conn: a}, &memoryConn{Conn: b}
	near.peer, far.peer = far, near
	near.remote, far.local = memoryAddr(addr), memoryAddr(addr)
	near.local = memoryAddr("memory:" + strconv.Itoa(int(l.ports.Add(1))))
	far.remote = near.local
	select {
	case l.accept <- far:
		return near, nil
	case <-l.done:
		return nil, fmt.Errorf("dial %s in memory: the server is closed", addr)
	case <-ctx.Done():
		return nil, fmt.Errorf("dial %s in memory: %w", addr, ctx.Err())
	}
}

func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accept:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *memoryListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return nil
}

func (l *memoryListener) Addr() net.Addr { return memoryAddr("memory:0") }

type memoryAddr string

func (memoryAddr) Network() string  { return "memory" }
func (a memoryAddr) String() string { return string(a) }

// memoryConn is one end of a connection in memory.
type memoryConn struct {
	net.Conn
	peer          *memoryConn
	local, remote memoryAddr
	closed        atomic.Bool
}

func (c *memoryConn) Close() error {
	c.closed.Store(true)
	return c.Conn.Close()
}

// PeerGone reports whether either side has closed the connection.
func (c *memoryConn) PeerGone() bool       { return c.closed.Load() || c.peer.closed.Load() }
func (c *memoryConn) LocalAddr() net.Addr  { return c.local }
func (c *memoryConn) RemoteAddr() net.Addr { return c.remote }

// httpServer returns a server for connections of any kind.
func (s *Server) httpServer() *http.Server {
	srv := &http.Server{
		Handler: s, TLSConfig: s.ca.serverConfig(), ErrorLog: quiet(),
		ReadHeaderTimeout: time.Minute,
	}
	s.count.Watch(srv)
	return srv
}
