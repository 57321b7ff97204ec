package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/winnow-crawler/winnow/cluster"
	"github.com/winnow-crawler/winnow/internal/hint"
)

// A control says what all nodes have to do. It is the value of the key "control".
type control struct {
	Stop        string `json:"stop,omitempty"` // why the crawl has ended; "": it has not
	Paused      bool   `json:"paused,omitempty"`
	Coordinator uint64 `json:"coordinator,omitempty"` // the epoch of the latest coordinator; others decide nothing
	Turn        int    `json:"turn,omitempty"`        // how often the crawl was resumed after it had ended, or its plan was replaced
	Plan        string `json:"plan,omitempty"`        // the plan that counts, see planName
	Moved       string `json:"moved,omitempty"`       // to where the crawl was brought, which continues there; "": it was not
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
	var change func(*control)
	to := ""
	switch c {
	case commandStop:
		change = func(w *control) {
			if w.Stop == "" {
				w.Stop = whyStopped
			}
		}
	case commandPause:
		change = func(w *control) { w.Paused = true }
	case commandResume:
		change = func(w *control) {
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
	if err := setControl(ctx, e, change); err != nil || to == "" {
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
	var was control
	err := setControl(ctx, e, func(w *control) {
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

// setControl changes the control value in the register, and tells the nodes.
func setControl(ctx context.Context, e cluster.Engine, change func(*control)) error {
	for {
		w, revision, err := getControl(ctx, e.Register)
		if err == nil {
			next := w
			if change(&next); next == w {
				return nil
			}
			var data []byte
			if data, err = json.Marshal(next); err == nil {
				_, err = e.Register.Put(ctx, controlKey, revision, data)
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

// getControl returns the control value in the register, and its revision.
func getControl(ctx context.Context, r cluster.Register) (w control, revision uint64, err error) {
	v, err := r.Get(ctx, controlKey)
	if err == nil && v.Revision > 0 {
		err = json.Unmarshal(v.Data, &w)
	}
	return w, v.Revision, err
}
