package browser

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// A pipe speaks the DevTools protocol with a browser: JSON messages, each with a zero byte at its
// end, over two pipes (--remote-debugging-pipe). Unlike a socket, nobody else can reach them.
type pipe struct {
	w      io.WriteCloser
	events chan event // closed when the browser has gone

	mu      sync.Mutex
	last    int64
	waiting map[int64]chan *message
	gone    bool
}

// A message is a command, its answer, or an event.
type message struct {
	ID      int64           `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// An event is something that happened in a tab.
type event struct {
	method, session string
	params          json.RawMessage
}

var errGone = errors.New("the browser ended")

// maxMessage is the most that the browser may send at once, in bytes: the DOM of a page, and what
// escapes it.
const maxMessage = 256 << 20

// newPipe returns a pipe that reads from r until it ends.
func newPipe(r io.Reader, w io.WriteCloser) *pipe {
	p := &pipe{w: w, events: make(chan event, 1024), waiting: map[int64]chan *message{}}
	go p.read(r)
	return p
}

func (p *pipe) read(r io.Reader) {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 64<<10), maxMessage)
	in.Split(split)
	for in.Scan() {
		var m message
		if json.Unmarshal(in.Bytes(), &m) != nil {
			break
		}
		if m.ID == 0 {
			p.events <- event{m.Method, m.Session, m.Params}
			continue
		}
		p.mu.Lock()
		answer := p.waiting[m.ID]
		delete(p.waiting, m.ID)
		p.mu.Unlock()
		if answer != nil {
			answer <- &m
		}
	}
	p.mu.Lock()
	p.gone = true
	for _, answer := range p.waiting {
		close(answer)
	}
	p.mu.Unlock()
	close(p.events)
}

// split ends a message at a zero byte.
func split(data []byte, atEOF bool) (int, []byte, error) {
	for i, c := range data {
		if c == 0 {
			return i + 1, data[:i], nil
		}
	}
	return 0, nil, nil
}

// send sends a command to a tab, or with session "" to the browser. The answer arrives later, or
// the channel is closed.
func (p *pipe) send(session, method string, params any) (<-chan *message, error) {
	text, err := json.Marshal(params)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return nil, errGone
	}
	p.last++
	text, err = json.Marshal(message{ID: p.last, Method: method, Session: session, Params: text})
	if err != nil {
		return nil, err
	}
	answer := make(chan *message, 1)
	p.waiting[p.last] = answer
	if _, err := p.w.Write(append(text, 0)); err != nil {
		delete(p.waiting, p.last)
		return nil, fmt.Errorf("%w: %w", errGone, err)
	}
	return answer, nil
}
