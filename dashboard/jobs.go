package dashboard

import (
	"context"
	"sync"
	"time"

	"github.com/winnow-crawler/winnow/crawl/explain"
	"github.com/winnow-crawler/winnow/crawl/history"
)

// A job is work that takes longer than a request may: it runs in the background, and pages show
// its last result.
type job[T any] struct {
	mu     sync.Mutex
	made   outcome[T]
	wanted bool // it runs
	start  time.Time
	note   string // how far it is
}

// An outcome is the result of a job.
type outcome[T any] struct {
	Result  T
	Err     error
	At      time.Time // when it began; zero: there is none yet
	Took    time.Duration
	Running bool
	Since   time.Duration // it runs for
	Note    string
}

// jobs are the jobs of a crawl.
type jobs struct {
	s        *Server
	c        *crawled
	running  sync.WaitGroup
	verify   job[*history.Findings]
	handouts job[[]explain.Handout]
}

func (j *jobs) init(s *Server, c *crawled) { j.s, j.c = s, c }

// ask returns the last result of a job, and starts it again if that is older than an age and than
// twenty times its duration.
func ask[T any](j *jobs, x *job[T], age time.Duration, do func(ctx context.Context, note func(string)) (T, error)) outcome[T] {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.wanted && (x.made.At.IsZero() || time.Since(x.made.At) > max(age, 20*x.made.Took)) {
		x.wanted, x.start, x.note = true, time.Now(), ""
		j.running.Go(func() {
			result, err := do(j.s.ctx, func(note string) {
				x.mu.Lock()
				x.note = note
				x.mu.Unlock()
			})
			x.mu.Lock()
			defer x.mu.Unlock()
			x.made = outcome[T]{Result: result, Err: err, At: x.start, Took: time.Since(x.start)}
			x.wanted = false
		})
	}
	return x.look()
}

// look returns the last result of a job. The caller has the lock.
func (x *job[T]) look() outcome[T] {
	out := x.made
	if out.Running = x.wanted; x.wanted {
		out.Since, out.Note = time.Since(x.start), x.note
	}
	return out
}

// last returns the last result of a job, and starts nothing.
func (x *job[T]) last() outcome[T] {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.look()
}
