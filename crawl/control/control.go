package control

import (
	"context"
	"errors"
)

// ErrEnded is returned for a command that comes too late.
var ErrEnded = errors.New("the crawl has ended")

// ErrBusy is returned for a command that comes at the end of a session.
var ErrBusy = errors.New("the session ends just now: try again")

// An Order is a command on its way. Whoever takes it answers it once.
type Order struct {
	Command
	answer chan error
}

// Answer lets the call of Do return: with nil if the command is in force.
func (o *Order) Answer(err error) { o.answer <- err }

// A Control brings commands to a crawl that runs in the same process. Its methods may be called
// from several goroutines.
type Control struct {
	orders chan *Order
	ended  chan struct{}
}

// New returns a Control for one run of a crawl.
func New() *Control { return &Control{orders: make(chan *Order), ended: make(chan struct{})} }

// Orders returns the channel from which the crawl takes orders. It is nil for a nil Control.
func (c *Control) Orders() <-chan *Order {
	if c == nil {
		return nil
	}
	return c.orders
}

// End refuses all further commands. The crawl calls it, once.
func (c *Control) End() {
	if c != nil {
		close(c.ended)
	}
}

// Do gives the crawl a command and waits until it is in force and in the journal, or refused.
// A crawl with millions of pages may take some seconds.
func (c *Control) Do(ctx context.Context, cmd Command) error {
	if err := cmd.check(); err != nil {
		return err
	}
	o := &Order{cmd, make(chan error, 1)}
	select {
	case c.orders <- o:
	case <-c.ended:
		return ErrEnded
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-o.answer:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
