// Package config holds the settings of a crawl: the keys, their defaults and checks, the
// file in which they are kept, the presets, and what differs for single sites.
//
// Each key is declared once, as a field of [Config] with tags. Flags, the commented file
// that winnow config prints, and the reference are made from them.
package config
