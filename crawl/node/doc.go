// Package node runs the partitions of a crawl that this machine owns, as one of several nodes.
//
// Package cluster decides which they are, and keeps a copy of each journal in a log that all nodes
// share. Package crawl/partition has what partitions share within a process. This package connects
// the two: [Run] takes part in a crawl.
//
// # What nodes share
//
// The register of the crawl has these keys, besides those of package cluster:
//
//	plan       the [Plan] with which the crawl began: what it is
//	plan.NAME  another one, see [Replace]
//	control    whether the crawl has ended and why, whether it is paused, and which plan counts
//	done.P     how partition P has ended with the crawl: its last status
//
// The bus carries, on these subjects:
//
//	p.NODE   packets of partitions to partitions on a node, see packet.go
//	x.P      packets to partition P, if it is not known where that is
//	r        reports of all partitions, to the owner of partition 0: the coordinator
//	w        what the coordinator has decided so far
//	c        the control value in the register has changed
//	s.NODE   the status of a node, each second
//	h.P      demands for the right to an address that belongs to partition P, see addresses.go
//	d.NODE   questions whether journals on its disk are as the logs have them, see compare.go
//	a.NODE   grants of such rights, and questions about them
//
// # The end
//
// The coordinator is the node that owns partition 0. It finds the end of the crawl as
// partition.Coordinator describes it, from reports that are not older than some seconds, of the present
// owners of all partitions. Its decision counts when it is in the register: it survives the
// coordinator, and nodes that join later obey it. A node that leaves, or whose disk or memory is
// full, stops nobody else. A coordinator that takes over continues with the highest numbers that
// it hears.
package node
