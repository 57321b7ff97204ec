package browser

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// separate gives a command a process group of its own, and lets it end with us.
func separate(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// killAll ends a process and its group.
func killAll(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// memory returns the bytes that a process and those below it have for themselves.
func memory(pid int) (n int64) {
	dir := fmt.Sprintf("/proc/%d/", pid)
	text, _ := os.ReadFile(dir + "status")
	for line := range bytes.Lines(text) {
		if rest, ok := bytes.CutPrefix(line, []byte("RssAnon:")); ok {
			kb, _ := strconv.ParseInt(string(bytes.TrimSuffix(bytes.TrimSpace(rest), []byte(" kB"))), 10, 64)
			n += kb << 10
		}
	}
	children, _ := os.ReadFile(fmt.Sprintf("%stask/%d/children", dir, pid))
	for _, c := range bytes.Fields(children) {
		if id, err := strconv.Atoi(string(c)); err == nil {
			n += memory(id)
		}
	}
	return n
}
