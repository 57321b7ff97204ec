// Package content remembers what fetched pages turned out to be: which page had a text first,
// and whether names that do not tell are names of pages. It is passive, a fold of the journal.
package content
