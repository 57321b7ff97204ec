package nats

import (
	"context"
	"errors"
	"fmt"

	client "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/winnow-crawler/winnow/cluster"
)

// A Conn is a connection with brokers.
type Conn = client.Conn

// ErrAuthorization is returned if brokers refuse the user or the password.
var ErrAuthorization = client.ErrAuthorization

// ErrNone is wrapped where a register is opened that nobody has made.
var ErrNone = errors.New("there is none")

// clusterBucket is the bucket of the register of a cluster. Those of crawls have longer names.
const clusterBucket = "W"

// CreateRegister makes the register of a cluster, which belongs to no crawl, with so many copies.
// One that is there is left as it is.
func CreateRegister(ctx context.Context, nc *client.Conn, replicas int) error {
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	return createBucket(ctx, js, clusterBucket, replicas)
}

// createBucket makes a bucket. It differs from what the client would make in that its leader answers
// reads: otherwise any copy does, and one that is behind tells what is over.
func createBucket(ctx context.Context, js jetstream.JetStream, bucket string, replicas int) error {
	return persist(ctx, func(ctx context.Context) error {
		_, err := js.CreateStream(ctx, jetstream.StreamConfig{
			Name: "KV_" + bucket, Subjects: []string{"$KV." + bucket + ".>"}, Storage: jetstream.FileStorage, Replicas: replicas,
			MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DenyDelete: true, AllowRollup: true, AllowDirect: false,
		})
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			return nil // an earlier version has made it
		}
		return err
	})
}

// OpenRegister returns the register of a cluster, and how many copies of it there are. It tries
// until the context ends while brokers are starting.
func OpenRegister(ctx context.Context, nc *client.Conn) (r cluster.Register, replicas int, err error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, 0, err
	}
	var kv jetstream.KeyValue
	none := false
	err = persist(ctx, func(ctx context.Context) (err error) {
		kv, err = js.KeyValue(ctx, clusterBucket)
		if none = errors.Is(err, jetstream.ErrBucketNotFound); none {
			return nil
		}
		if err != nil {
			return err
		}
		s, err := js.Stream(ctx, "KV_"+clusterBucket)
		if err == nil {
			replicas = s.CachedInfo().Config.Replicas
			err = answers(ctx, kv)
		}
		return err
	})
	switch {
	case err != nil:
		return nil, 0, err
	case none:
		return nil, 0, fmt.Errorf("the register of the cluster: %w", ErrNone)
	}
	return register{kv}, replicas, nil
}

// answers returns an error unless a bucket answers: a new one has no leader yet.
func answers(ctx context.Context, kv jetstream.KeyValue) error {
	if _, err := kv.Get(ctx, "none"); !errors.Is(err, jetstream.ErrKeyNotFound) {
		return err
	}
	return nil
}

// NewBus returns a bus that belongs to no crawl.
func NewBus(nc *client.Conn) cluster.Bus { return bus{nc, "winnow."} }

// Serves reports whether the broker keeps streams and registers. One whose disk is full does not,
// until it is started again.
func (b *Broker) Serves() bool { return b.server.JetStreamEnabled() }
