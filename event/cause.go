package event

// A Cause describes, where it is known, why a request could not be sent: more exactly than
// its Class, for those who must do something about it. Journals contain the numbers, so new
// ones come last.
type Cause uint8

// The causes.
const (
	NoCause       Cause = iota
	CauseRefused        // no server listens at the address and port
	CauseOffline        // there is no way to the network of the server
	CauseNoName         // the name of the host does not exist
	CauseNoLookup       // no name server answers
	CausePrivate        // the address is private or loopback, which is not allowed
	CauseNever          // the address is of a kind that is never used
	CausePublic         // the address is public, but the crawl names no contact
	causes
)

var causeNames = [causes]string{"", "refused", "offline", "no-name", "no-lookup", "private", "never", "no-contact"}

// String returns the name of the cause, "" for one that is not known.
func (c Cause) String() string {
	if c < causes {
		return causeNames[c]
	}
	return ""
}
