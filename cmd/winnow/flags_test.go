package main

import (
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/internal/machine"
	"github.com/winnow-crawler/winnow/internal/show"
)

func TestMaxMemoryFlag(t *testing.T) {
	flags := pflag.NewFlagSet("import", pflag.ContinueOnError)
	var size show.Size
	addMaxMemory(flags, &size)
	if want := show.Size(machine.Memory() / 4); size != want {
		t.Errorf("default %d, want %d", size, want)
	}
	if usage := flags.FlagUsages(); !strings.Contains(usage, "--max-memory size ") || !strings.Contains(usage, "(default a quarter") {
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
