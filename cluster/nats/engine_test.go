package nats

import (
	"context"
	"strings"
	"testing"
	"time"

	client "github.com/nats-io/nats.go"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/cluster/clustertest"
)

const secret = Secret("0123456789abcdef0123456789abcdef")

// engines returns the engine of a new crawl as two nodes see it: one with the broker, one by a
// socket.
func engines(t *testing.T, b *Broker, o Options) (in, out cluster.Engine) {
	t.Helper()
	open := func(nc *client.Conn, err error) cluster.Engine {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(nc.Close)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		if err := Create(ctx, nc, o); err != nil {
			t.Fatal(err)
		}
		e, err := Open(ctx, nc, o)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	return open(b.Connect("in")), open(Dial("out", secret, b.server.ClientURL()))
}

// The suite of all engines, on one broker: with a stream for each partition, and with one for all.
func TestEngine(t *testing.T) {
	b, err := Start(BrokerOptions{Name: "a", Dir: t.TempDir(), Listen: Address{"127.0.0.1", -1}, Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	for _, o := range []Options{{Crawl: "apart", Partitions: 2, Replicas: 1}, {Crawl: "shared", Partitions: 2, Replicas: 1, Streams: 1}} {
		t.Run(o.Crawl, func(t *testing.T) {
			in, out := engines(t, b, o)
			clustertest.Run(t, in, out)
		})
	}
	t.Run("strangers", func(t *testing.T) { strangers(t, b) })
}

// strangers have another secret, or none.
func strangers(t *testing.T, b *Broker) {
	address := strings.TrimPrefix(b.server.ClientURL(), "nats://")
	if nc, err := Dial("stranger", Secret(strings.Repeat("x", 32)), "nats://"+address); err == nil {
		nc.Close()
		t.Error("a stranger with another secret was accepted")
	}
	user, password := secret.account()
	for _, o := range [][]client.Option{nil, {client.UserInfo(user, password)}, {client.Secure(), client.UserInfo(user, password)}} {
		if nc, err := client.Connect("nats://"+address, append(o, client.Timeout(2*time.Second))...); err == nil {
			nc.Close()
			t.Error("a stranger without a certificate was accepted")
		}
	}
}

func TestNothingListensWithoutSecret(t *testing.T) {
	for _, o := range []BrokerOptions{
		{Listen: Address{"127.0.0.1", -1}}, {Cluster: Address{"127.0.0.1", -1}},
		{Listen: Address{"127.0.0.1", -1}, Secret: "short"},
	} {
		o.Name, o.Dir = "a", t.TempDir()
		if b, err := Start(o); err == nil {
			b.Close()
			t.Errorf("it listens: %+v", o)
		}
	}
}
