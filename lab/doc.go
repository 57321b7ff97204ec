// Package lab compares policies: it crawls a world virtually under each of them and
// shows how fast each gathers important pages.
//
// A World is a graph made ready for crawls. A Setting adds what the policies of a
// comparison share: the seeds, the truth they are measured by, delays, fetchers,
// batches, the random seed. Prepare finds what can be reached and the oracle, Crawl runs
// one policy, and Versus runs several beside the baselines random, horn and omniscient.
// Report shows them side by side; StartSets repeats a comparison from other seeds.
//
// The laboratory is the only owner of an oracle: it hands the truth to policies that
// were declared omniscient, and to no other.
package lab
