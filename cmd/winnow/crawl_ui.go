package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/crawl/control"
	"github.com/winnow-crawler/winnow/dashboard"
	"github.com/winnow-crawler/winnow/internal/console"
)

// A board is the dashboard of a crawl that runs in this process. Without --ui it does nothing.
type board struct {
	control *control.Control // nil: there is none
	offHeap func() int64
	close   func()
}

// serveDashboard serves the dashboard at the address of the configuration until it is closed.
func (c *crawling) serveDashboard(ctx context.Context) (*board, error) {
	addr, err := c.config.UIAddress()
	if addr == "" || err != nil {
		return &board{close: func() {}}, explainKey(c.u, err)
	}
	token, err := readToken("--ui-token", c.config.UIToken)
	if err != nil {
		return nil, err
	}
	if token == nil && (c.u.Quiet || c.u.AsJSON) {
		return nil, console.WithHint(console.Usagef("--ui prints its token, which --quiet and --json do not allow"), "put one into a file: openssl rand -hex 16 > token.txt; then try: %s", c.u.WithFlag("--ui-token", "token.txt"))
	}
	printed := token == nil
	if printed {
		token = []byte(rand.Text())
	}
	l, err := dashboard.Listen(addr, token)
	if err != nil {
		return nil, console.WithHint(fmt.Errorf("--ui: %w", err), "port 0 is any free port; try: %s", c.u.WithFlag("--ui", "127.0.0.1:0"))
	}
	host, _, _ := net.SplitHostPort(addr)
	b := &board{control: control.New()}
	ctx, cancel := context.WithCancel(ctx)
	s, err := dashboard.New(ctx, dashboard.Options{
		Dirs: []string{c.dir}, Token: token, Open: config.Loopback(host), Control: b.control, CopyPort: l.Port(), Version: programVersion(),
	})
	if err != nil {
		cancel()
		l.Close()
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.Serve(ctx, l)
	}()
	b.offHeap = s.OffHeap
	b.close = func() {
		cancel()
		<-ended
		s.Wait()
	}
	c.u.Notef("dashboard at http://%s/", l.Pages.Addr())
	if printed {
		c.u.Notef("token to control the crawl there: %s", token)
	}
	return b, nil
}
