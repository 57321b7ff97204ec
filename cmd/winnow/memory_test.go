package main

import (
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/graph"
	"github.com/winnow-crawler/winnow/internal/show"
)

func TestMachineMemory(t *testing.T) {
	const meminfo = "MemTotal:       16384 kB\nMemFree:        100 kB\n"
	tests := []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"no proc", nil, assumedMemory},
		{"nonsense", map[string]string{"proc/meminfo": "MemTotal: lots\n"}, assumedMemory},
		{"plain machine", map[string]string{"proc/meminfo": meminfo}, 16 << 20},
		{"groups without limit", map[string]string{
			"proc/meminfo":             meminfo,
			"proc/self/cgroup":         "0::/a/b\n",
			"sys/fs/cgroup/memory.max": "max\n",
		}, 16 << 20},
		{"limit on this group", map[string]string{
			"proc/meminfo":                 meminfo,
			"proc/self/cgroup":             "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "4194304\n",
			"sys/fs/cgroup/a/memory.max":   "8388608\n",
		}, 4 << 20},
		{"lower limit above it", map[string]string{
			"proc/meminfo":                 meminfo,
			"proc/self/cgroup":             "0::/a/b\n",
			"sys/fs/cgroup/a/b/memory.max": "8388608\n",
			"sys/fs/cgroup/memory.max":     "2097152\n",
		}, 2 << 20},
		{"version 1", map[string]string{
			"proc/meminfo":     meminfo,
			"proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/x\n0::/\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": "1048576\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":   "9223372036854771712\n",
		}, 1 << 20},
		{"limit above the machine", map[string]string{
			"proc/meminfo":             meminfo,
			"proc/self/cgroup":         "0::/\n",
			"sys/fs/cgroup/memory.max": "1099511627776\n",
		}, 16 << 20},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			root := fstest.MapFS{}
			for name, text := range test.files {
				root[name] = &fstest.MapFile{Data: []byte(text)}
			}
			if got := machineMemory(root); got != test.want {
				t.Errorf("%d, want %d", got, test.want)
			}
		})
	}
}

// TestMachineMemoryHere: the machine that runs this test has some memory.
func TestMachineMemoryHere(t *testing.T) {
	if got := machineMemory(os.DirFS("/")); got < 16<<20 {
		t.Errorf("%d bytes", got)
	}
}

func TestMaxMemoryFlag(t *testing.T) {
	flags := pflag.NewFlagSet("import", pflag.ContinueOnError)
	var size show.Size
	addMaxMemory(flags, &size)
	if want := show.Size(machineMemory(os.DirFS("/")) / 4); size != want {
		t.Errorf("default %d, want %d", size, want)
	}
	if usage := flags.FlagUsages(); !strings.Contains(usage, "--max-memory size ") || !strings.Contains(usage, "(default a quarter of the machine's)") {
		t.Errorf("help %q", usage)
	}
	if err := flags.Parse([]string{"--max-memory", "64M"}); err != nil || size != 64<<20 || size.String() != "64MiB" {
		t.Errorf("64M: %d, %s, %v", size, size.String(), err)
	}
	err := flags.Parse([]string{"--max-memory", "64Q"})
	if err == nil || !strings.Contains(err.Error(), `"--max-memory" flag: "64Q"`) || size != 64<<20 {
		t.Errorf("64Q: %d, %v", size, err)
	}
}

// TestMemoryLimit: the heap gets half while links are read, its part by pages while
// lists are written, and nearly all afterwards; in the end the limit is what it was.
func TestMemoryLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	const most, pages = 1 << 30, 1 << 20
	m := limitMemory(most)
	tell := m.watch(func(string, int64, int64) error { return nil })
	steps := []struct {
		stage string
		want  int64
	}{
		{graph.StageRead, most / 2},
		{graph.StageForward, heapBase + heapPerPage*pages},
		{graph.StageRead, heapBase + heapPerPage*pages}, // a WebGraph file is read while lists are written
		{graph.StageBackward, heapBase + heapPerPage*pages},
		{graph.StageURLs, most - notHeap - heapPerPage*pages},
	}
	for _, s := range steps {
		if err := tell(s.stage, 0, pages); err != nil {
			t.Fatal(err)
		}
		if got := debug.SetMemoryLimit(-1); got != s.want {
			t.Errorf("%s: %d, want %d", s.stage, got, s.want)
		}
	}
	m.restore()
	if got := debug.SetMemoryLimit(-1); got != before {
		t.Errorf("%d afterwards, %d before", got, before)
	}
	m = limitMemory(1 << 20)
	defer m.restore()
	if got := debug.SetMemoryLimit(-1); got != heapBase {
		t.Errorf("%d with little memory, want %d", got, heapBase)
	}
}
