//go:build !linux

package browser

import (
	"os"
	"os/exec"
)

func separate(*exec.Cmd) {}

// killAll ends a process. Those that it started end when their pipes do.
func killAll(p *os.Process) { _ = p.Kill() }

// memory is not known here: the limit of scripts holds, which chromium enforces.
func memory(int) int64 { return 0 }
