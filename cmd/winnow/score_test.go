package main

import (
	"os"
	"syscall"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/config"
)

// A SIGHUP demands that the files of the score are read again, if there are any.
func TestHangups(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	reload, done := hangups(&config.Config{ScoreFile: "score.txt"})
	defer done()
	for range 2 {
		if err := self.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		<-reload // the test hangs if nothing comes
	}
	if none, end := hangups(&config.Config{Score: "depth"}); none != nil {
		t.Error("there is nothing to read again")
	} else {
		end()
	}
}
