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
	Chair  uint64 `json:"chair,omitempty"` // the epoch of the latest coordinator; others decide nothing
	Turn   int    `json:"turn,omitempty"`  // how often the crawl was resumed after it had ended, or its plan was replaced
	Plan   string `json:"plan,omitempty"`  // the plan that counts, see planName
	Moved  string `json:"moved,omitempty"` // to where the crawl was brought, which continues there; "": it was not
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
	to := ""
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
		change = func(w *word) {
			if to = w.Moved; to != "" {
				return
			}
			if w.Stop != "" {
				w.Turn++
			}
			w.Stop, w.Paused = "", false
		}
	default:
		return &hint.Error{Text: fmt.Sprintf("there is no command %q for a cluster", c), Hint: "commands are: stop, pause, resume"}
	}
	if err := setWord(ctx, e, change); err != nil || to == "" {
		return err
	}
	return moved(to)
}

func moved(to string) error {
	return &hint.Error{Text: "this crawl was moved to " + to + ", where one machine continues it", Hint: "continue it there, or give it to a cluster again: winnow cluster adopt DIR --name ANOTHER"}
}

// Move says for good that the crawl continues elsewhere, and that nodes do not. It must have
// stopped. It may be repeated with the same place.
func Move(ctx context.Context, e cluster.Engine, to string) error {
	var was word
	err := setWord(ctx, e, func(w *word) {
		if was = *w; was.Stop != "" && was.Moved == "" {
			w.Moved = to
		}
	})
	switch {
	case err != nil:
		return err
	case was.Stop == "":
		return &hint.Error{Text: "this crawl has not stopped", Hint: "stop it first, or leave out --move: a copy can be read while it runs"}
	case was.Moved != "" && was.Moved != to:
		return moved(was.Moved)
	}
	return nil
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
