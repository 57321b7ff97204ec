package main

import "testing"

func TestFraction(t *testing.T) {
	for text, want := range map[string]float64{"0.9": 0.9, "1/7": 1.0 / 7, "6/7": 6.0 / 7, "1": 1, "0": 0, ".5": 0.5} {
		var f fraction
		if err := f.Set(text); err != nil || f.float() != want {
			t.Errorf("%s: %v, %v; want %v", text, f.float(), err, want)
		}
	}
	for _, text := range []string{"", "much", "-1/7", "1/0", "1e-3", "0x1", "1 / 7", "inf", "1_0"} {
		var f fraction
		if err := f.Set(text); err == nil {
			t.Errorf("%q is read as %v", text, f.float())
		}
	}
	var jump, follow fraction
	if err := jump.Set("1/7"); err != nil {
		t.Fatal(err)
	}
	if err := follow.Set("6/7"); err != nil {
		t.Fatal(err)
	}
	if jump.rest() != follow.float() {
		t.Errorf("1 - 1/7 is %v, 6/7 is %v", jump.rest(), follow.float())
	}
	if (&fraction{}).String() != "" || jump.String() != "1/7" {
		t.Errorf("%q, %q", &fraction{}, &jump)
	}
}
