package measure

// A heap holds numbers below some limit, the one with the largest key on top, and knows the
// place of each, so that one whose key has changed can be moved. Of equal keys the latest is
// on top or, without late, the smallest number.
type heap struct {
	key  []float64 // by number
	late []uint64  // by number
	list []uint32
	at   []uint32 // by number: its place in list plus 1, 0 if it is not in the heap
}

// before reports whether a belongs above b.
func (h *heap) before(a, b uint32) bool {
	if x, y := h.key[a], h.key[b]; x != y {
		return x > y
	}
	return h.late == nil && a < b || h.late != nil && h.late[a] > h.late[b]
}

// holds reports whether x is in the heap.
func (h *heap) holds(x uint32) bool { return h.at[x] != 0 }

func (h *heap) push(x uint32) {
	h.list = append(h.list, x)
	h.up(len(h.list)-1, x)
}

// pop removes the number on top and returns it.
func (h *heap) pop() uint32 {
	top, end := h.list[0], len(h.list)-1
	last := h.list[end]
	h.list, h.at[top] = h.list[:end], 0
	if end > 0 {
		h.down(0, last)
	}
	return top
}

// fix moves x, whose order may have changed either way, to its place.
func (h *heap) fix(x uint32) {
	if i := h.at[x]; h.up(int(i-1), x) == int(i-1) {
		h.down(int(i-1), x)
	}
}

func (h *heap) put(i int, x uint32) { h.list[i], h.at[x] = x, uint32(i+1) }

// up puts x at place i or above, and returns where.
func (h *heap) up(i int, x uint32) int {
	for i > 0 && h.before(x, h.list[(i-1)/2]) {
		h.put(i, h.list[(i-1)/2])
		i = (i - 1) / 2
	}
	h.put(i, x)
	return i
}

// down puts x at place i or below.
func (h *heap) down(i int, x uint32) {
	for {
		child := 2*i + 1
		if child >= len(h.list) {
			break
		}
		if child+1 < len(h.list) && h.before(h.list[child+1], h.list[child]) {
			child++
		}
		if !h.before(h.list[child], x) {
			break
		}
		h.put(i, h.list[child])
		i = child
	}
	h.put(i, x)
}
