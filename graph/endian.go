//go:build amd64 || arm64 || riscv64 || loong64 || ppc64le || mips64le

package graph

// littleEndian exists on machines whose byte order is that of our files and whose int has
// 64 bits, as offsets need; format.go refers to it, so that the package does not build on
// others.
const littleEndian = true
