package nats

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime/pprof"
	"strings"
)

// What tests of package nats_test need.
const BrokerEnv = brokerEnv

var Usage = usage

// Traffic is what a broker has sent to others.
type Traffic struct{ RouteMsgs, RouteBytes int64 }

// traffic returns what the broker has sent so far.
func (b *Broker) traffic() (x Traffic, err error) {
	z, err := b.server.Routez(nil)
	if err != nil {
		return x, err
	}
	for _, r := range z.Routes {
		x.RouteMsgs += r.OutMsgs
		x.RouteBytes += r.OutBytes
	}
	return x, nil
}

// obey obeys lines on standard input until it ends: traffic, and profile FILE, - for none.
func (b *Broker) obey() error {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var x Traffic
		var err error
		if name, ok := strings.CutPrefix(lines.Text(), "profile "); ok {
			pprof.StopCPUProfile()
			if name != "-" {
				var f *os.File
				if f, err = os.Create(name); err == nil {
					err = pprof.StartCPUProfile(f)
				}
			}
		} else {
			x, err = b.traffic()
		}
		if err != nil {
			return err
		}
		text, _ := json.Marshal(x)
		fmt.Println(string(text))
	}
	return nil
}
