//go:build unix

package disk

import "syscall"

// noFollow refuses a file that is a symbolic link: a directory that came from elsewhere
// must not decide what is written to. The directory itself may be one.
const noFollow = syscall.O_NOFOLLOW
