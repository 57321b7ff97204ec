package fakeweb

// Streams of the graph. Renumbering them changes every generated graph.
const (
	streamSite   = iota + 1 // one seed per site
	streamOrder             // which site has which size
	streamDegree            // dangling or not, number of links
	streamMenu              // decisions shared by a directory
	streamLocal             // local slots and prototypes
	streamRemote            // remote slots and prototypes
	streamFill              // where the last resort begins
)
