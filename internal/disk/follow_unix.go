//go:build unix

package disk

import "syscall"

// noFollow refuses a file that is a symbolic link: a directory from elsewhere must
// not redirect writes. The directory itself may be one.
const noFollow = syscall.O_NOFOLLOW
