package experiment

import (
	"testing"
)

func TestVerdict(t *testing.T) {
	yes, no := Finding{Place: "a", Holds: true, Numbers: "1"}, Finding{Place: "b", Numbers: "2"}
	lack := Finding{Place: "c", Lacks: "no sites"}
	for _, c := range []struct {
		all  []Finding
		want string
	}{
		{[]Finding{yes}, "Holds: it is so: a (1)."},
		{[]Finding{no}, "Does not hold: it is so: against it b (2)."},
		{[]Finding{yes, yes}, "Holds on both worlds: it is so: a (1), a (1)."},
		{[]Finding{yes, no, lack}, "Holds on 1 of 2 worlds: it is so: a (1); but not on b (2); not tested on c (no sites)."},
		{[]Finding{no, no}, "Holds on none of 2 worlds: it is so: against it b (2), b (2)."},
		{[]Finding{lack}, "Could not be tested here: it is so; not tested on c (no sites)."},
	} {
		if got := verdict("it is so", c.all); got != c.want {
			t.Errorf("the verdict is %q, want %q", got, c.want)
		}
	}
	if got, want := verdicts([]string{"x", "y"}, [][]Finding{{yes}, {no}}), "Holds: x: a (1); further: does not hold: y: against it b (2)."; got != want {
		t.Errorf("two verdicts are %q, want %q", got, want)
	}
}
