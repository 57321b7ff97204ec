# The whole procedure needs Go and make. `make check test` is what CI runs.
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
# What starts goroutines or shares memory, apart from what only tests do: found, not
# listed, so that nothing is forgotten. Left out are bench/peers, a module of its own;
# lab/experiment, which uses several cores only as lab does, whose tests run; and those that
# would have large dependencies of their own compiled once more for one lock or one pipe:
# cmd/winnow with internal/console, crawl/metrics (Prometheus), crawl/stored/text (Parquet), cluster/nats and crawl/member (NATS).
# They are 137 of 583 packages; make torture runs their tests under the race detector.
CONCURRENT  := '^[[:space:]]*go func|^[[:space:]]*go [A-Za-z.]+[(]|^[[:space:]]*"sync(/atomic)?"$$|[. ]Parallel[(]'
NOT_RACED   := --exclude-dir=peers --exclude-dir=experiment --exclude-dir=papers --exclude-dir=winnow --exclude-dir=console --exclude-dir=metrics --exclude-dir=text --exclude-dir=nats --exclude-dir=member
# Of these, the packages whose tests take minutes under the race detector, and the tests of
# them that run: those in which most goroutines meet.
RACE_LONG   := ./crawl ./crawl/gather ./fakeweb/serve ./graph ./graph/rank ./internal/input ./lab/live ./lab/topical
RACE_TESTS  := 'SimEqualsReal|LineDropped|Sockets|Crashes|DiskFaults/(sync|step)|DenyWhileRunning|SnapshotTemp|StartedOffline|ParserCrash|StoppedWhile|Indexes|Gathered|Polite|CountsExactly|Manners|TestAnswers|Readers|Lock|BothDirections|AnyThreads|MemoryPauses|Commands|TestTradeoff|ReadingsAre'
# And in the others, tests of one goroutine that unpacks a lot.
RACE_SKIP   := 'Bombs|DecodeFloods|DecodeWindow|Inflate'
FUZZTIME    ?= 30s
# The last revision of winnow that made a new connection for every page.
COLD        := b25eb86

# Checks and tests are built without the profiles of the binaries (default.pgo): with them
# every package is compiled three times, once plain and once for each main package that has
# a profile. Cold, that is 1,627 compilations for vet instead of 480, 1,707 for the tests
# instead of 541, and as many again for the race detector (go vet -n, go test -n). A profile
# changes what is inlined and nothing else; make build and make bench use it.
check test browser race engine cluster-cost: export GOFLAGS := $(GOFLAGS) -pgo=off

.PHONY: check test browser race torture engine cluster-cost store bench polite partitions scale pgo build man release demo fuzz clean

check: ## format, vet, staticcheck, module file, layers
	@bad=$$(gofmt -l .); test -z "$$bad" || { echo "not formatted, run gofmt -w:" $$bad; exit 1; }
	go vet ./...
	go run $(STATICCHECK) ./...
	go mod tidy -diff
	go test -count=1 ./internal/lint

test: ## every test, then the concurrent packages once more under the race detector; check has vetted them
	go test -vet=off -timeout 20m ./...
	@$(MAKE) --no-print-directory browser
	@$(MAKE) --no-print-directory race

browser: ## the dashboard, and pages that crawl --render shows, in a real browser, where there is one
	@if command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null; then \
		go test -vet=off -tags browser -run Browser ./dashboard ./crawl/render/browser ./crawl; \
	else echo "make: no browser, the dashboard and --render were not tried in one; scripts/browser.sh installs it"; fi

race:
	@if command -v "$$(go env CC)" >/dev/null; then \
		found=$$(grep -rlE --include='*.go' --exclude='*_test.go' $(NOT_RACED) $(CONCURRENT) . | xargs -n1 dirname | sort -u); \
		short=$$(for p in $$found; do case " $(RACE_LONG) " in *" $$p "*) ;; *) echo $$p ;; esac; done); \
		CGO_ENABLED=1 go test -vet=off -race -short -skip $(RACE_SKIP) $$short && \
		CGO_ENABLED=1 go test -vet=off -race -short -run $(RACE_TESTS) $(RACE_LONG); \
	else echo "make: no C compiler ($$(go env CC)), the race detector was not run"; fi

torture: ## 50 kills of real crawls, hundreds of power losses in memory, every case of which make test takes some; three quarters of an hour
	WINNOW_TORTURE=50 go test -count=1 -timeout 90m -v -run 'Torture|Crash|Faults|PowerLoss|DiskFault|DamagedJournal|HostileEach|SimEqualsReal|EachSwitch|DepthExact|PaperExperiments|CastilloExperiments|TestPolicies' ./cluster ./cmd/winnow ./crawl ./crawl/node ./crawl/partition ./crawl/recut ./fakeweb/serve ./lab/papers/... ./sim ./policy/policytest
	go test -count=1 -tags gonum -run Gonum ./graph/rank
	CGO_ENABLED=1 go test -count=1 -timeout 60m -race -short ./cluster/nats ./cmd/winnow ./crawl ./crawl/member ./crawl/metrics ./crawl/stored/text

engine: ## what clusters rely on, with three real brokers: power loss, a full disk, killed leaders, two writers, costs; six minutes, and root for the first two
	@out=$$(mktemp); WINNOW_ENGINE=1 go test -count=1 -timeout 20m -v -run Machine ./cluster/nats > $$out 2>&1; rc=$$?; \
	grep -E '^\||--- (FAIL|SKIP)|_test.go:|panic' $$out; rm -f $$out; exit $$rc

cluster-cost: ## what a cluster costs a page: processor time of brokers and nodes, messages, bytes; three nodes and a web on loopback; half an hour
	@dir=$$(mktemp -d) && trap 'rm -rf $$dir' EXIT && \
	WINNOW_COST=$$dir go test -count=1 -timeout 60m -v -run '^TestCost$$' ./cluster/nats | grep -E '^\||FAIL|_test.go:|panic'

VERSITYGW_MODULE = github.com/versity/versitygw/cmd/versitygw@v1.8.0

store: ## kills of a crawl that sends its WARC files to an S3 server, and of that: versitygw, which is built first; minutes
	@dir=$$(mktemp -d) && trap 'rm -rf $$dir' EXIT && \
	GOBIN=$$dir go install $(VERSITYGW_MODULE) && \
	VERSITYGW=$$dir/versitygw go test -count=1 -timeout 30m -v -run TortureStore ./cmd/winnow

bench: ## ratios against yardsticks, then every Go benchmark, then other crawlers and an older winnow (bench/peers), 20 minutes
	go run ./bench
	go test -run '^$$' -bench . ./...
	cd bench/peers && go run .
	cd bench/peers && go run . -tls -only bare,winnow,wget2
	cd bench/peers && go run . -tls -delay 2s -sites 500 -winnow @$(COLD),

polite: ## bar 5 and 10,000 requests in flight, on loopback sockets; minutes, both cores
	WINNOW_POLITE=1 go test -count=1 -timeout 30m -run 'Polite|InFlight' -v ./bench

partitions: ## processor time and memory of crawls with 1, 2, 4 and 16 partitions, by turns, on loopback sockets; ten minutes
	@dir=$$(mktemp -d) && trap 'rm -rf $$dir' EXIT && \
	WINNOW_PROFILES=$$dir go test -count=1 -timeout 60m -v -run '^TestCPU$$' ./crawl/partition

scale: ## 100 M URLs through the core, 200 M through the table of seen URLs, a crawl to 5 M known URLs, links in other orders; an hour on a quiet machine, 8 GiB
	WINNOW_SCALE=1 go test -count=1 -timeout 3h -v ./bench/scale

pgo: ## renew the profile by which the compiler inlines the hot loops of the binary (decision 0005)
	@dir=$$(mktemp -d) && trap 'rm -rf $$dir' EXIT && \
	go test -trimpath -run '^$$' -bench 'Scan|Sum|RandomList|Import' -cpuprofile $$dir/graph -o $$dir/test ./graph && \
	go test -trimpath -run '^$$' -bench 'Sweep|Growing' -benchtime 1x -cpuprofile $$dir/rank -o $$dir/test ./graph/rank && \
	go tool pprof -proto $$dir/graph $$dir/rank > cmd/winnow/default.pgo && cp cmd/winnow/default.pgo bench/default.pgo

build: ## one static binary, ./winnow; its version comes from the build information
	CGO_ENABLED=0 go build -trimpath -buildvcs=auto -o winnow ./cmd/winnow

man: build ## man pages and completions of bash, zsh and fish, below share
	./winnow man share

release: ## archives for Linux and macOS with man pages and completions, and checksums, below dist
	scripts/release.sh dist

demo: build ## the main job on the built-in web, offline: a crawl over real sockets, and its report
	rm -rf demo.crawl
	./winnow demo --dir demo.crawl

fuzz: ## FUZZTIME (30s) for every fuzz target
	@grep -rHoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | while IFS=: read -r file func; do \
		go test -run '^$$' -fuzz "^$${func#func }$$" -fuzztime $(FUZZTIME) "$$(dirname "$$file")" || exit 1; done

clean:
	rm -rf winnow share dist demo.crawl
