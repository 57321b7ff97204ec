package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/winnow-crawler/winnow/cmd/winnow/graphs"
	"github.com/winnow-crawler/winnow/internal/machine"
	"github.com/winnow-crawler/winnow/internal/show"
)

func TestMaxMemoryFlag(t *testing.T) {
	flags := pflag.NewFlagSet("import", pflag.ContinueOnError)
	var size show.Size
	graphs.AddMaxMemory(flags, &size)
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

// TestCounts: every flag for a number of things takes 10k, except the parameters of a codec.
func TestCounts(t *testing.T) {
	eachVerb(t, func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() == "int" && cmd.Name() != "export" {
				t.Errorf("%s --%s takes digits only", cmd.CommandPath(), f.Name)
			}
		})
	})
	n := show.Whole(3)
	for text, want := range map[string]show.Whole{"0": 0, "7": 7, "50k": 50_000, "-2": -2} {
		if err := n.Set(text); err != nil || n != want {
			t.Errorf("%s: %d, %v", text, n, err)
		}
	}
	for _, bad := range []string{"", "x", "--1", "1.5", "10kB"} {
		if n.Set(bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
