// Package partition runs a crawl that is divided into partitions, all in one process: one
// [crawl.Run] for each, over one pool of harvesters.
//
//	pool         permits for harvesters, which go where the best page waits
//	coordinator  when all stop, and who may fetch how many pages of a common limit
//	board        the status of all as one
//
// A partition is a crawl in a directory of its own: DIR/0000, DIR/0001 and so on. All share an
// identity, which is in DIR/partitions.json, and a configuration. docs/partitions.md describes
// partitions for users, decision 0026 gives the reasons.
package partition
