package crawl

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/event"
)

// The cause of an address that may not be used, and a note that names the address.
func TestUnwelcome(t *testing.T) {
	for addr, want := range map[string]event.Cause{
		"127.0.0.1": event.CausePrivate, "10.0.0.1": event.CausePrivate, "169.254.169.254": event.CauseNever, "93.184.216.34": event.CausePublic,
	} {
		if note, cause := unwelcome([]netip.Addr{netip.MustParseAddr(addr)}); cause != want || !strings.Contains(note, addr) {
			t.Errorf("%s: %s, %s; want %s", addr, cause, note, want)
		}
	}
	if _, cause := unwelcome(nil); cause != event.CauseNoName {
		t.Errorf("no address: %s", cause)
	}
}
