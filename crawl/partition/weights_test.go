package partition

import "testing"

// A partition is admitted if it fits beside the others and other crawls. What it needs is kept for it
// until it says what it takes, and one that is refused takes nothing.
func TestAdmit(t *testing.T) {
	w := weights{bytes: make([]int64, 4)}
	told := int64(0)
	w.beyond = func(sum int64) int64 {
		told = sum
		return 100
	}
	room := func(others int64) int64 { return 1000 - others }
	if !w.admit(0, 500, room) || !w.admit(1, 400, room) {
		t.Error("there is room for 900 beside 100")
	}
	if w.admit(2, 1, room) {
		t.Error("there is no room beyond 1000")
	}
	if w.sum != 900 || told != 900 {
		t.Errorf("%d are taken, others know of %d", w.sum, told)
	}
	if others := w.of(1)(100); others != 600 {
		t.Errorf("others take %d", others)
	}
	if !w.admit(2, 300, room) || w.admit(3, 1, room) {
		t.Error("300 are free")
	}
	w.of(0)(0)
	if !w.admit(3, 500, room) {
		t.Error("500 are free")
	}
}
