// Package nats is an engine for package cluster on NATS JetStream: a broker within the process, or
// one elsewhere, with a stream for each partition, a bucket of keys and values as the register,
// and subjects without retention as the bus.
//
// A broker of ours syncs every write before it acknowledges it. With the interval that is the
// default, three brokers that lost their power at once forgot whole streams.
package nats

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	client "github.com/nats-io/nats.go"
)

// BrokerOptions describe a broker.
type BrokerOptions struct {
	Name string // no other broker has it
	Dir  string // of its files
	// Listen is the host and port for nodes without a broker, Cluster that for other brokers. A broker
	// without both is for this process alone. Port -1 means any.
	Listen, Cluster Address
	// Advertise and AdvertiseCluster are the hosts and ports at which others reach these two, "" if they
	// are the same.
	Advertise, AdvertiseCluster string
	// Peers are the addresses of all brokers for other brokers, this one included if that is convenient.
	Peers []string
	// Secret is what all nodes share. A broker that listens needs one: see Secret.
	Secret Secret
	// Room is the largest number of bytes of its files; 0: what the disk has.
	Room int64
	// Unsynced lets the broker acknowledge what is not on disk yet. It is for measurements.
	Unsynced bool
}

// An Address is a host and a port.
type Address struct {
	Host string
	Port int
}

// A Broker is a NATS server within this process.
type Broker struct {
	server *server.Server
	secret Secret
}

// startTime is how long a broker may take to start.
const startTime = 30 * time.Second

// largest is the largest message in bytes: an entry of a log, and what surrounds it.
const largest = 1 << 20

// Start starts a broker.
func Start(o BrokerOptions) (*Broker, error) {
	opts := &server.Options{
		ServerName: o.Name, JetStream: true, StoreDir: o.Dir, SyncAlways: !o.Unsynced, MaxPayload: largest,
		NoSigs: true, NoLog: true, DontListen: o.Listen.Host == "", Host: o.Listen.Host, Port: o.Listen.Port,
		JetStreamMaxStore: o.Room, JetStreamMaxMemory: 64 << 20,
	}
	if err := o.secure(opts); err != nil {
		return nil, fmt.Errorf("broker %s: %w", o.Name, err)
	}
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("broker %s: %w", o.Name, err)
	}
	s.Start()
	if !s.ReadyForConnections(startTime) {
		s.Shutdown()
		return nil, fmt.Errorf("broker %s: it did not start within %v", o.Name, startTime)
	}
	return &Broker{s, o.Secret}, nil
}

// secure lets the broker listen to those who have the secret, and to nobody without one.
func (o *BrokerOptions) secure(opts *server.Options) error {
	if o.Listen.Host == "" && o.Cluster.Host == "" {
		return nil
	}
	config, err := o.Secret.tls()
	if err != nil {
		return err
	}
	user, password := o.Secret.account()
	opts.Username, opts.Password = user, password
	opts.TLSConfig, opts.TLSVerify, opts.TLSTimeout = config, true, 5
	opts.ClientAdvertise = o.Advertise
	if o.Cluster.Host == "" {
		return nil
	}
	opts.Cluster = server.ClusterOpts{
		Name: "winnow", Host: o.Cluster.Host, Port: o.Cluster.Port, Advertise: o.AdvertiseCluster, Username: user, Password: password, AuthTimeout: 5,
		TLSConfig: config.Clone(), TLSTimeout: 5, PoolSize: -1, PingInterval: pingTime, MaxPingsOut: mostPings,
	}
	for _, peer := range o.Peers {
		opts.Routes = append(opts.Routes, &url.URL{Scheme: "nats-route", Host: peer, User: url.UserPassword(user, password)})
	}
	return nil
}

// Close stops the broker.
func (b *Broker) Close() {
	b.server.Shutdown()
	b.server.WaitForShutdown()
}

// Connect connects this process with its broker, without a socket.
func (b *Broker) Connect(name string) (*client.Conn, error) {
	o := settings(name)
	o = append(o, client.InProcessServer(b.server))
	if b.secret != "" {
		o = append(o, client.UserInfo(b.secret.account()))
	}
	return client.Connect("", o...)
}

// Dial connects with brokers elsewhere. With a secret they must be brokers of nodes that share it.
// Without one, the URLs have what it takes: nats://user:password@host.
func Dial(name string, secret Secret, urls string) (*client.Conn, error) {
	o := settings(name)
	if secret != "" {
		config, err := secret.tls()
		if err != nil {
			return nil, err
		}
		o = append(o, client.Secure(config), client.UserInfo(secret.account()))
	}
	return client.Connect(urls, o...)
}

// A connection on which nothing comes back, as behind a router that has forgotten it, is given up after
// three intervals: earlier than leases end.
const pingTime, mostPings = 5 * time.Second, 2

// settings are those of all connections: they come back for ever, and keep nothing meanwhile, since
// what is sent again is decided elsewhere.
func settings(name string) []client.Option {
	return []client.Option{
		client.Name(name), client.MaxReconnects(-1), client.ReconnectWait(250 * time.Millisecond), client.ReconnectBufSize(-1),
		client.RetryOnFailedConnect(false), client.PingInterval(pingTime), client.MaxPingsOutstanding(mostPings),
	}
}

// errSecret is for a broker that would listen to anybody.
var errSecret = errors.New("nothing listens without a secret of at least 32 characters")
