package terminal

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

// A Log prints the log of the crawler as messages. Several goroutines log, so Show must
// be safe for concurrent use.
type Log struct {
	Show  func(kind, text string)
	Least slog.Level
	attrs string // of With, written behind each message
	group string // in front of names, with a dot
}

func (l *Log) Enabled(_ context.Context, level slog.Level) bool { return level >= l.Least }

func (l *Log) Handle(_ context.Context, r slog.Record) error {
	text := r.Message + l.attrs
	r.Attrs(func(a slog.Attr) bool {
		text += l.attr(a)
		return true
	})
	kind := ""
	if r.Level >= slog.LevelWarn {
		kind = "warning"
	}
	l.Show(kind, strings.ReplaceAll(text, "\n", " "))
	return nil
}

func (l *Log) attr(a slog.Attr) string {
	value := a.Value.Resolve().String()
	if value == "" || strings.ContainsAny(value, " =\"\t\n") {
		value = fmt.Sprintf("%q", value)
	}
	return " " + l.group + a.Key + "=" + value
}

func (l *Log) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := *l
	for _, a := range attrs {
		out.attrs += l.attr(a)
	}
	return &out
}

func (l *Log) WithGroup(name string) slog.Handler {
	out := *l
	out.group += name + "."
	return &out
}
