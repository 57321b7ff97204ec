// Package graph is the link server: it stores pages, sites and the links between pages in
// both directions, in one compressed file.
//
// # The words
//
// A [Page] and a [Site] are dense numbers from 0. All data per page, per site or per link
// is in a [Column]: a flat array outside the Go heap that grows without moving. (Decision
// 0001 has the reasons.)
//
// # The way in
//
// [Import] reads edge lists or a WebGraph file, [Write] takes any other [Source], such as
// the synthetic web. Both go the same way: links are sorted by source (Import only; package
// extsort, on disk where memory is short) and encoded by package bv on several goroutines;
// on the way they go through a second sorter, which gives the in-links. Then come URLs,
// sites and the tables that find them. All this happens under a temporary, locked name. The
// file gets its final name when it is complete and synced. A failure before that leaves
// nothing behind. The bytes depend on the source alone, not on memory or threads.
//
// With [WriteOptions.Compact] the lists are fitted ones of package bv, which are smaller and
// take longer to read. Nobody but [Links] knows which of the two a file has.
//
// # The way out
//
// [Open] maps a file and verifies it. [Graph.Forward] and [Graph.Backward] are its [Links]:
// to be read in order ([Sequential]) or a page at a time ([Random]), two interfaces because
// the first is much cheaper. They are read where they lie in the mapping, so nothing that a
// Graph returned may be used after Close. [Links.Raw] unpacks one direction into [Lists],
// four bytes a link, over which the rank solvers sweep. [Graph.ExportEdges] and
// [Graph.ExportBV] write what other programs read.
//
// # What is trusted
//
// Nothing. Checksums find accidents when a file is opened; every count, place and id that
// code follows without looking is checked then, too; and the decoder checks each list.
// Readers return no errors: if a list is invalid although the checksums agree, they panic
// with a [*CorruptError].
//
// # Limits
//
// Ids have 32 bits, counts of links 64: a graph may have more than 4 G links. The index of
// the lists ends earlier than the ids do, see [bv.MaxLists]. The machine must be
// little-endian, have 64 bits and run some Unix.
package graph
