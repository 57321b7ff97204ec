// Package recut cuts crawls into other partitions. [Open] reads a crawl with several partitions as
// if it had one, and [Split] makes a crawl with several partitions of one that has one.
//
// Both translate journals record by record: pages and sites get the numbers that they have on the
// other side, which finds them by their URLs, and what partitions tell each other falls away or is
// added. What was decided stays decided. A journal that was translated is read like any other.
package recut
