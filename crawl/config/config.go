// Package config holds the settings of a crawl: the keys, their defaults and checks, the
// file in which they are kept, the presets, and what differs for single sites.
//
// Each key is declared once, as a field of [Config] with tags. Flags, the commented file
// that winnow config prints, and the reference are made from them.
package config

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/winnow-crawler/winnow/freshness"
	"github.com/winnow-crawler/winnow/frontier"
	"github.com/winnow-crawler/winnow/policy"
	"github.com/winnow-crawler/winnow/score"
	"github.com/winnow-crawler/winnow/topic"
)

// Config holds everything that a user can set for a crawl. It is read from a TOML file
// and from flags, which have the same names with hyphens for underscores, and it is
// kept as winnow.toml in the directory of the crawl. The order of the fields is the
// order of the file; the tags are all there is to know about a key, so that flags, the
// file of `winnow config` and the reference are made from them.
//
// A Config is a value: copies share no memory that anybody changes in place (Clone).
type Config struct {
	Seeds    []string `toml:"seeds" section:"Seeds and limits" help:"URLs to start from; ignored when the crawl is resumed"`
	Pages    int64    `toml:"pages" help:"pause after this many pages, not counting redirects; 0: no limit"`
	Duration Duration `toml:"duration" help:"pause after this much time, over all runs; 0: no limit"`
	Bytes    Size     `toml:"bytes" help:"pause after this many received bytes; 0: no limit"`
	StopWhen string   `toml:"stop_when" help:"pause when this holds, such as importance >= 0.9 or gain < 0.01: docs/advise.md; off: never"`

	Policy     string  `toml:"policy" section:"The order of the pages" help:"policy that orders the pages, as winnow sim --help lists them; without one foresight, or opic if max_memory is below 512M"`
	SitePolicy string  `toml:"site_policy" help:"policy that orders the sites, if it differs from policy"`
	Batch      int     `toml:"batch" help:"K: pages of a batch; policies that compute PageRank recompute it every K pages"`
	BatchMode  string  `toml:"batch_mode" help:"continuous: the best page is always next; thesis: choose the best K pages and fetch those before others are chosen; ahead: choose the next K when none of the present ones can be requested"`
	MinActive  int     `toml:"min_active" help:"batch_mode thesis: choose the next batch early when fewer fetchers are active; the rest of the batch competes again"`
	SiteShare  float64 `toml:"site_share" help:"largest share of a batch that one site may have, such as 0.1; 0: all of it"`
	// WaitForBetter is a duration or auto: see WaitsForBetter.
	WaitForBetter string `toml:"wait_for_better" help:"with pages: leave sites idle whose pages are not among the best of all that wait, for this long at most. The pages are better, and the crawl takes longer; 0: request every site when it may be requested; auto: 1m if the crawl is about a topic, otherwise 0"`
	RandomSeed    uint64 `toml:"random_seed" help:"seed of all random numbers"`
	History       string `toml:"history" kind:"file" help:"earlier crawl whose values policies such as historical-pagerank use: a directory, or a file with lines \"URL TAB value\"; read when the crawl begins"`

	// Score is the expression in force when a session begins, also if it is from ScoreFile.
	Score         string `toml:"score" help:"what pages are worth: an expression over named terms, such as 0.7*pagerank + 0.3*(site_links > 10), described in docs/score.md. It selects the policy score unless another one is named; then it weighs revisits"`
	ScoreFile     string `toml:"score_file" kind:"file" help:"file with the expression of score; a crawl reads it again when it changes, or on SIGHUP"`
	ImportValues  string `toml:"import_values" kind:"file" help:"file with lines \"URL, prefix, site or host TAB value\" for the term imported; read again like score_file"`
	LocationRules string `toml:"location_rules" kind:"file" help:"file with rules such as \"+1 suffix .edu\" for the term location; read again like score_file"`

	Query     string   `toml:"query" section:"What the crawl is about" help:"words that the pages sought have, described in docs/focus.md; on each line another query. It selects the policy for topics unless another one is named"`
	QueryFile string   `toml:"query_file" kind:"file" help:"file with queries, one a line; read when the crawl begins"`
	Examples  []string `toml:"examples" help:"page like those that are sought: a URL, which is fetched before all others, or a file with HTML or text"`
	Like      string   `toml:"like" kind:"file" help:"directory of an earlier crawl whose pages are like those that are sought"`
	// Topic is what the keys above came to, as topic.Topic.Text has it: later sessions need no file.
	Topic       string  `toml:"topic" help:"the words of the topic, with their weights, as the crawl made them of query, query_file, examples and like"`
	Similarity  string  `toml:"similarity" help:"how similar a page is to the topic: bm25, cosine or inner, which is the inner product"`
	IDF         string  `toml:"idf" help:"how words are weighed by how rare they are. log: logarithm of pages by pages with the word; inverse: 1 by its occurrences in all pages; none"`
	IDFFile     string  `toml:"idf_file" kind:"file" help:"file with lines \"word TAB weight\" that weighs these words instead of the pages of the crawl"`
	TitleWeight float64 `toml:"title_weight" help:"a word in the title of a page counts as so many in its text"`
	Stem        string  `toml:"stem" help:"language whose words are reduced to their stems, such as english or german; none leaves them as they are"`
	Hot         string  `toml:"hot" help:"least similarity of a page that is about the topic; auto: 0.7 by bm25, 0.06 by cosine, paper by inner; paper: a word of the topic in its title, or 10 in its text"`

	Contact   string `toml:"contact" section:"Who is crawling" help:"mail address or URL of the person responsible; sent with every request"`
	UserAgent string `toml:"user_agent" help:"User-Agent header; by default winnow/VERSION (+CONTACT). Its first word selects the rules of robots.txt"`
	// Header has lines "Name: value".
	Header []string `toml:"header" help:"additional request header, as \"Name: value\""`
	// HeaderScope is for secrets: see SiteHeaders.
	HeaderScope string `toml:"header_scope" help:"which sites receive these headers: any: all sites; seeds: only the sites of the seeds; auto: all sites, except that secrets (Authorization, Cookie, X-Api-Key and the like) go only to the sites of the seeds"`

	Delay       Duration `toml:"delay" section:"Politeness: the time between two requests to a site" help:"time from the end of a response to the next request to the same site"`
	SmallDelay  Duration `toml:"small_delay" help:"delay of sites with fewer than small_site known pages"`
	SmallSite   int      `toml:"small_site" help:"sites with at least this many known pages are not small; 0: no site is small"`
	DelayFactor float64  `toml:"delay_factor" help:"the delay is at least this many times the time that the last page took; 0: no such rule"`
	DelayMax    Duration `toml:"delay_max" help:"upper limit of the delay from delay_factor; longer delays from other rules still apply"`
	IPDelay     Duration `toml:"ip_delay" help:"time from the end of a response to the next request to the same IP address"`
	IPCap       int      `toml:"ip_cap" help:"maximum number of connections to one IP address at a time, idle ones included; 0: no limit"`
	Robots      bool     `toml:"robots" help:"obey robots.txt; turn this off only for your own servers"`
	RobotsRetry Duration `toml:"robots_retry" help:"time until an unreachable robots.txt is requested again; it doubles with each attempt, up to a day. Until then the known rules of the site apply; a site without known rules is not crawled"`

	Fetchers      int      `toml:"fetchers" section:"Fetching" help:"r: maximum number of sites crawled at the same time"`
	PerConnection int      `toml:"per_connection" help:"c: pages requested in a row without a delay, over one connection, for sites without a Crawl-delay"`
	KeepAlive     Duration `toml:"keep_alive" help:"keep the connection to a site open for this long if the site will be requested again by then; 0: close it"`
	KeepMost      int      `toml:"keep_most" help:"maximum number of connections that are kept open without a request; fewer if open files or memory do not allow as many"`
	Timeout       Duration `toml:"timeout" help:"time limit of a request"`
	Connect       Duration `toml:"timeout_connect" help:"time limit of a connection attempt, including TLS"`
	FirstByte     Duration `toml:"timeout_first_byte" help:"time limit from the request to the first byte of the response"`
	Stall         Duration `toml:"timeout_stall" help:"time limit between two reads of a response"`
	Retries       int      `toml:"retries" help:"how often a page is requested again after a temporary failure; an attempt counts only if its site answered other requests in the meantime"`
	RetryDelay    Duration `toml:"retry_delay" help:"time until the first retry; it triples with each further retry"`
	Patience      Duration `toml:"patience" help:"end the run when only unreachable sites have been left for this long; the next run tries them again"`
	SlowAnswer    Duration `toml:"slow_answer" help:"a response is slow if it takes longer than this and longer than slow_factor times the 95th percentile of all responses; 0: no response is slow"`
	SlowFactor    float64  `toml:"slow_factor" help:"see slow_answer"`
	SlowTimes     int      `toml:"slow_times" help:"number of consecutive slow responses after which the requests to a site are slowed down"`
	SlowDelay     Duration `toml:"slow_delay" help:"delay of a slow site at first; it doubles with each further slow response"`
	SlowMax       Duration `toml:"slow_max" help:"upper limit of the delay of a slow site"`
	MaxBody       Size     `toml:"max_body" help:"maximum size of a page, before and after decompression"`
	Resolver      string   `toml:"resolver" help:"DNS server, as ADDRESS or ADDRESS:PORT; default: that of the system"`
	Proxy         string   `toml:"proxy" help:"URL of a proxy for all requests: http, https or socks5, perhaps with user and password; the proxy looks up the names of sites"`
	CAFile        string   `toml:"ca_file" kind:"file" help:"PEM file with certificate authorities to trust in addition to those of the system"`
	AllowPrivate  bool     `toml:"allow_private" help:"also crawl loopback and private addresses; link-local addresses and metadata services are never contacted"`

	Scope string `toml:"scope" section:"Which pages to fetch" help:"seeds: sites of the seeds, over http and https, with and without www.; domain: registered domains of the seeds; any: the whole Web; regexp:R: URLs that match R"`
	// List and SitemapOnly say which links count at all.
	List            bool     `toml:"list" help:"fetch exactly the seeds: no links, no redirects, no sitemaps"`
	SitemapOnly     bool     `toml:"sitemap_only" help:"fetch the pages that the sitemaps of the seeds' sites list, not the seeds themselves; do not follow links. A seed may be a sitemap"`
	Include         []string `toml:"include" help:"regular expression; if any are given, a URL must match at least one"`
	Exclude         []string `toml:"exclude" help:"regular expression; URLs that match it are skipped"`
	Rules           string   `toml:"rules" kind:"file" help:"file with lines \"allow|deny HOST[/PATH]\"; if several lines match, the longest host decides, then the longest path"`
	Deny            string   `toml:"deny" kind:"file" help:"file with hosts that are never contacted; it is read again when it changes"`
	MaxDepth        Depth    `toml:"max_depth" help:"maximum depth of a page: the number of links on the shortest known path from a seed; 0: seeds only; none or -1: no limit"`
	MaxDepthDynamic Depth    `toml:"max_depth_dynamic" help:"maximum depth of dynamic pages: those with a query, or with a name such as .php"`
	MaxLinks        int      `toml:"max_links" help:"maximum number of links of a page, counting each target once"`
	SitePages       int      `toml:"site_pages" help:"maximum number of pages of a site; 0: no limit"`
	DomainPages     int      `toml:"domain_pages" help:"maximum number of pages of a registered domain; 0: no limit"`
	Types           string   `toml:"types" help:"html: do not follow links whose name shows that they are not HTML; all: follow every link"`
	Duplicates      bool     `toml:"duplicates" help:"do not follow the links of a page whose words, numbers, links and images are those of another page"`
	Traps           bool     `toml:"traps" help:"skip traps: parts of a site that never end or bring nothing new; winnow status -v lists what was skipped"`
	Sitemaps        bool     `toml:"sitemaps" help:"read the sitemaps that robots.txt names"`
	Recrawl         Duration `toml:"recrawl" help:"visit fetched pages again, each after this time on the average; 0: never"`
	Revisit         string   `toml:"revisit" help:"which pages are visited again: default (contagion), uniform, importance, proportional, adaptive, wire-gain, periodic, marginal, contagion; each: every page after the time of recrawl"`
	Balance         string   `toml:"balance" help:"new pages against visits. auto: each request goes to what gains more; or shares of the requests, such as volume=60,quality=25,freshness=15: pages found first, pages that the policy prefers, and pages fetched before; '': visits first"`

	Notices string `toml:"notices" help:"receive notices of changed pages at this address, by IndexNow and WebSub; without a host, on loopback; needs recrawl"`

	Store         string   `toml:"store" section:"Storage" help:"both: pages in WARC files and links in the journal; links: no WARC files"`
	KeepPages     int64    `toml:"keep_pages" help:"keep only this many pages in the WARC files, those with most links to them, or with the highest score; 0: all"`
	Archive       string   `toml:"archive,omitempty" help:"send finished WARC files to this place, s3://BUCKET/PREFIX, and remove them here when they are there; endpoint, region and keys come from the environment: AWS_ENDPOINT_URL_S3, AWS_REGION, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY"`
	ArchiveKeep   bool     `toml:"archive_keep,omitempty" help:"also keep the WARC files that were sent to the place of archive"`
	Requisites    bool     `toml:"requisites" help:"also fetch and store what pages need to be shown: images, styles, scripts, fonts, media and frames, on any host"`
	Render        string   `toml:"render" help:"which pages are shown by a browser, chromium, to find the links that their scripts make: 'off', 'auto' (pages that have almost no text without their scripts) or 'always' (all pages with scripts)"`
	MaxRequisites int      `toml:"max_requisites" help:"maximum number of requisites of a page or a style, counting each once"`
	KeepNoArchive bool     `toml:"keep_noarchive" help:"also store pages that ask not to be archived or indexed"`
	Anchors       bool     `toml:"anchors" help:"record where on its page each link is (content, navigation, footer) and hashes of its first four words, in about 6 bytes per link"`
	Commit        Duration `toml:"commit" help:"maximum time until a fetched page is on disk"`
	Sync          bool     `toml:"sync" help:"sync the disk at every commit; without it, a power failure may lose more pages"`
	DiskReserve   Size     `toml:"disk_reserve" help:"pause when less disk space than this is free; 0: when the disk is full"`
	MaxMemory     Size     `toml:"max_memory" help:"maximum memory; 0: half of the memory of the machine"`
	// Partitions is left out of files if it is 1: see Marshal.
	Partitions int `toml:"partitions,omitempty" help:"divide the crawl by registered domains into so many partitions, each with a core of its own; fixed when the crawl begins: docs/partitions.md"`

	// SuffixTable is the version of the table by which registered domains are told, for partitions.
	SuffixTable string `toml:"suffix_table,omitempty"`

	Metrics      string `toml:"metrics" section:"Monitoring" help:"serve Prometheus metrics at this address; without a host, on loopback"`
	MetricsToken string `toml:"metrics_token" kind:"file" help:"file with a token that clients of the metrics must send; required for addresses other than loopback"`
	UI           string `toml:"ui" help:"serve a dashboard at this address that shows the crawl and controls it; without a host, on loopback"`
	UIToken      string `toml:"ui_token" kind:"file" help:"file with the token of those who control the crawl; without one a new token is printed. Required for addresses other than loopback, where it is for readers, too"`

	// Site holds exceptions: what differs for some sites.
	Site []Override `toml:"site,omitempty"`
}

// Default returns the default configuration.
func Default() Config {
	return Config{
		Seeds:           []string{},
		Policy:          policy.DefaultName,
		Batch:           policy.DefaultBatch,
		BatchMode:       frontier.Continuous.String(),
		WaitForBetter:   waitAuto,
		RandomSeed:      1,
		Examples:        []string{},
		Similarity:      topic.BM25.String(),
		IDF:             topic.LogIDF.String(),
		TitleWeight:     2,
		Stem:            "english",
		Hot:             HotAuto,
		Header:          []string{},
		HeaderScope:     HeadersAuto,
		Delay:           Seconds(2),
		DelayFactor:     10,
		DelayMax:        Seconds(60),
		IPDelay:         Seconds(0.25),
		IPCap:           4,
		Robots:          true,
		RobotsRetry:     Seconds(300),
		Fetchers:        500,
		PerConnection:   1,
		KeepAlive:       Seconds(60),
		KeepMost:        1000,
		Timeout:         Seconds(30),
		Connect:         Seconds(10),
		FirstByte:       Seconds(20),
		Stall:           Seconds(15),
		Retries:         2,
		RetryDelay:      Seconds(10),
		Patience:        Seconds(3600),
		SlowAnswer:      Seconds(10),
		SlowFactor:      5,
		SlowTimes:       3,
		SlowDelay:       Seconds(60),
		SlowMax:         Seconds(3600),
		MaxBody:         10 << 20,
		Scope:           ScopeSeeds,
		Include:         []string{},
		Exclude:         []string{},
		MaxDepth:        NoDepth,
		MaxDepthDynamic: NoDepth,
		MaxLinks:        50_000,
		SitePages:       25_000,
		DomainPages:     100_000,
		Types:           TypesHTML,
		Sitemaps:        true,
		Duplicates:      true,
		Traps:           true,
		Revisit:         freshness.DefaultName,
		Balance:         balanceAuto,
		Store:           StoreBoth,
		MaxRequisites:   1000,
		Render:          RenderOff,
		Anchors:         true,
		Commit:          Seconds(0.1),
		Sync:            true,
		DiskReserve:     256 << 20,
		Partitions:      1,
	}
}

// Values of HeaderScope, Scope (or ScopeRegexp and an expression), Types and Store.
const (
	HeadersAuto  = "auto"
	HeadersSeeds = "seeds"
	HeadersAny   = "any"

	ScopeAny    = "any"
	ScopeSeeds  = "seeds"
	ScopeDomain = "domain"
	ScopeRegexp = "regexp:"

	TypesHTML = "html"
	TypesAll  = "all"

	RenderOff    = "off"
	RenderAuto   = "auto"
	RenderAlways = "always"

	StorePages = "pages" // the same as both, for files of earlier versions
	StoreLinks = "links"
	StoreBoth  = "both"
)

// Renders reports whether a browser shows pages.
func (c *Config) Renders() bool { return c.Render == RenderAuto || c.Render == RenderAlways }

// KeepsPages reports whether pages are written to WARC files.
func (c *Config) KeepsPages() bool { return c.Store != StoreLinks }

// ReadsSitemaps reports whether sitemap files are requested.
func (c *Config) ReadsSitemaps() bool { return c.Sitemaps && !c.List && c.MaxDepth != 0 }

// A Preset is the settings of a crawl in a word: those that a paper describes, or those of a crawl
// about something.
type Preset struct {
	Name  string
	What  string // one line for help
	apply func(*Config)
	Topic bool // it is for crawls with a topic
}

// Presets returns all presets.
func Presets() []Preset {
	return []Preset{
		{"wire2002", "Baeza-Yates and Castillo 2002: 30 s between two requests to a site, 500 fetchers", wire2002, false},
		{"thesis-exp1", "Castillo 2004, experiment 1: 15 s, 1,000 fetchers, batches of 100,000, larger sites first", thesisExp1, false},
		{"thesis-exp2", "Castillo 2004, experiment 2: 5 s, 15 s for sites below 100 pages, batches of 200,000", thesisExp2, false},
		{TopicPreset, "important pages about --query, --examples or --like, wherever they are, until none comes any more", aboutTopic, true},
	}
}

// TopicPreset is the name of the preset for a crawl about something.
const TopicPreset = "topic"

// Apply sets the keys of the preset and leaves all others.
func (p Preset) Apply(c *Config) { p.apply(c) }

// Check returns an error if a configuration lacks what the preset needs.
func (p Preset) Check(c *Config) error {
	if p.Topic && !c.Focused() {
		return &KeyError{"query", "web crawler", fmt.Errorf("it is missing: the preset %s is for a crawl about something, which query, query_file, examples or like describe", p.Name)}
	}
	return nil
}

// FindPreset finds a preset by its name.
func FindPreset(name string) (Preset, bool) {
	all := Presets()
	i := slices.IndexFunc(all, func(p Preset) bool { return p.Name == name })
	if i < 0 {
		return Preset{}, false
	}
	return all[i], true
}

// fixedDelay sets what the presets of papers have in common: the scope is the whole Web,
// /cgi-bin/ is left out, every site has the same delay, which does not depend on the time of
// a download, and addresses have none, since the papers do not mention them.
func fixedDelay(c *Config, delay float64) {
	if c.Scope == ScopeSeeds {
		c.Scope = ScopeAny
	}
	c.Delay, c.SmallDelay, c.SmallSite = Seconds(delay), Duration{}, 0
	c.DelayFactor, c.IPDelay, c.IPCap = 0, Duration{}, 0
	c.PerConnection, c.KeepAlive = 1, Duration{}
	c.MaxDepth, c.MaxDepthDynamic = 15, 5
	leaveOutPrograms(c)
}

// programs is a pattern of URLs that WIRE did not crawl (Baeza-Yates and Castillo 2002,
// section 5.1): behind them are endless pages, and things that happen when they are
// requested for, such as a vote.
const programs = "/cgi-bin/"

// leaveOutPrograms adds the pattern to those that a configuration has.
func leaveOutPrograms(c *Config) {
	if !slices.Contains(c.Exclude, programs) {
		c.Exclude = append(slices.Clone(c.Exclude), programs)
	}
}

// wire2002 sets the values of WIRE: "waits by default 30 seconds between accesses", "up to
// 500 threads".
func wire2002(c *Config) {
	fixedDelay(c, 30)
	c.Fetchers = 500
}

// thesisExp1 sets the values of section 4.5.1: K = 100,000, r = 1000, w = 15, c = 1.
func thesisExp1(c *Config) {
	fixedDelay(c, 15)
	c.Policy, c.SitePolicy = "larger-sites-first", ""
	c.Batch, c.Fetchers, c.SitePages = 100_000, 1_000, 25_000
	c.BatchMode = frontier.Thesis.String()
}

// thesisExp2 sets the values of section 4.5.2: K = 200,000, r = 1000, w = 5, and w = 15 for
// sites with less than 100 pages.
func thesisExp2(c *Config) {
	thesisExp1(c)
	c.Delay, c.SmallDelay, c.SmallSite = Seconds(5), Seconds(15), 100
	c.Batch = 200_000
}

// aboutTopic sets what a crawl for important pages about something needs: the order combines
// PageRank, what links say, and the distance to hot pages (Cho, Garcia-Molina and Page 1998,
// section 8), unless there is another one. The topic leads to other sites, so the scope is the
// whole Web, which has no end, so the crawl stops when nothing about the topic comes any more.
func aboutTopic(c *Config) {
	if c.Scope == ScopeSeeds {
		c.Scope = ScopeAny
	}
	if c.Score+c.ScoreFile == "" && c.Policy == policy.DefaultName {
		c.Score = score.TopicExpression
	}
	if c.StopWhen == "" {
		c.StopWhen = "since_hot > 2000"
	}
	leaveOutPrograms(c)
}

// ChoosePolicy replaces the default by the policy that is meant, which is score if there is an
// expression and the one for topics if there is a topic, and by one that gives the shares of the balance
// their turns. It reports whether that is another one than usual, because there is too little
// memory.
func (c *Config) ChoosePolicy() (frugal bool) {
	if c.Policy == policy.DefaultName && c.Score+c.ScoreFile != "" {
		c.Policy = "score"
	}
	if c.Policy == policy.DefaultName && c.Focused() {
		c.Policy = policy.TopicDefault
	}
	frugal = c.Policy == policy.DefaultName && c.MaxMemory != 0 && c.MaxMemory < policy.DefaultMemory
	if frugal {
		c.Policy = policy.Frugal
	}
	c.Policy, c.SitePolicy = policy.Actual(c.Policy), policy.Actual(c.SitePolicy)
	if b, err := c.Shares(); err == nil {
		c.Policy = cmp.Or(c.balanced(b), c.Policy) // Check returns the errors
	}
	if c.Planned() && c.Revisit == freshness.DefaultName {
		c.Revisit = freshness.DefaultAllocation
	}
	return frugal
}
