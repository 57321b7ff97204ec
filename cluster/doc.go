// Package cluster runs the partitions of a crawl on several machines.
//
// A [Node] is one process. Nodes meet in an [Engine]: a log for each partition, a register, and a
// bus. Package cluster/nats has an engine on NATS JetStream, package cluster/memory one in memory
// with faults for tests. Package cluster/roster decides who is alive and who owns what.
//
// # Three rules
//
// The log is the fence: an entry is appended on condition that the log ends where the owner
// believes that it ends. Whoever takes a partition appends an entry, and from then on every append
// of the owner before is refused.
//
// The log is never the only copy: the owner has each group on its disk, too, and gives back what a
// log has lost.
//
// No lease comes back (package roster): a node that has not renewed its lease in time makes no
// request, drops its partitions and begins again, as another incarnation. Its partitions are free
// when it was buried, or has begun again.
//
// # The life of a partition on a node
//
// The node sets the key of the partition to itself with a new epoch, on condition of the revision
// that it has seen. It compares the copy on its disk with the log, reads what the copy lacks,
// removes what the log does not have, or gives the log what it has lost. Then it calls
// [Partition.Run], whose first group begins a session. When this group is accepted, the owner
// before is fenced, and requests may be made. Run ends when the node is to hand the partition over
// (its context ends: it finishes what is under way) or when everything is void ([Tenure.Lost]: it
// stops at once and writes nothing).
//
// # What a crawl has to offer
//
// A partition is an interface with four methods, so that tests can have a simple one. For package
// crawl they mean:
//
//   - Groups of the journal as bytes: [Partition.Groups] reads them from the disk, [Partition.Add]
//     appends groups of others as they are, [Partition.Cut] removes the last ones, and with them what
//     the archive and the snapshots have beyond.
//   - The session record has the name of the node and the epoch of its [Tenure], and is in the first
//     group of a run. [Group.Epoch] tells it.
//   - Each commit goes through [Tenure.Commit], one at a time. Sites are settled, and messages leave,
//     when it has returned nil. After an error nothing is written.
//   - Each request of any kind calls [Tenure.Gate] when everything else is done and before the first
//     byte is written, and is not made if that returns an error. The context of all requests ends
//     with [Tenure.Lost].
package cluster
