package config

// Config is everything a user can set about a crawl. It is read from a TOML file
// and from flags, which have the same names with hyphens for underscores, and it is
// kept as winnow.toml in the directory of the crawl. The order of the fields is the
// order of the file; the tags are all there is to know about a key, so that flags, the
// file of `winnow config` and the reference are made from them.
//
// A Config is a value: copies share no memory that anybody changes in place (Clone).
type Config struct {
	Seeds    []string `toml:"seeds" section:"Where the crawl begins, and when it pauses" help:"URLs to begin with; used when the crawl is started, not when it is resumed"`
	Pages    int64    `toml:"pages" help:"pause after so many pages, redirects not counted; 0: no limit"`
	Duration Duration `toml:"duration" help:"pause after so much time in all; 0: no limit"`
	Bytes    Size     `toml:"bytes" help:"pause after so many received bytes; 0: no limit"`

	Policy     string `toml:"policy" section:"The order of the pages" help:"policy that orders the pages, as winnow sim --help lists them"`
	SitePolicy string `toml:"site_policy" help:"policy that orders the sites, if it is another one"`
	Batch      int    `toml:"batch" help:"K: pages between two solves of policies that solve"`
	RandomSeed uint64 `toml:"random_seed" help:"seed of all random numbers"`

	Contact   string `toml:"contact" section:"Who asks" help:"mail address or URL of whoever is responsible; sent with every request"`
	UserAgent string `toml:"user_agent" help:"User-Agent header; by default winnow/VERSION (+CONTACT). Its first word is the name that robots.txt is read for"`
	// Header has lines "Name: value".
	Header []string `toml:"header" help:"further request header, as \"Name: value\""`
	// HeaderScope is for secrets: see SiteHeaders.
	HeaderScope string `toml:"header_scope" help:"where they go: auto: everywhere, but those that are secrets by their name (Authorization, Cookie, X-Api-Key) to the sites of the seeds only; seeds: all to the sites of the seeds only; any: all everywhere"`

	Delay       Duration `toml:"delay" section:"Politeness: how long a site is left alone" help:"time from the end of an answer to the next request to the same site"`
	SmallDelay  Duration `toml:"small_delay" help:"delay of sites with fewer than small_site known pages"`
	SmallSite   int      `toml:"small_site" help:"number of known pages from which a site is not small; 0: no site is small"`
	DelayFactor float64  `toml:"delay_factor" help:"the delay is at least so many times the time that the page took; 0: it does not matter"`
	DelayMax    Duration `toml:"delay_max" help:"most that delay_factor can make of it; longer delays asked for by others still hold"`
	IPDelay     Duration `toml:"ip_delay" help:"time from the end of an answer to the next request to the same IP address"`
	IPCap       int      `toml:"ip_cap" help:"most requests at a time to one IP address; 0: no limit"`
	Robots      bool     `toml:"robots" help:"obey robots.txt; switch it off for servers of your own only"`
	RobotsRetry Duration `toml:"robots_retry" help:"time until a robots.txt that is unavailable is asked for again, doubled with each attempt up to a day; meanwhile the rules that the site has stay in force, and a site without any is left alone"`

	Fetchers      int      `toml:"fetchers" section:"Fetching" help:"r: most sites that are asked at a time"`
	PerConnection int      `toml:"per_connection" help:"c: pages asked for in one connection to a site, where it has set no delay of its own"`
	Timeout       Duration `toml:"timeout" help:"longest time for one request"`
	Connect       Duration `toml:"timeout_connect" help:"longest time to connect, TLS included"`
	FirstByte     Duration `toml:"timeout_first_byte" help:"longest time from the request to the first byte of the answer"`
	Stall         Duration `toml:"timeout_stall" help:"longest time without a byte"`
	Retries       int      `toml:"retries" help:"times that a page is asked for again after a failure that may pass; tries count if its site answered otherwise in between"`
	RetryDelay    Duration `toml:"retry_delay" help:"time until the first of them; the next ones take three times as long each"`
	Patience      Duration `toml:"patience" help:"end the run when for so long nothing was left but sites that cannot be reached; the next run tries them again"`
	SlowAnswer    Duration `toml:"slow_answer" help:"an answer is slow if it takes longer than this, and longer than slow_factor times what 95 of 100 answers take; 0: none is"`
	SlowFactor    float64  `toml:"slow_factor" help:"see slow_answer"`
	SlowTimes     int      `toml:"slow_times" help:"after so many slow answers in a row a site is asked rarely"`
	SlowDelay     Duration `toml:"slow_delay" help:"how rarely at first; twice as rarely with each further slow answer"`
	SlowMax       Duration `toml:"slow_max" help:"the longest time that makes"`
	MaxBody       Size     `toml:"max_body" help:"largest page, before and after decompression"`
	Resolver      string   `toml:"resolver" help:"DNS server, as ADDRESS or ADDRESS:PORT; by default that of the system"`
	Proxy         string   `toml:"proxy" help:"URL of an HTTP proxy for all requests"`
	CAFile        string   `toml:"ca_file" kind:"file" help:"PEM file with certificates of authorities to trust besides those of the system"`
	AllowPrivate  bool     `toml:"allow_private" help:"ask loopback and private addresses too; link-local ones and those of metadata services are never asked"`

	Scope           string   `toml:"scope" section:"Which pages are wanted" help:"any; seeds: sites of the seeds; domain: registered domains of the seeds; regexp:R: URLs that match R"`
	Include         []string `toml:"include" help:"regular expression; where there are any, a URL must match one of them"`
	Exclude         []string `toml:"exclude" help:"regular expression; URLs that match one are refused"`
	Rules           string   `toml:"rules" kind:"file" help:"file with lines \"allow|deny HOST[/PATH]\"; of those that fit the one with the longest host counts, then the longest path"`
	Deny            string   `toml:"deny" kind:"file" help:"file with hosts that are never asked, read again while running"`
	MaxDepth        Depth    `toml:"max_depth" help:"most links from a seed to a page, by the shortest way that is known; 0: seeds only; none, or -1: no limit"`
	MaxDepthDynamic Depth    `toml:"max_depth_dynamic" help:"the same for pages with a query or made by programs"`
	MaxLinks        int      `toml:"max_links" help:"most links of one page, each target counted once"`
	SitePages       int      `toml:"site_pages" help:"most pages of one site; 0: no limit"`
	DomainPages     int      `toml:"domain_pages" help:"most pages of one registered domain; 0: no limit"`
	Types           string   `toml:"types" help:"html: links that surely lead to something else are not followed; all"`
	Duplicates      bool     `toml:"duplicates" help:"do not follow the links of a page that is the same as another one: words, numbers, links and pictures"`
	Traps           bool     `toml:"traps" help:"leave places alone that bring nothing new or never end; what was left alone is in status"`
	Sitemaps        bool     `toml:"sitemaps" help:"read the sitemaps that robots.txt names"`
	Recrawl         Duration `toml:"recrawl" help:"ask for fetched pages again after so long; 0: never"`

	Store         string   `toml:"store" section:"What is kept, and how safely" help:"both: WARC files, and links in the journal; links: no WARC files; pages: as both, because the journal cannot do without links"`
	KeepNoArchive bool     `toml:"keep_noarchive" help:"keep pages that ask not to be archived or indexed"`
	Commit        Duration `toml:"commit" help:"longest time until what was fetched is on the disk"`
	Sync          bool     `toml:"sync" help:"wait for the disk at every commit; without it a power failure may cost more"`
	DiskReserve   Size     `toml:"disk_reserve" help:"pause when the disk has less room than this; 0: when it is full"`
	MaxMemory     Size     `toml:"max_memory" help:"use at most this much memory; 0: half of the machine's"`

	Metrics      string `toml:"metrics" section:"Watching" help:"serve Prometheus metrics at this address; without a host on loopback"`
	MetricsToken string `toml:"metrics_token" kind:"file" help:"file with a token that readers of the metrics must send; needed for addresses that are not loopback"`

	// Site holds exceptions: what differs for some sites.
	Site []Override `toml:"site,omitempty"`
}

// Default returns the default configuration.
func Default() Config {
	return Config{
		Seeds:           []string{},
		Policy:          "opic",
		Batch:           10_000,
		RandomSeed:      1,
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
		Scope:           ScopeAny,
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
		Store:           StoreBoth,
		Commit:          Seconds(0.1),
		Sync:            true,
		DiskReserve:     256 << 20,
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

	StorePages = "pages"
	StoreLinks = "links"
	StoreBoth  = "both"
)

// KeepsPages reports whether pages are written to WARC files.
func (c *Config) KeepsPages() bool { return c.Store != StoreLinks }
