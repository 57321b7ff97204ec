// Package lab is the laboratory: it crawls a world under several policies, measures
// how fast each gathers what is important, and repeats the experiments of the papers.
//
// A World is a graph made ready for crawls. A Setting adds what the policies of a
// comparison share: the seeds, the truth they are measured by, delays, fetchers,
// batches, the random seed. Prepare finds what can be reached and the oracle, and
// Crawl runs one policy over it. A Judge measures the order that comes out (Measures),
// and a Report shows several side by side with the ideal, the Horn order and random.
//
// The laboratory is the only owner of an oracle: it hands the truth to policies that
// were declared omniscient, and to no other.
//
// Experiments names each experiment of the papers; its report has their numbers beside
// ours and says in one sentence whether the finding holds on this graph.
package lab
