VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
# The version is stamped above; git need not trust the directory for it.
BUILD   := CGO_ENABLED=0 go build -buildvcs=false -trimpath -ldflags '$(LDFLAGS)'

# Two packages that start a control plane each: one after the other.
E2E       := ./kube/e2e/... ./cmd/mullion/e2e/...
# Only packages with golden files know the flag -update.
GOLDEN    = $(sort $(dir $(shell grep -rlE --include='*_test.go' 'exp/(golden|teatest)"' cmd ui | sed 's|^|./|')))
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.DEFAULT_GOAL := help
.PHONY: help build demo test e2e controlplane lint golden bench cross clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/mullion
	$(BUILD) -o bin/mullion ./cmd/mullion

demo: build ## start the UI on the simulated cluster
	./bin/mullion --demo

test: ## all tests that need no control plane, with the race detector
	go test -race ./...

controlplane: ## build kube-apiserver, its controllers and etcd once, into the user's cache
	./kube/e2e/build.sh

e2e: controlplane ## the tests against the real control plane
	go test -tags e2e -race -count=1 -p 1 -timeout 20m $(E2E)

lint: ## gofmt, go vet, staticcheck
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "not formatted: $$files"; exit 1; fi
	go vet -tags e2e ./...
	go tool -modfile=.ci/lint/go.mod staticcheck -tags e2e ./...

golden: ## write the golden screens anew; look at the diff before you commit it
	go test $(GOLDEN) -update

bench: controlplane ## the benchmarks, and the figures at 5,000 nodes and 50,000 pods
	@mkdir -p dist
	go test -run '^$$' -bench . -benchmem ./model/... ./kube/... ./ui/... | tee dist/bench.txt
	MULLION_SCALE=$(CURDIR)/dist/scale.md go test -tags e2e -count=1 -timeout 60m -v -run '^TestScale$$' ./cmd/mullion/e2e

cross: ## build for every platform into dist/
	@mkdir -p dist
	@for p in $(PLATFORMS); do \
		os=$${p%/*} arch=$${p#*/} ext=; [ $$os = windows ] && ext=.exe; \
		out=dist/mullion-$$os-$$arch$$ext; echo $$out; \
		GOOS=$$os GOARCH=$$arch $(BUILD) -o $$out ./cmd/mullion || exit 1; \
	done

clean: ## remove what the build made here; the control plane in the cache stays
	rm -rf bin dist
