package event

import "testing"

// A fetched page has one of these classes, and no other.
func TestFailed(t *testing.T) {
	for c := OK; c <= LastClass; c++ {
		if fetched := c == OK || c == Redirect || c == Duplicate || c == NotHTML; fetched == c.Failed() {
			t.Errorf("class %v", c)
		}
	}
}
