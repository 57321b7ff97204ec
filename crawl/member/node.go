package member

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/cluster/nats"
	"github.com/winnow-crawler/winnow/crawl"
	"github.com/winnow-crawler/winnow/crawl/layout"
	"github.com/winnow-crawler/winnow/internal/disk"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// Options are those of a node.
type Options struct {
	Name string // no other node has it
	Dir  string
	// Listen is the address of this node, Peers those of the first nodes in the same order on all of
	// them: some of these run brokers. Advertise is the address at which others reach this node, if
	// that is another one: then it is among Peers.
	Listen, Advertise string
	Peers             []string
	Secret            nats.Secret // of Peers
	// Join is where brokers are, for a node that is not among the first.
	Join    *Place
	Version string
	Log     *slog.Logger
	// Run has Machine, memory and so on: see node.Options.
	Run crawl.RunOptions
}

// address returns where others reach the node, "" if they do not.
func (o *Options) address() string { return cmp.Or(o.Advertise, o.Listen) }

// A Node is a process that takes part in all crawls of a cluster.
type Node struct {
	o       *Options
	file    file
	lock    *os.File
	broker  *nats.Broker // nil: it has none
	place   Place
	late    bool // it has let another make the register
	cluster Cluster
	jobs    jobs
	memory  memory
}

// file is node.json.
type file struct {
	ID      string `json:"id"`
	Brokers int    `json:"brokers"` // of the cluster, 0: it has NATS servers of somebody else
}

const fileName, brokerDir, crawlsDir = "node.json", "broker", "crawls"

// Join makes this process a node of a cluster: it locks the directory, starts a broker if this
// node is to have one, and waits until most brokers are there. Then Run takes part in crawls.
func Join(ctx context.Context, o *Options) (*Node, error) {
	n := &Node{o: o}
	if err := n.join(ctx); err != nil {
		n.Close()
		return nil, err
	}
	return n, nil
}

func (n *Node) join(ctx context.Context) error {
	o := n.o
	if err := checkName("node", o.Name); err != nil {
		return err
	}
	s := seating{self: -1}
	if o.Join != nil {
		n.place = *o.Join
	} else {
		var err error
		if s, err = seats(o.address(), o.Peers); err != nil {
			return err
		}
		n.place = s.place(o.Secret)
	}
	if err := n.openDir(len(s.brokers)); err != nil {
		return err
	}
	nc, err := n.connect(&s)
	if err != nil {
		return err
	}
	n.cluster = Cluster{conn: nc, bus: nats.NewBus(nc)}
	if err := n.openRegister(ctx, &s); err != nil {
		return err
	}
	return n.greet(ctx)
}

// openDir makes the directory, locks it, and reads or makes the word that stays with it.
func (n *Node) openDir(brokers int) error {
	dir := n.o.Dir
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		n.lock, err = layout.Lock(filepath.Join(dir, layout.LockFile))
	}
	if errors.Is(err, layout.ErrLocked) {
		return &hint.Error{Text: "another process uses " + dir, Hint: "each node has a directory of its own: --dir"}
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(filepath.Join(dir, fileName))
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		n.file = file{ID: rand.Text(), Brokers: brokers}
		if text, err = json.Marshal(n.file); err == nil {
			err = disk.Replace(disk.OS(dir), fileName, fileName+".tmp", true, func(f disk.File) error {
				_, err := f.WriteAt(append(text, '\n'), 0)
				return err
			})
		}
	case err == nil:
		err = json.Unmarshal(text, &n.file)
	}
	if err != nil {
		return &hint.Error{Text: "cannot use the directory " + dir, Hint: "choose another place with --dir", Err: err}
	}
	if n.file.Brokers != brokers && n.o.Join == nil && n.file.Brokers != 0 {
		return &hint.Error{
			Text: fmt.Sprintf("this node was in a cluster with %d brokers, and --peers makes it %d", n.file.Brokers, brokers),
			Hint: "the number of brokers stays as it was when the cluster was made; further nodes use --join",
		}
	}
	return nil
}

// connect starts the broker of this node, or connects with others.
func (n *Node) connect(s *seating) (*nats.Conn, error) {
	if s.self < 0 {
		return dial(n.o.Name, &n.place)
	}
	own, err := parseAddress(n.o.Listen)
	if err != nil {
		return nil, err
	}
	if err := checkListen(own, n.o.Advertise != ""); err != nil {
		return nil, err
	}
	others := s.brokers[s.self] // what they use
	o := nats.BrokerOptions{Name: n.o.Name, Dir: filepath.Join(n.o.Dir, brokerDir), Listen: own, Advertise: join(others), Secret: n.o.Secret}
	if len(s.brokers) > 1 {
		o.Cluster, o.AdvertiseCluster = routes(own), join(routes(others))
		for i, a := range s.brokers {
			if i != s.self {
				o.Peers = append(o.Peers, join(routes(a)))
			}
		}
	}
	if n.broker, err = nats.Start(o); err != nil {
		return nil, &hint.Error{Text: "cannot start the broker of this node", Hint: "a node needs --secret-file with at least 32 characters", Err: err}
	}
	return n.broker.Connect(n.o.Name)
}

// checkListen returns an error if a broker cannot listen at an address, and at the one for other
// brokers. A server that cannot does not say why. Others reach it there unless it has another
// address for them.
func checkListen(a nats.Address, other bool) error {
	for _, x := range []nats.Address{a, routes(a)} {
		l, err := net.Listen("tcp", join(x))
		if err != nil {
			return &hint.Error{Text: "cannot listen", Hint: "--listen is an address of this machine; a broker needs that port and the next one", Err: err}
		}
		ip := l.Addr().(*net.TCPAddr).IP
		l.Close()
		if literal := net.ParseIP(a.Host); ip.IsLoopback() && literal == nil && a.Host != "localhost" && !other {
			return &hint.Error{Text: fmt.Sprintf("--listen: %s is %s here, where no other machine can reach it", a.Host, ip), Hint: "give the address that others use, in --listen and --peers; or --advertise"}
		}
	}
	return nil
}

// Times of the opening of the register: of one try, of the making, and between two messages about brokers
// that are not there.
const openTime, makeTime, waitTime = 2 * time.Second, 10 * time.Second, 15 * time.Second

// openRegister opens the register of the cluster, and makes it if there is none. It waits until
// most brokers are there.
func (n *Node) openRegister(ctx context.Context, s *seating) error {
	for said := time.Now(); ctx.Err() == nil; {
		short, cancel := context.WithTimeout(ctx, openTime)
		r, replicas, err := nats.OpenRegister(short, n.cluster.conn)
		cancel()
		if errors.Is(err, nats.ErrNone) {
			err = n.makeRegister(ctx, s)
		} else if err == nil {
			n.cluster.register, n.cluster.replicas = r, replicas
			return nil
		}
		if err != nil && time.Since(said) > waitTime {
			said = time.Now()
			n.o.Log.Warn("waiting for brokers: most of them must run, with the same secret", "brokers", n.place.String(), "error", err)
		}
	}
	return ctx.Err()
}

// makeRegister makes the register of the cluster, if this node is one of those that do. The first of
// them is the first to try.
func (n *Node) makeRegister(ctx context.Context, s *seating) error {
	ctx, cancel := context.WithTimeout(ctx, makeTime)
	defer cancel()
	switch {
	case n.place.external:
		return nats.CreateRegister(ctx, n.cluster.conn, externalCopies(len(n.cluster.conn.Servers())))
	case s.self < 0:
		pause(ctx, openTime)
		return nats.ErrNone
	case s.self > 0 && !n.late:
		n.late = true
		pause(ctx, time.Duration(s.self)*openTime)
		return nil
	}
	return nats.CreateRegister(ctx, n.cluster.conn, len(s.brokers))
}

// externalCopies returns how many copies NATS servers keep.
func externalCopies(servers int) int {
	if servers >= 3 {
		return 3
	}
	return 1
}

// ErrVersion is wrapped where a node runs another version of winnow than others.
var ErrVersion = errors.New("all nodes of a cluster run the same version of winnow")

// greet listens whether a node has the same name, or another version.
func (n *Node) greet(ctx context.Context) error {
	list, err := hear(ctx, n.cluster.bus, listenTime)
	if err != nil {
		return err
	}
	for _, x := range list {
		switch {
		case x.ID == n.file.ID: // it was this one, before it was started again
		case x.Node == n.o.Name:
			return &hint.Error{Text: fmt.Sprintf("--name %s: another node has this name, at %s", x.Node, cmp.Or(x.Address, "an unknown address")), Hint: "give each node a name of its own", Err: cluster.ErrName}
		case x.Version != n.o.Version:
			return &hint.Error{Text: fmt.Sprintf("node %s runs winnow %q, this is %q", x.Node, x.Version, n.o.Version), Hint: "install the same version here", Err: ErrVersion}
		}
	}
	return nil
}

// Broker reports whether the node runs a broker.
func (n *Node) Broker() bool { return n.broker != nil }

// Brokers returns where the brokers are.
func (n *Node) Brokers() string { return n.place.String() }

// Close ends the connection and the broker, and unlocks the directory.
func (n *Node) Close() {
	if n.cluster.conn != nil {
		n.cluster.conn.Close()
	}
	if n.broker != nil {
		n.broker.Close()
	}
	if n.lock != nil {
		n.lock.Close()
	}
}
