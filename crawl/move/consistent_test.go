package move

import (
	"slices"
	"testing"
)

// What a partition has applied before another one has sent it goes, with what it has sent since, and
// with what others have made of that.
func TestConsistent(t *testing.T) {
	sends := func(group, to int, n uint64) mark { return mark{group, to, n, false} }
	applies := func(group, from int, n uint64) mark { return mark{group, from, n, true} }
	for _, x := range []struct {
		name   string
		trails []trail
		want   []int
	}{
		{"all was sent", []trail{{3, []mark{sends(1, 1, 1)}}, {3, []mark{applies(2, 0, 1)}}}, []int{3, 3}},
		{"read before it was sent", []trail{{1, nil}, {5, []mark{applies(2, 0, 1)}}}, []int{1, 2}},
		{"the second message", []trail{{2, []mark{sends(0, 1, 1)}}, {5, []mark{applies(1, 0, 1), applies(3, 0, 2)}}}, []int{2, 3}},
		{"one after the other", []trail{
			{2, nil}, {5, []mark{applies(2, 0, 1), sends(3, 2, 1)}}, {4, []mark{sends(0, 1, 1), applies(1, 1, 1)}},
		}, []int{2, 2, 1}},
		{"sent before the cut", []trail{
			{2, nil}, {5, []mark{sends(1, 2, 1), applies(2, 0, 1)}}, {4, []mark{applies(1, 1, 1)}},
		}, []int{2, 2, 4}},
	} {
		if got := consistent(x.trails); !slices.Equal(got, x.want) {
			t.Errorf("%s: keeps %v groups, want %v", x.name, got, x.want)
		}
	}
}
