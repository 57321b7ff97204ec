package fetch

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	socks5 "golang.org/x/net/proxy"
)

// tunnel connects to an address through the HTTP proxy. net/http can do it too, but then the tap
// does not see what is inside.
func (c *Client) tunnel(ctx context.Context, network, addr string) (net.Conn, error) {
	proxy := c.o.Proxy
	way, err := c.dial(ctx, network, hostPort(proxy))
	if err != nil {
		return nil, err
	}
	if proxy.Scheme == "https" {
		conf := &tls.Config{}
		if c.transport.TLSClientConfig != nil {
			conf = c.transport.TLSClientConfig.Clone()
		}
		conf.ServerName, conf.NextProtos = proxy.Hostname(), nil
		way = tls.Client(way, conf)
	}
	stop := context.AfterFunc(ctx, func() { way.Close() })
	err = c.ask(way, addr)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		way.Close()
		return nil, err
	}
	return way, nil
}

// ask asks the proxy at the other end of a connection for a tunnel to an address.
func (c *Client) ask(way net.Conn, addr string) error {
	q := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: addr}, Host: addr, Header: http.Header{"User-Agent": {c.o.UserAgent}}}
	if u := c.o.Proxy.User; u != nil {
		password, _ := u.Password()
		q.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(u.Username()+":"+password)))
	}
	if err := q.Write(way); err != nil {
		return err
	}
	in := bufio.NewReader(&headReader{way, c.lim.header})
	resp, err := http.ReadResponse(in, q)
	if err != nil {
		return fmt.Errorf("the proxy: %w", err)
	}
	if resp.StatusCode != http.StatusOK {
		_, reason, _ := strings.Cut(resp.Status, " ")
		return errors.New(reason) // as net/http says it
	}
	if in.Buffered() > 0 {
		return errors.New("the proxy sent more than its answer")
	}
	return nil
}

// forward connects to an address through the SOCKS5 proxy.
func (c *Client) forward(ctx context.Context, network, addr string) (net.Conn, error) {
	var login *socks5.Auth
	if u := c.o.Proxy.User; u != nil {
		login = &socks5.Auth{User: u.Username()}
		login.Password, _ = u.Password()
	}
	d, err := socks5.SOCKS5("tcp", hostPort(c.o.Proxy), login, toProxy{c})
	if err != nil {
		return nil, err
	}
	return d.(socks5.ContextDialer).DialContext(ctx, network, addr)
}

// toProxy connects to the proxy of a client.
type toProxy struct{ c *Client }

// Dial connects without an end in time.
func (p toProxy) Dial(network, addr string) (net.Conn, error) {
	return p.DialContext(context.Background(), network, addr)
}

// DialContext connects.
func (p toProxy) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	return p.c.dial(ctx, network, addr)
}
