package state

import "time"

// arrivals counts when pages were fetched for the first time, by the time that the crawl had run
// until then, in steps of equal length. The steps double when there are too few of them. The names
// of its fields are part of the format of snapshots.
type arrivals struct {
	Sum   float64 // of the times, in seconds
	Step  time.Duration
	Pages []int64 // in each step
}

const (
	arrivalSteps = 256
	firstStep    = 10 * time.Millisecond
)

// add counts a page.
func (a *arrivals) add(at time.Duration) {
	if a.Pages == nil {
		a.Pages, a.Step = make([]int64, arrivalSteps), firstStep
	}
	at = max(at, 0)
	for at/a.Step >= arrivalSteps {
		a.double()
	}
	a.Pages[at/a.Step]++
	a.Sum += at.Seconds()
}

// double makes the steps twice as long.
func (a *arrivals) double() {
	for i := range arrivalSteps / 2 {
		a.Pages[i] = a.Pages[2*i] + a.Pages[2*i+1]
	}
	clear(a.Pages[arrivalSteps/2:])
	a.Step *= 2
}

// Arrival returns the mean and about the median of the times of running after which pages were
// fetched for the first time. The median is exact to a 128th of the longest time. Both are 0 if
// there are no pages.
func (a *arrivals) Arrival() (mean, median time.Duration) {
	pages := int64(0)
	for _, n := range a.Pages {
		pages += n
	}
	if pages == 0 {
		return 0, 0
	}
	median = (a.of((pages-1)/2) + a.of(pages/2)) / 2
	return time.Duration(a.Sum / float64(pages) * float64(time.Second)), median
}

// of returns about when the page came before which so many others did.
func (a *arrivals) of(before int64) time.Duration {
	for i, n := range a.Pages {
		if before < n {
			return time.Duration((float64(i) + (float64(before)+0.5)/float64(n)) * float64(a.Step))
		}
		before -= n
	}
	return time.Duration(len(a.Pages)) * a.Step
}
