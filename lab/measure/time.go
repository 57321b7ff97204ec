package measure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Bucket is a stretch of the crawl, a day or a batch, and the mean importance of the
// pages fetched in it: on the mean-1 scale if the truth has it, as Najork and Wiener
// plot it. A bucket without pages has mean 0.
type Bucket struct {
	Bucket int     `json:"bucket"` // 0 is the first
	Pages  int     `json:"pages"`
	Mean   float64 `json:"mean"`
}

// TimeBuckets assigns fetches to buckets by their times: bucket i is from i*width up
// to but without (i+1)*width.
func TimeBuckets(when []float64, width float64) []int {
	b := make([]int, len(when))
	for k, w := range when {
		b[k] = int(math.Floor(w / width))
	}
	return b
}

// PerBucket returns the mean importance for each bucket up to the last; bucket[i] is that
// of fetch i.
func (t *Trial) PerBucket(bucket []int) ([]Bucket, error) {
	if err := t.sameLength(len(bucket)); err != nil {
		return nil, err
	}
	if len(bucket) == 0 {
		return nil, nil
	}
	if low := slices.Min(bucket); low < 0 {
		return nil, fmt.Errorf("a fetch in bucket %d", low)
	}
	buckets := make([]Bucket, slices.Max(bucket)+1)
	sums := make([]adder, len(buckets))
	for k, b := range bucket {
		buckets[b].Pages++
		sums[b].add(t.judge.truth.Value[t.order[k]])
	}
	for b := range buckets {
		buckets[b].Bucket = b
		if n := buckets[b].Pages; n > 0 {
			buckets[b].Mean = sums[b].sum() / float64(n) * t.judge.scale
		}
	}
	return buckets, nil
}

// Arrival returns the mean and the median of the times of some fetches. Both are 0 when
// there are none.
func Arrival(when []float64) (mean, median float64) {
	n := len(when)
	if n == 0 {
		return 0, 0
	}
	w := slices.Clone(when)
	slices.Sort(w)
	return Sum(w) / float64(n), (w[(n-1)/2] + w[n/2]) / 2
}

// A Gathered is the state of a crawl at some time: the share of the pages of E and of their
// importance. The time may as well be bytes or money.
type Gathered struct {
	When       float64 `json:"when"`
	Pages      float64 `json:"pages"`
	Importance float64 `json:"importance"`
}

// Gathered returns the state at a number of evenly spaced times, from the first such step
// up to the last fetch. when[i] is that of fetch i; fetches that run side by side need not
// end in their order.
func (t *Trial) Gathered(when []float64, steps int) ([]Gathered, error) {
	if err := t.sameLength(len(when)); err != nil {
		return nil, err
	}
	if len(when) == 0 || steps < 1 {
		return nil, nil
	}
	by := make([]int, len(when))
	for k := range by {
		by[k] = k
	}
	slices.SortFunc(by, func(i, k int) int { return cmp.Or(cmp.Compare(when[i], when[k]), i-k) })
	j, last := t.judge, when[by[len(by)-1]]
	states := make([]Gathered, steps)
	var a adder
	k := 0
	for i := range states {
		until := last
		if i < steps-1 {
			until = last * float64(i+1) / float64(steps)
		}
		for ; k < len(by) && when[by[k]] <= until; k++ {
			a.add(j.truth.Value[t.order[by[k]]])
		}
		states[i] = Gathered{until, Share(k, len(j.pages)), j.shareOf(a.sum(), k)}
	}
	return states, nil
}

// A Tail is the end of a crawl: the last of its pages. WIRE saw "the last days of a crawl" spent
// "in a few Web sites" (Baeza-Yates and Castillo 2002, section 5). A crawl that stays as fast
// as it began has Time = Part.
type Tail struct {
	Part  float64 `json:"part"`  // share of the pages
	Pages int     `json:"pages"` // that come last
	Sites int     `json:"sites"` // that they are on
	Time  float64 `json:"time"`  // that they take, from the page before them on, as a share of the whole
}

// Tails returns the ends of a crawl, one for each part. when[i] is the time at which fetch i ended,
// and site(i) the site of its page; fetches of the same time come in their order.
func Tails(when []float64, site func(i int) int, parts ...float64) (tails []Tail) {
	n := len(when)
	if n == 0 {
		return nil
	}
	by := make([]int, n)
	for i := range by {
		by[i] = i
	}
	slices.SortStableFunc(by, func(i, k int) int { return cmp.Compare(when[i], when[k]) })
	last := when[by[n-1]]
	for _, part := range parts {
		t := Tail{Part: part, Pages: PagesAt(part, n), Time: 1}
		sites := map[int]bool{}
		for _, i := range by[n-t.Pages:] {
			sites[site(i)] = true
		}
		if t.Sites = len(sites); t.Pages < n && last > 0 {
			t.Time = (last - when[by[n-t.Pages-1]]) / last
		}
		tails = append(tails, t)
	}
	return tails
}
