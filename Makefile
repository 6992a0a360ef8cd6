# Everything here is one call of go, for those who like to type make.

demo:
	go run ./cmd/git-flower demo

test:
	go test -timeout 20m ./...

# The long suites whole: all crash points, soak, a hundred thousand merges. Hours.
test-long:
	TEST_LONG=1 go test -count=1 -timeout 6h ./...

install:
	go install ./cmd/git-flower

# Every fuzz target for FUZZTIME; go fuzzes one target of one package at a time.
FUZZTIME = 1m
fuzz:
	@for package in $$(go list ./...); do \
		for target in $$(go test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) $$package || exit 1; \
		done; \
	done

bench:
	go test -run '^$$' -bench . -benchmem ./...

# The product side by side with git, as a table; takes two minutes or so.
perf:
	go run ./t/perf

.PHONY: demo test test-long install fuzz bench perf
