package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"github.com/winnow-crawler/winnow/crawl/remote/s3test"
	"github.com/winnow-crawler/winnow/internal/console"
)

// TestMain makes this test binary answer to the names of commands, so that scripts
// run the real main in a process of its own.
func TestMain(m *testing.M) {
	// Most of these tests wait: for delays, for processes to be killed, for disks. More of them at a
	// time than there are processors are done earlier.
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){
		"winnow":         main,
		"winnow-waits":   mainThatWaits,
		"winnow-copies":  func() { mainOfSmallFiles(0) },
		"winnow-follows": func() { mainOfSmallFiles(1) },
		"winnow-peak":    mainThatTellsItsPeak,
	})
}

// TestScripts runs testdata/*.txtar: what a user types, and what winnow answers and
// ends with. `go test ./cmd/winnow -run Scripts/NAME` runs one; add -v to read it.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Values["store"] = new(*s3test.Server)
			env.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector waits a second at each exit
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "holds": holds, "serve": serveFiles, "store": store, "gzip": compress, "cut": cut, "flip": flip,
		},
	})
}

// exits is the script command `exits CODE COMMAND ARG...`: it runs the command and
// fails unless it ends with that exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// serveFiles is the script command `serve DIR`: a web server for the files of DIR, at $SITE, until
// the script ends. $TWIN is the same server by another name, so another site. Below /moved-to/URL it redirects to that URL.
func serveFiles(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: serve DIR")
	}
	files := http.FileServerFS(os.DirFS(ts.MkAbs(args[0])))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to, moved := strings.CutPrefix(r.URL.Path, "/moved-to/"); moved {
			http.Redirect(w, r, to, http.StatusMovedPermanently)
			return
		}
		files.ServeHTTP(w, r)
	}))
	ts.Defer(server.Close)
	ts.Setenv("SITE", server.URL)
	ts.Setenv("TWIN", strings.Replace(server.URL, "127.0.0.1", "localhost", 1))
}

// store is the script command `store`: an S3 server in the environment of the script, until it ends.
// `store down` lets connections to it break, `store up` ends that.
func store(ts *testscript.TestScript, neg bool, args []string) {
	server := ts.Value("store").(**s3test.Server)
	switch {
	case neg || len(args) > 1 || len(args) == 1 && *server == nil:
		ts.Fatalf("usage: store [down|up]")
	case len(args) == 1 && args[0] == "down":
		(*server).Down()
	case len(args) == 1:
		(*server).Do(nil)
	default:
		s, err := s3test.Start()
		ts.Check(err)
		*server = s
		ts.Defer(s.Close)
		for name, value := range s.Env() {
			ts.Setenv(name, value)
		}
	}
}

// holds is the script command `holds DIR NAME...`: the directory holds these files
// and no others, hidden ones included. It is how scripts see that nothing
// half-written was left behind.
func holds(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: holds DIR NAME...")
	}
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	want := slices.Sorted(slices.Values(args[1:]))
	if !slices.Equal(got, want) {
		ts.Fatalf("%s holds %q, want %q", args[0], got, want)
	}
}

// compress is the script command `gzip FILE`: it makes FILE.gz beside it.
func compress(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: gzip FILE")
	}
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	ts.Check(w.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".gz"), b.Bytes(), 0o666))
}

// cut is the script command `cut FILE N`: it removes the last N bytes.
func cut(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cut FILE N")
	}
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	name := ts.MkAbs(args[0])
	info, err := os.Stat(name)
	ts.Check(err)
	ts.Check(os.Truncate(name, info.Size()-n))
}

// flip is the script command `flip FILE BYTE BIT`: it changes one bit; a negative
// byte counts from the end.
func flip(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: flip FILE BYTE BIT")
	}
	at, err := strconv.Atoi(args[1])
	ts.Check(err)
	bit, err := strconv.ParseUint(args[2], 10, 3)
	ts.Check(err)
	b := []byte(ts.ReadFile(args[0]))
	if at < 0 {
		at += len(b)
	}
	b[at] ^= 1 << bit
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o666))
}

// mainThatWaits is winnow with one more verb, which works until it is interrupted.
func mainThatWaits() {
	u := console.New(os.Stdin, os.Stdout, os.Stderr)
	root := newRootCommand(u)
	root.AddCommand(newWaitCommand(u))
	os.Exit(execute(interruptible(u), u, root, os.Args[1:]))
}

func newWaitCommand(u *console.UI) *cobra.Command {
	var stubborn bool
	cmd := &cobra.Command{
		Use: "wait",
		RunE: func(cmd *cobra.Command, _ []string) error {
			u.Printf("ready\n")
			<-cmd.Context().Done()
			u.Printf("cleaning up\n")
			if stubborn {
				_, err := u.Stdin.Read(make([]byte, 1)) // never answered
				return err
			}
			return cmd.Context().Err()
		},
	}
	cmd.Flags().BoolVar(&stubborn, "stubborn", false, "clean up without an end")
	return cmd
}
