// Package member makes a process part of a cluster: a node, which runs partitions of all its crawls,
// or somebody who asks and commands.
//
// # How machines meet
//
// The first machines of a cluster run brokers (package cluster/nats): one, three or five of them.
// All others connect with these. A broker listens at the address of its node for others, and one
// port above for other brokers. Instead there may be NATS servers that run anyway: see [ParsePlace].
//
// # What a cluster shares
//
// Its register has these keys. Each crawl has a register of its own besides: see package crawl/node.
//
//	crawl.NAME   a crawl: its number of partitions, and how often it was resumed
//
// A crawl counts when it is listed there: its streams, its register and its plan exist by then.
// Nodes watch the list, and take part in all crawls on it that have not ended. The bus has one
// subject, nodes, on which each node tells each second how it is.
//
// # The directory of a node
//
//	lock          held by the process
//	node.json     the word by which a restarted node is known again, and the number of brokers
//	broker/       the files of the broker
//	crawls/NAME   what the node has of a crawl: the directories of partitions
//
// When a crawl was removed and another one has its name, the directory of the first is renamed: its
// name is followed by the first digits of its identity.
package member
