package main

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// TestTortureStore kills a crawl that sends its WARC files to a store, and the store, an S3 server
// that shares no code with the client: versitygw. In the end all files are there, each once, and
// verify reads every answer from there. `make store` runs it.
func TestTortureStore(t *testing.T) {
	program := os.Getenv("VERSITYGW")
	if program == "" {
		t.Skip("make store sets VERSITYGW to the path of an S3 server")
	}
	kills := 12
	if n, err := strconv.Atoi(os.Getenv("WINNOW_TORTURE")); err == nil {
		kills = n
	}
	s := newGateway(t, program)
	v := newVictim(t, 150*kills)
	v.args = append(v.args, "--archive", "s3://archive/a/b")
	rng := rand.New(rand.NewPCG(20, 3))
	for i := range kills {
		if i%2 == 1 { // the server dies, and comes back or does not
			down := time.AfterFunc(time.Duration(rng.Int64N(int64(time.Second))), s.kill)
			defer down.Stop()
		}
		if !v.runAndKill(t, lifetime(rng)+lifetime(rng)) {
			break
		}
		if i%4 != 1 {
			s.start(t)
		}
		v.checkKilled(t)
	}
	s.start(t)
	v.finish(t)
	v.checkKilled(t)
	var found struct {
		OK     bool  `json:"ok"`
		Absent int64 `json:"archive_files_absent"`
		Remote int64 `json:"archive_files_remote"`
		Stored int64 `json:"archive_records"`
	}
	if err := json.Unmarshal(runWinnow(t, "verify", v.dir, "--remote", "--json"), &found); err != nil {
		t.Fatal(err)
	}
	local := s.files(t, filepath.Join(v.dir, "warc"))
	there := s.files(t, filepath.Join(s.root, "archive", "a", "b"))
	t.Logf("%d kills; %d files sent, %d records read from there", len(v.kills), found.Remote, found.Stored)
	if !found.OK || found.Absent > 0 || found.Remote < 3 || local > 0 || int64(there) != found.Remote {
		t.Errorf("%+v; %d WARC files are here, %d there", found, local, there)
	}
	if len(v.kills) < kills/2 {
		t.Errorf("only %d kills: that is no test", len(v.kills))
	}
}

// A gateway is an S3 server over a directory, in a process of its own.
type gateway struct {
	program, root, port string
	cmd                 *exec.Cmd
	done                chan struct{} // of the process; nil: none was started
}

func newGateway(t *testing.T, program string) *gateway {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{program: program, root: t.TempDir(), port: l.Addr().String()}
	l.Close()
	if err := os.Mkdir(filepath.Join(g.root, "archive"), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "torture", "AWS_SECRET_ACCESS_KEY": "torture-secret", "AWS_ENDPOINT_URL_S3": "http://" + g.port,
		"AWS_REGION": "us-east-1", "AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
	} {
		t.Setenv(name, value)
	}
	g.start(t)
	t.Cleanup(g.kill)
	return g
}

// start starts the server, unless it runs, and waits until it answers.
func (g *gateway) start(t *testing.T) {
	t.Helper()
	if g.done != nil {
		select {
		case <-g.done:
		default:
			return
		}
	}
	g.cmd = exec.CommandContext(context.Background(), g.program, "--access", "torture", "--secret", "torture-secret", "--port", g.port, "--quiet", "posix", g.root)
	if err := g.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	g.done = done
	go func(cmd *exec.Cmd) { _ = cmd.Wait(); close(done) }(g.cmd)
	for range 200 {
		if c, err := net.Dial("tcp", g.port); err == nil {
			c.Close()
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the S3 server does not start")
}

// kill kills the server by SIGKILL.
func (g *gateway) kill() {
	_ = g.cmd.Process.Kill()
	<-g.done
}

// files counts the WARC files of a directory.
func (g *gateway) files(t *testing.T, dir string) int {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "*.warc.gz*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
