package hook

import (
	"bytes"
	"testing"
)

func TestRun(t *testing.T) {
	e := End{Dir: "a b.crawl", State: "paused", Why: `a "quote"; $HOME`, Fetched: 42, Exit: 130}
	var out bytes.Buffer
	err := e.Run(`echo "$WINNOW_DIR|$WINNOW_STATE|$WINNOW_WHY|$WINNOW_FETCHED|$WINNOW_EXIT"; echo bad >&2`, &out)
	want := "a b.crawl|paused|a \"quote\"; $HOME|42|130\nbad\n"
	if err != nil || out.String() != want {
		t.Errorf("%v, printed %q, want %q", err, out.String(), want)
	}
	if err := e.Run("exit 7", &out); err == nil || err.Error() != "exit status 7" {
		t.Errorf("error %v, want exit status 7", err)
	}
}
