// Package move brings crawls from the nodes of a cluster to one machine ([Gather]), and from one
// machine to the nodes of a cluster ([Adopt]).
//
// # To one machine
//
// Journals come from the logs of the cluster, archives from the nodes that have fetched them. The
// journal tells which bytes count, and which node has them: a file of the archive has a number, each
// commit says how far which file goes, and the session before it says on which node. So what a node
// has left that was fenced does not count, though it may have the same number.
//
// While nodes crawl, the journals of partitions are read one after the other. A partition may then have
// applied a message that another one had not sent when that was read. Such groups are removed
// again, with all after them, until the journals agree: see consistent. A copy is for reading, and
// its partitions.json says so. It can be brought up to date.
//
// A crawl that has stopped can be moved: the register of the cluster says so for good, no node takes
// part in it again, and when none lives the journals are whole. The directory is like that of every crawl
// with partitions then, and may continue.
//
// # To a cluster
//
// The directory is locked. The logs get the journals; then partitions.json says that a cluster has the
// crawl; then the register gets the plan, and nodes begin. Each step may be repeated. The
// files of the archive stay in the directory. Gathering the crawl into the same directory adds what the
// nodes have fetched.
package move
