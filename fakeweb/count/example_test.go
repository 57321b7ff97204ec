package count_test

import (
	"fmt"
	"time"

	"github.com/winnow-crawler/winnow/fakeweb/count"
)

func ExampleViolation() {
	fmt.Println(count.Violation{Kind: count.TooSoon, Site: 3, Page: 7, At: time.Minute, Got: time.Second, Want: 2 * time.Second})
	// Output: 1m0s: site 3: gap page 7 1s, want 2s
}
