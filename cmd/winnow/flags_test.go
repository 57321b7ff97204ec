package main

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/internal/machine"
)

func TestMaxMemoryFlag(t *testing.T) {
	flags := pflag.NewFlagSet("import", pflag.ContinueOnError)
	var size byteSize
	addMaxMemory(flags, &size)
	if want := byteSize(machine.Memory() / 4); size != want {
		t.Errorf("default %d, want %d", size, want)
	}
	if usage := flags.FlagUsages(); !strings.Contains(usage, "--max-memory size ") || !strings.Contains(usage, "(default a quarter of the machine's)") {
		t.Errorf("help %q", usage)
	}
	if err := flags.Parse([]string{"--max-memory", "64M"}); err != nil || size != 64<<20 || size.String() != "64MiB" {
		t.Errorf("64M: %d, %s, %v", size, size.String(), err)
	}
	err := flags.Parse([]string{"--max-memory", "64Q"})
	if err == nil || !strings.Contains(err.Error(), `"--max-memory" flag: size "64Q": unknown unit "Q"`) || size != 64<<20 {
		t.Errorf("64Q: %d, %v", size, err)
	}
}
