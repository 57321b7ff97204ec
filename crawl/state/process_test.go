package state

import (
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/winnow-crawler/winnow/crawl/config"
	"github.com/winnow-crawler/winnow/event"
	"github.com/winnow-crawler/winnow/exchange/suffix"
	"github.com/zeebo/xxh3"
)

// A snapshot is the same bytes in every process, whatever the process has saved and told before:
// winnow verify compares them.
func TestSaveInAnotherProcess(t *testing.T) {
	const order = "WINNOW_TEST_SAVE_FIRST"
	if first, child := os.LookupEnv(order); child {
		fmt.Println("sum", saveWithMail(t, first == "yes"))
		return
	}
	var sums [2]string
	for i, first := range []string{"yes", "no"} {
		c := exec.Command(os.Args[0], "-test.run=^TestSaveInAnotherProcess$")
		c.Env = append(os.Environ(), order+"="+first)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if _, err := fmt.Sscanln(string(out), new(string), &sums[i]); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if sums[0] != sums[1] {
		t.Errorf("after a snapshot it is %s, before %s", sums[0], sums[1])
	}
}

// saveWithMail returns the checksum of a state with notes for another partition. Another state may
// be saved before there are notes.
func saveWithMail(t *testing.T, first bool) uint64 {
	c := config.Default()
	c.Partitions, c.SuffixTable = 2, suffix.Newest
	rules := Rules{Class: event.OK}
	if first {
		if err := newStateBy(t, &c).Save(xxh3.New()); err != nil {
			t.Fatal(err)
		}
		rules.Rules, rules.Files = []byte{}, []string{} // as read from a journal
	}
	s := newStateBy(t, &c)
	s.Budget.granted(&s.Mail, &event.Event{Exchange: event.Exchange{Part: 1}})
	s.Mail.add(1, noteWant, pack(&Want{Back: 1}))
	s.Mail.add(1, noteAsk, pack(&Ask{Site: "http://a.example"}))
	s.Mail.add(1, noteRules, pack(&rules))
	s.Mail.add(1, notePart, pack(&PartAsk{Step: 1}))
	h := xxh3.New()
	if err := s.Save(h); err != nil {
		t.Fatal(err)
	}
	return h.Sum64()
}
