// Package number gives small numbers to what sites share: their addresses, and the rules of their
// robots.txt. A number that no site uses any more is used again. It is passive.
package number
