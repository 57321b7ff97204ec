package worth

import (
	"errors"
	"strings"
	"testing"

	"github.com/winnow-crawler/winnow/internal/hint"
	"github.com/winnow-crawler/winnow/score"
)

// Values that do not fit into the memory are refused with a hint.
func TestImportedTakesMemory(t *testing.T) {
	m, err := score.NewImported([]string{"a.example", "b.example"}, []float64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	var hinted *hint.Error
	if err := checkImported(m, 4*(18+24)-1); !errors.As(err, &hinted) || !strings.Contains(hinted.Hint, "--max-memory 1M") {
		t.Errorf("more values than fit: %v", err)
	}
	if err := checkImported(m, 4*(18+24)); err != nil {
		t.Error(err)
	}
}
