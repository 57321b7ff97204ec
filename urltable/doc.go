// Package urltable numbers the URLs of a growing crawl.
//
// A [Table] answers the seen-test: it maps the hash of a URL to a page id, and the name
// of a site to a site id. It lies in memory and takes about 14 bytes a page. Decision
// 0008 explains its layout.
//
// A [Key] computes the hashes, under the secret of the crawl.
//
// A [Log] maps a page id back to the URL. It is a file.
package urltable
