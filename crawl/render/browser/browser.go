// Package browser shows pages in chromium, without a network. Every request of a page comes to
// winnow and is answered with what winnow has, or is refused; the browser itself reaches nothing:
// names do not resolve, and its only proxy closes every connection. Where the system allows it,
// chromium runs in its own sandbox.
//
// The protocol is that of the developer tools, over two pipes: a Browser starts chromium, Show
// opens a tab in a fresh context, lets the page run in virtual time, and returns its DOM.
package browser

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// Options are limits of a page.
type Options struct {
	Path string // of chromium; "": Find looks for it
	// Time is the time of a pass by the clock: after half of it the DOM is taken as it is, after all
	// of it the browser is ended; 20 s.
	Time   time.Duration
	Script time.Duration // in which the page runs, by its own clock; 5 s
	Memory int64         // of all processes of the browser, in bytes; 1 GiB
	Bytes  int64         // of the DOM, in bytes; 10 MiB
	// Requests of a pass; 1,000.
	Requests int
}

func (o Options) withDefaults() Options {
	if o.Time <= 0 {
		o.Time = 20 * time.Second
	}
	if o.Script <= 0 {
		o.Script = 5 * time.Second
	}
	if o.Memory <= 0 {
		o.Memory = 1 << 30
	}
	if o.Bytes <= 0 {
		o.Bytes = 10 << 20
	}
	if o.Requests <= 0 {
		o.Requests = 1000
	}
	return o
}

// An Answer is what the browser gets for a request.
type Answer struct {
	Status int
	Header http.Header // without content coding
	Body   []byte
}

// A Page is shown at its URL.
type Page struct {
	URL    string
	Answer Answer    // for the page itself
	Time   time.Time // that scripts see when it begins
}

// A Shown is what a page has become.
type Shown struct {
	HTML   []byte   // its DOM, open shadow trees included
	Asked  []string // URLs that it requested and that were not there, each once, in their order
	Leads  []string // where its scripts wanted to go
	Cut    bool     // it had more than Options.Bytes
	Late   bool     // it was still busy when its DOM was taken
	Denied int      // requests that are refused in any case: not GET, frames, too many
}

// Errors of Show. After all of them but ErrNone the next call of Show starts another browser.
var (
	ErrNone   = errors.New("there is no browser")
	ErrTime   = errors.New("the page did not end in time")
	ErrMemory = errors.New("the page needed too much memory")
	ErrCrash  = errors.New("the browser crashed")
)

// startTime is how long chromium may take to start. On a busy machine it takes seconds.
const startTime = time.Minute

// Find returns the path of a browser, "" if there is none. A headless shell, which has no windows,
// shows a page in less than half of the processor time.
func Find() string {
	for _, name := range []string{"chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// A Browser runs chromium when it is needed. It shows one page at a time.
type Browser struct {
	o    Options
	run  *running // nil: it does not run
	runs int      // how often it was started
}

// New returns a browser that is not started yet.
func New(o Options) *Browser {
	o = o.withDefaults()
	if o.Path == "" {
		o.Path = Find()
	}
	return &Browser{o: o}
}

// Starts returns how often chromium was started.
func (b *Browser) Starts() int { return b.runs }

// Close ends chromium.
func (b *Browser) Close() {
	if b.run != nil {
		b.run.kill()
		b.run = nil
	}
}

// Show shows a page. get returns the answer for a URL, nil if there is none; it is called from this
// goroutine. If the page exceeds a limit, or the browser fails, chromium is ended.
func (b *Browser) Show(ctx context.Context, p *Page, get func(url string) *Answer) (*Shown, error) {
	if err := b.open(ctx); err != nil {
		return new(Shown), err
	}
	ctx, cancel := context.WithTimeout(ctx, b.o.Time)
	defer cancel()
	t := &tab{run: b.run, o: &b.o, page: p, get: get, asked: map[string]bool{}, shown: new(Shown)}
	excess := b.run.watch(ctx, b.o.Memory)
	err := t.show(ctx)
	if err == nil {
		cancel()
		<-excess
		return t.shown, nil
	}
	b.Close()
	late := errors.Is(ctx.Err(), context.DeadlineExceeded)
	cancel()
	switch {
	case <-excess:
		return t.shown, ErrMemory
	case late:
		return t.shown, ErrTime
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return t.shown, ctx.Err()
	case errors.Is(err, errGone):
		err = ErrCrash
	}
	return t.shown, err
}

// open starts chromium if it does not run.
func (b *Browser) open(ctx context.Context) error {
	if b.run != nil {
		return nil
	}
	if b.o.Path == "" {
		return ErrNone
	}
	run, err := start(&b.o)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrCrash, err)
	}
	b.run = run
	b.runs++
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	t := &tab{run: run}
	if err := t.call(ctx, "", "Browser.getVersion", params{}, nil); err != nil {
		b.Close()
		if ctx.Err() == nil || errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = fmt.Errorf("%w: it did not start: %w", ErrCrash, err)
		}
		return err
	}
	return nil
}

// A running is a process of chromium.
type running struct {
	pipe  *pipe
	cmd   *exec.Cmd
	dir   string       // its profile
	proxy net.Listener // closes every connection
	ended chan struct{}
}

// flags turn off what a crawler does not need. Names do not resolve, and what does not need a name
// goes to a proxy that closes every connection.
func flags(o *Options, dir, proxy string) []string {
	list := []string{
		"--headless", "--remote-debugging-pipe", "--user-data-dir=" + dir,
		"--proxy-server=http://" + proxy, "--proxy-bypass-list=<-loopback>", "--host-resolver-rules=MAP * ~NOTFOUND",
		"--disable-quic", "--webrtc-ip-handling-policy=disable_non_proxied_udp", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--block-new-web-contents", "--blink-settings=imagesEnabled=false", "--disable-remote-fonts", "--mute-audio", "--disable-gpu",
		"--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-extensions", "--disable-sync",
		"--disable-domain-reliability", "--disable-client-side-phishing-detection", "--disable-breakpad", "--disable-crash-reporter",
		"--disable-features=Translate,MediaRouter,OptimizationHints,DialMediaRouteProvider,AutofillServerCommunication,InterestFeedContentSuggestions,SpareRendererForSitePerProcess",
		"--disable-dev-shm-usage", "--no-first-run", "--no-default-browser-check", "--no-pings", "--password-store=basic", "--use-mock-keychain",
		"--hide-scrollbars", "--disable-popup-blocking=false", "--deny-permission-prompts", "--renderer-process-limit=1",
		"--js-flags=--max-old-space-size=" + strconv.FormatInt(max(64, o.Memory/2>>20), 10),
	}
	if os.Geteuid() == 0 { // chromium refuses to run as root otherwise
		list = append(list, "--no-sandbox")
	}
	return append(list, "about:blank")
}

// start starts chromium.
func start(o *Options) (*running, error) {
	proxy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go refuse(proxy)
	dir, err := os.MkdirTemp("", "winnow-browser-")
	if err != nil {
		proxy.Close()
		return nil, err
	}
	r := &running{dir: dir, proxy: proxy, ended: make(chan struct{})}
	if err := r.launch(o, flags(o, dir, proxy.Addr().String())); err != nil {
		proxy.Close()
		os.RemoveAll(dir)
		return nil, err
	}
	return r, nil
}

// refuse closes all connections of a listener.
func refuse(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		c.Close()
	}
}

// launch starts the process: it reads commands from file 3 and writes to file 4.
func (r *running) launch(o *Options, args []string) error {
	inR, inW, err := os.Pipe()
	if err != nil {
		return err
	}
	defer inR.Close()
	outR, outW, err := os.Pipe()
	if err != nil {
		inW.Close()
		return err
	}
	defer outW.Close()
	r.cmd = exec.Command(o.Path, args...)
	r.cmd.ExtraFiles = []*os.File{inR, outW}
	r.cmd.Env = append(os.Environ(), "HOME="+r.dir, "XDG_CONFIG_HOME="+r.dir, "XDG_CACHE_HOME="+r.dir)
	separate(r.cmd)
	if err := r.cmd.Start(); err != nil {
		inW.Close()
		outR.Close()
		return err
	}
	r.pipe = newPipe(outR, inW)
	go func() {
		r.cmd.Wait()
		outR.Close()
		close(r.ended)
	}()
	return nil
}

// kill ends the process and those that it started, and removes its files.
func (r *running) kill() {
	killAll(r.cmd.Process)
	go func() {
		for range r.pipe.events { // so that it reads on
		}
	}()
	<-r.ended
	io.Closer(r.pipe.w).Close()
	r.proxy.Close()
	os.RemoveAll(r.dir)
}

// watch measures the memory of the browser until ctx ends, and kills it if that is too much. The
// channel says whether it was.
func (r *running) watch(ctx context.Context, most int64) <-chan bool {
	excess := make(chan bool, 1)
	go func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				excess <- false
				if errors.Is(ctx.Err(), context.DeadlineExceeded) {
					killAll(r.cmd.Process) // it may not read what we send
				}
				return
			case <-tick.C:
				if memory(r.cmd.Process.Pid) > most {
					killAll(r.cmd.Process)
					excess <- true
					return
				}
			}
		}
	}()
	return excess
}
