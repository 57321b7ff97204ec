package urltable

import (
	"os"
	"testing"

	"github.com/winnow-crawler/winnow/internal/rapidtest"
)

func TestMain(m *testing.M) { os.Exit(rapidtest.Main(m)) }
