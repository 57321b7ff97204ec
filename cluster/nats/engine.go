package nats

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	client "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/winnow-crawler/winnow/cluster"
)

// mostStreams is the largest number of streams. With more partitions several share one, and
// entries are appended on condition of the last one of their subject.
const mostStreams = 256

// Options describe the streams of a crawl.
type Options struct {
	Crawl      string // its name: a word without dots
	Partitions int
	Replicas   int // copies of each stream: 1, 3 or 5
	Streams    int // 0: as many as partitions, and at most 256
}

// names are those of streams and subjects.
type names struct {
	crawl   string
	streams int
	shared  bool
}

func (o *Options) names() (names, error) {
	if o.Crawl == "" || strings.ContainsAny(o.Crawl, " .*>/\\\t\n") || o.Partitions < 1 {
		return names{}, fmt.Errorf("crawl %q with %d partitions: its name is to be a word without dots", o.Crawl, o.Partitions)
	}
	n := o.Streams
	if n == 0 {
		n = min(o.Partitions, mostStreams)
	}
	return names{o.Crawl, n, n < o.Partitions}, nil
}

func (n *names) bucket() string      { return "W_" + n.crawl }
func (n *names) stream(i int) string { return fmt.Sprintf("W_%s_J_%d", n.crawl, i) }
func (n *names) all(i int) string    { return fmt.Sprintf("w.%s.j.%d.*", n.crawl, i) }
func (n *names) subject(p int) string {
	return fmt.Sprintf("w.%s.j.%d.%d", n.crawl, p%n.streams, p)
}

// Create makes the streams and the register of a crawl. One node does it, before others open them.
// What is there already is left as it is.
func Create(ctx context.Context, nc *client.Conn, o Options) error {
	n, err := o.names()
	if err != nil {
		return err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	if err := createBucket(ctx, js, n.bucket(), o.Replicas); err != nil {
		return fmt.Errorf("make the register of %s: %w", o.Crawl, err)
	}
	for i := range n.streams {
		if err := persist(ctx, func(ctx context.Context) error {
			_, err := js.CreateStream(ctx, jetstream.StreamConfig{
				Name: n.stream(i), Subjects: []string{n.all(i)}, Storage: jetstream.FileStorage, Replicas: o.Replicas,
				Discard: jetstream.DiscardNew, DenyDelete: true, DenyPurge: true, MaxMsgSize: largest,
			})
			return err
		}); err != nil {
			return fmt.Errorf("make stream %d of %s: %w", i, o.Crawl, err)
		}
	}
	return nil
}

// Remove removes the streams and the register of a crawl. It may be repeated.
func Remove(ctx context.Context, nc *client.Conn, o Options) error {
	n, err := o.names()
	if err != nil {
		return err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return err
	}
	list := []string{"KV_" + n.bucket()}
	for i := range n.streams {
		list = append(list, n.stream(i))
	}
	for _, name := range list {
		err := persist(ctx, func(ctx context.Context) error { return js.DeleteStream(ctx, name) })
		if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return fmt.Errorf("remove %s: %w", name, err)
		}
	}
	return nil
}

const (
	// tryTime is how long one try of an operation takes at most: brokers that have no leader yet do not
	// answer.
	tryTime = 5 * time.Second
	// noPeers is the code of an error of brokers that do not know each other yet.
	noPeers = 10005
)

// persist does something that is done at most once, and tries again while brokers are starting.
func persist(ctx context.Context, do func(context.Context) error) error {
	for {
		short, cancel := context.WithTimeout(ctx, tryTime)
		err := do(short)
		cancel()
		var e *jetstream.APIError
		if err == nil || ctx.Err() != nil || errors.As(err, &e) && e.Code != 503 && e.ErrorCode != noPeers {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(tryTime / 20):
		}
	}
}

// Open returns the engine of a crawl whose streams were made.
func Open(ctx context.Context, nc *client.Conn, o Options) (cluster.Engine, error) {
	n, err := o.names()
	if err != nil {
		return cluster.Engine{}, err
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return cluster.Engine{}, err
	}
	var kv jetstream.KeyValue
	if err := persist(ctx, func(ctx context.Context) (err error) {
		if kv, err = js.KeyValue(ctx, n.bucket()); err == nil {
			err = answers(ctx, kv)
		}
		return err
	}); err != nil {
		return cluster.Engine{}, fmt.Errorf("open the register of %s: %w", o.Crawl, err)
	}
	return cluster.Engine{
		Log:      func(p int) cluster.Log { return &log{js: js, names: n, partition: p} },
		Register: register{kv},
		Bus:      bus{nc, "w." + o.Crawl + "."},
	}, nil
}

// refused tells an answer that the condition did not hold from those that leave it open.
func refused(err error) error {
	var e *jetstream.APIError
	if errors.As(err, &e) && (e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant) {
		return fmt.Errorf("%w: %w", cluster.ErrRefused, err)
	}
	return err
}

// A log is the part of a stream that has the subject of a partition.
type log struct {
	js        jetstream.JetStream
	names     names
	partition int
	mu        sync.Mutex
	stream    jetstream.Stream // nil: it was not needed yet
}

// open returns the stream.
func (l *log) open(ctx context.Context) (jetstream.Stream, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stream == nil {
		s, err := l.js.Stream(ctx, l.names.stream(l.partition%l.names.streams))
		if err != nil {
			return nil, err
		}
		l.stream = s
	}
	return l.stream, nil
}

func (l *log) Append(ctx context.Context, last uint64, data []byte) (uint64, error) {
	condition := jetstream.WithExpectLastSequence(last)
	if l.names.shared {
		condition = jetstream.WithExpectLastSequencePerSubject(last)
	}
	ack, err := l.js.Publish(ctx, l.names.subject(l.partition), data, condition, jetstream.WithRetryAttempts(0))
	if err != nil {
		return 0, refused(err)
	}
	return ack.Sequence, nil
}

func (l *log) Last(ctx context.Context) (uint64, error) {
	s, err := l.open(ctx)
	if err != nil {
		return 0, err
	}
	m, err := s.GetLastMsgForSubject(ctx, l.names.subject(l.partition))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return m.Sequence, nil
}

func (l *log) Read(ctx context.Context, after uint64, most int, fn func(uint64, []byte) error) error {
	if most == 1 {
		return l.one(ctx, after, fn)
	}
	last, err := l.Last(ctx)
	if err != nil || last <= after {
		return err
	}
	c, err := l.js.OrderedConsumer(ctx, l.names.stream(l.partition%l.names.streams), jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{l.names.subject(l.partition)}, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: after + 1,
	})
	if err != nil {
		return err
	}
	messages, err := c.Messages(jetstream.PullMaxBytes(8 << 20))
	if err != nil {
		return err
	}
	defer messages.Stop()
	for n := 0; most == 0 || n < most; n++ {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return err
		}
		meta, err := m.Metadata()
		if err == nil {
			err = fn(meta.Sequence.Stream, m.Data())
		}
		if err != nil || meta.Sequence.Stream >= last {
			return err
		}
	}
	return nil
}

// one reads the first entry after a number. The leader of the stream answers, not any copy.
func (l *log) one(ctx context.Context, after uint64, fn func(uint64, []byte) error) error {
	s, err := l.open(ctx)
	if err != nil {
		return err
	}
	m, err := s.GetMsg(ctx, after+1, jetstream.WithGetMsgSubject(l.names.subject(l.partition)))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return fn(m.Sequence, m.Data)
}

// A register is a bucket. Its reads may be old if their leader is none any more; a put tells.
type register struct{ kv jetstream.KeyValue }

func (r register) Get(ctx context.Context, key string) (cluster.Value, error) {
	v, err := r.kv.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return cluster.Value{Key: key}, nil
	}
	if err != nil {
		return cluster.Value{}, err
	}
	return cluster.Value{Key: key, Revision: v.Revision(), Data: v.Value()}, nil
}

func (r register) Put(ctx context.Context, key string, revision uint64, data []byte) (uint64, error) {
	rev, err := r.kv.Update(ctx, key, data, revision)
	return rev, refused(err)
}

// errEnded is returned for a watch that the client has ended.
var errEnded = errors.New("the watch has ended")

func (r register) Watch(ctx context.Context, fn func(cluster.Value)) error {
	w, err := r.kv.WatchAll(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = w.Stop() }()
	for {
		select {
		case v, ok := <-w.Updates():
			switch {
			case !ok:
				return errEnded
			case v == nil:
				fn(cluster.Value{})
			default:
				fn(cluster.Value{Key: v.Key(), Revision: v.Revision(), Data: v.Value()})
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

type bus struct {
	nc     *client.Conn
	prefix string
}

func (b bus) Publish(subject string, data []byte) error { return b.nc.Publish(b.prefix+subject, data) }

func (b bus) Subscribe(subject string, fn func([]byte)) (stop func(), err error) {
	s, err := b.nc.Subscribe(b.prefix+subject, func(m *client.Msg) { fn(m.Data) })
	if err != nil {
		return nil, err
	}
	return func() { _ = s.Unsubscribe() }, nil
}
