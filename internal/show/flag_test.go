package show

import (
	"testing"
)

func TestFraction(t *testing.T) {
	for text, want := range map[string]float64{"0.9": 0.9, "1/7": 1.0 / 7, "6/7": 6.0 / 7, "1": 1, "0": 0, ".5": 0.5} {
		var f Fraction
		if err := f.Set(text); err != nil || f.Float() != want {
			t.Errorf("%s: %v, %v; want %v", text, f.Float(), err, want)
		}
	}
	for _, text := range []string{"", "much", "-1/7", "1/0", "1e-3", "0x1", "1 / 7", "inf", "1_0"} {
		var f Fraction
		if err := f.Set(text); err == nil {
			t.Errorf("%q is read as %v", text, f.Float())
		}
	}
	var jump, follow Fraction
	if err := jump.Set("1/7"); err != nil {
		t.Fatal(err)
	}
	if err := follow.Set("6/7"); err != nil {
		t.Fatal(err)
	}
	if jump.Rest() != follow.Float() {
		t.Errorf("1 - 1/7 is %v, 6/7 is %v", jump.Rest(), follow.Float())
	}
	if (&Fraction{}).String() != "" || jump.String() != "1/7" {
		t.Errorf("%q, %q", &Fraction{}, &jump)
	}
}

func TestNumber(t *testing.T) {
	for text, want := range map[string]Number{
		"1": 1, "5000": 5000, "10k": 10_000, "10K": 10_000, "2.5M": 2_500_000, "1.000001m": 1_000_001, "3G": 3_000_000_000,
	} {
		var c Number
		if err := c.Set(text); err != nil || c != want {
			t.Errorf("%s: %d, %v; want %d", text, c, err, want)
		}
	}
	for _, text := range []string{"", "k", "0", "-1", "1.5", "1.0001k", "1e3", "1/2M", "ten", "99999999999G", "1T", "0x10", "1 k"} {
		var c Number
		if err := c.Set(text); err == nil {
			t.Errorf("%q is read as %d", text, c)
		}
	}
}
