package graph

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

// TestMemory imports apache-sites in a process of its own with 64 MiB allowed, and
// asks the system how much that took at most.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("five million links")
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("this system has no /proc to ask")
	}
	rg := realGraphs()[1]
	cmd := exec.Command(os.Args[0], "-test.run=^TestMemoryChild$", "-test.v")
	cmd.Env = append(os.Environ(), "WINNOW_TEST_EDGES="+realFile(t, rg.edges), "WINNOW_TEST_URLS="+realFile(t, rg.urls),
		"WINNOW_TEST_OUT="+filepath.Join(t.TempDir(), "g.wg"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	at := strings.Index(string(out), "VmHWM:")
	if at < 0 {
		t.Fatalf("no peak in\n%s", out)
	}
	var kib int
	if _, err := fmt.Sscanf(string(out[at:]), "VmHWM: %d kB", &kib); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d KiB at most", kib)
	if kib > 64<<10 {
		t.Errorf("%d KiB are more than 64 MiB", kib)
	}
}

// TestMemoryChild is the process that TestMemory starts.
func TestMemoryChild(t *testing.T) {
	out := os.Getenv("WINNOW_TEST_OUT")
	if out == "" {
		return
	}
	debug.SetMemoryLimit(24 << 20) // of the heap, as the command does
	report, err := Import(context.Background(), ImportOptions{
		Edges: os.Getenv("WINNOW_TEST_EDGES"), URLs: os.Getenv("WINNOW_TEST_URLS"),
		WriteOptions: WriteOptions{Path: out, MaxMemory: 64 << 20},
	})
	if err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("%+v\n%s", report, status)
}
