package show

import "testing"

func TestFitted(t *testing.T) {
	m := map[string]int64{"a": 5, "bb": 40, "ccc": 300}
	for width, want := range map[int]string{
		0: "ccc 300, bb 40, a 5", 19: "ccc 300, bb 40, a 5", 18: "ccc 300, 2 others 45", 1: "ccc 300, 2 others 45", 30: "ccc 300, bb 40, a 5",
	} {
		if got := Fitted(m, width); got != want {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
}
