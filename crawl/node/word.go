package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// A word is what was decided for all nodes. It is the value of the key "word".
type word struct {
	Stop   string `json:"stop,omitempty"` // why the crawl has ended; "": it has not
	Paused bool   `json:"paused,omitempty"`
}

// The commands.
const (
	commandStop   = "stop"
	commandPause  = "pause"
	commandResume = "resume"
)

// whyStopped is why a crawl has ended that was told to.
const whyStopped = "stopped"

// Command tells all nodes to stop, to pause or to resume. It is obeyed when it is in the register,
// which is so when Command returns nil; nodes that join later obey it, too. A crawl that was stopped
// or has reached a limit may be resumed: nodes continue when they are started again.
func Command(ctx context.Context, e cluster.Engine, c string) error {
	var change func(*word)
	switch c {
	case commandStop:
		change = func(w *word) {
			if w.Stop == "" {
				w.Stop = whyStopped
			}
		}
	case commandPause:
		change = func(w *word) { w.Paused = true }
	case commandResume:
		change = func(w *word) { *w = word{} }
	default:
		return &hint.Error{Text: fmt.Sprintf("there is no command %q for a cluster", c), Hint: "commands are: stop, pause, resume"}
	}
	return setWord(ctx, e, change)
}

// setWord changes the word in the register, and tells the nodes.
func setWord(ctx context.Context, e cluster.Engine, change func(*word)) error {
	for {
		w, revision, err := getWord(ctx, e.Register)
		if err == nil {
			next := w
			if change(&next); next == w {
				return nil
			}
			var data []byte
			if data, err = json.Marshal(next); err == nil {
				_, err = e.Register.Put(ctx, wordKey, revision, data)
			}
			if err == nil {
				_ = e.Bus.Publish("c", nil)
				return nil
			}
		}
		if ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		_ = pause(ctx, retryDelay)
	}
}

// getWord returns the word in the register, and its revision.
func getWord(ctx context.Context, r cluster.Register) (w word, revision uint64, err error) {
	v, err := r.Get(ctx, wordKey)
	if err == nil && v.Revision > 0 {
		err = json.Unmarshal(v.Data, &w)
	}
	return w, v.Revision, err
}
