package plot

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// places returns the coordinates that a pattern with two groups finds.
func placesOf(t *testing.T, svg, pattern string) (list []point) {
	t.Helper()
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(svg, -1) {
		x, err := strconv.ParseFloat(m[1], 64)
		y, err2 := strconv.ParseFloat(m[2], 64)
		if err != nil || err2 != nil {
			t.Fatal(m)
		}
		list = append(list, point{x, y})
	}
	return list
}

// Dots are on data: on every point of a short line, on some of a long one, on nothing else.
func TestDotsAreData(t *testing.T) {
	for _, n := range []int{2, 3, 7, fewPoints, fewPoints + 1, 1000} {
		s := Series{Name: "a"}
		for i := range n {
			s.Add(float64(i), math.Sqrt(float64(i)))
		}
		c := Chart{Series: []Series{s}}
		_, x, y, _ := c.clouds(true)
		p := figurePlane(&x, &y)
		data := map[string]bool{}
		for i := range s.X {
			data[fmt.Sprintf("%.1f %.1f", p.px(s.X[i]), p.py(s.Y[i]))] = true
		}
		dots := placesOf(t, regexp.MustCompile(`class="dots" d="[^"]*"`).FindString(Figure(c)), `M([\d.]+) ([\d.]+)`)
		if want := min(n, fewPoints); n <= fewPoints && len(dots) != want || len(dots) == 0 {
			t.Errorf("%d dots for %d points", len(dots), n)
		}
		for _, d := range dots {
			if !data[fmt.Sprintf("%.1f %.1f", d.x, d.y)] {
				t.Errorf("%d points: a dot at %v", n, d)
			}
		}
	}
}

// Each of some lines has its name at its end, and no two names overlap.
func TestLabels(t *testing.T) {
	for lines := 1; lines <= mostLabels+1; lines++ {
		c := Chart{}
		for i := range lines {
			c.Series = append(c.Series, Series{Name: fmt.Sprintf("line %d <b>", i), X: []float64{0, 1, 2}, Y: []float64{0, float64(i) / 10, 1}})
		}
		svg := Figure(c)
		wellFormed(t, svg)
		at := placesOf(t, svg, `class="label" x="([\d.]+)" y="([\d.]+)"`)
		want := lines
		if lines == 1 || lines > mostLabels {
			want = 0
		}
		if len(at) != want {
			t.Errorf("%d labels for %d lines", len(at), lines)
		}
		for i := 1; i < len(at); i++ {
			if at[i].y-at[i-1].y < labelHeight-0.11 {
				t.Errorf("%d lines: labels at %v and %v", lines, at[i-1], at[i])
			}
		}
		for _, l := range at {
			if l.y > figureHeight-figureBottom+6 || l.y < 0 {
				t.Errorf("%d lines: a label at %v", lines, l)
			}
		}
	}
}

// A bar is as long as its value: half of it is half as long.
func TestBarsAreLinear(t *testing.T) {
	c := BarChart{Bars: []Bar{{Value: 3639}, {Value: 112}, {Value: 1}, {Value: 0}, {Value: -3}}}
	for i, want := range []float64{1, 112.0 / 3639, 1.0 / 3639, 0, 0} {
		if got := c.Lengths()[i]; got != want {
			t.Errorf("bar %d is %v long, want %v", i, got, want)
		}
	}
}

// An axis of rates begins at 0.
func TestFromZero(t *testing.T) {
	c := Chart{FromZero: true, Series: []Series{{X: []float64{1, 2}, Y: []float64{90, 100}}}}
	if _, _, y, _ := c.clouds(true); y.lo != 0 {
		t.Errorf("the axis begins at %v", y.lo)
	}
}

// A tight axis ends with the data, and has no tick beyond.
func TestTight(t *testing.T) {
	for _, x := range [][]float64{{0, 6.8}, {3, 3}, {0, 0}, {-5, -1}, {1e299, 1e300}} {
		c := Chart{Tight: true, Series: []Series{{X: x, Y: x}}}
		_, a, _, _ := c.clouds(true)
		if x[0] != x[1] && a.hi != x[1] || !(a.lo < a.hi) || len(a.ticks) == 0 || a.ticks[len(a.ticks)-1] > a.hi {
			t.Errorf("%v: %+v", x, a)
		}
		wellFormed(t, Figure(c))
	}
}

// The colours can be read as text on both grounds: a contrast of at least 4.5 (WCAG 2, AA).
func TestContrast(t *testing.T) {
	light, dark, ok := strings.Cut(figurePalette(), "@media")
	if !ok {
		t.Fatal("one ground only")
	}
	for ground, style := range map[string]string{"#ffffff": light, "#14181d": dark} {
		colours := regexp.MustCompile(`#[0-9a-f]{6}`).FindAllString(style, -1)
		if len(colours) != figureColours+1 {
			t.Errorf("%d colours on %s", len(colours), ground)
		}
		for _, c := range colours {
			a, b := luminance(t, c), luminance(t, ground)
			if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < 4.5 {
				t.Errorf("%s on %s: %.2f", c, ground, ratio)
			}
		}
	}
}

// luminance returns the relative luminance of a colour.
func luminance(t *testing.T, colour string) (sum float64) {
	t.Helper()
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v, err := strconv.ParseUint(colour[1+2*i:3+2*i], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(v) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
